import type { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import type { DeliveryKind, LookReason } from '../../domain/git-hooks/delivery.ts';
import type { deliveryViewSchema } from '../../domain/git-hooks/git-hook-schema.ts';
import { commitText } from '../deploys/build-words.ts';
import { badge, type Tone } from '../look/badge.ts';
import { table } from '../look/components.ts';
import { ago } from '../look/time.ts';
import type { PageContext } from '../page.ts';
import { pathOf } from '../platform/platform.ts';

type Delivery = z.output<typeof deliveryViewSchema>;
type Outcome = Delivery['outcomes'][number];

const KIND_WORDS: Readonly<Record<DeliveryKind, string>> = {
  push: 'Push',
  ping: 'Ping',
  other: 'Other event',
  look: 'Look by hand',
  poll: 'Poll',
};

const COLUMNS = [{ label: 'Delivery', kind: 'main' }, { label: 'What became of it' }, { label: 'When' }] as const;

/** What was delivered, and what each deployed or why not. Every text in it is somebody else's. */
export function deliveryTable(deliveries: readonly Delivery[], { now }: Pick<PageContext, 'now'>): Html {
  const rows = deliveries.map((delivery) => {
    const { kind, event, ref, login, alreadySeen, state, outcomes, receivedAt } = delivery;
    const told = [kind === 'other' && event, login !== null && `by ${login}`, alreadySeen && 'seen before'];
    return [
      html`${KIND_WORDS[kind]}${ref !== null && html` <code>${shortRef(ref)}</code>`}<span class="sub">${told.filter((one) => one !== false).join(' · ')}</span>`,
      state === 'waiting' && outcomes.length === 0
        ? badge('busy', 'Waits to be looked at')
        : html`<div class="stack">${outcomes.map(outcomeLine)}</div>`,
      ago(receivedAt, now()),
    ];
  });
  return table('Deliveries', COLUMNS, rows);
}

const FAILED: readonly LookReason[] = ['source_refused', 'source_unreachable', 'build_refused'];

function toneOf(reason: LookReason): readonly [Tone, string] {
  if (reason === 'deployed' || reason === 'attached') return ['good', reason === 'deployed' ? 'Deployed' : 'Attached'];
  if (reason === 'ping') return ['good', 'Ping'];
  return FAILED.includes(reason) ? ['bad', 'Failed'] : ['quiet', 'Not deployed'];
}

function outcomeLine({ reason, explanation, ref, service, environment, commit, buildId, message }: Outcome): Html {
  const what = [service, environment, ref === null ? null : shortRef(ref)].filter((one) => one !== null).join(' · ');
  return html`<div>${badge(...toneOf(reason))} ${what}${commit !== null && ' '}${commitText(commit)}
<span class="sub">${explanation}${message !== null && `: ${message}`}${buildId !== null && html` · <a href="${pathOf('builds', buildId)}">the build</a>`}</span></div>`;
}

function shortRef(ref: string): string {
  return ref.replace(/^refs\/(heads|tags)\//, '');
}
