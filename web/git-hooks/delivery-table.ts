import { type Html, html } from '../../api/http/pages/html.ts';
import type { DeliveryKind, LookReason } from '../../domain/git-hooks/delivery.ts';
import type { DeliveryView } from '../../domain/git-hooks/git-hook-schema.ts';
import { buildBadge } from '../deploys/build-badge.ts';
import { commitText } from '../deploys/build-words.ts';
import { badge, type Tone } from '../look/badge.ts';
import { table } from '../look/components.ts';
import { ago } from '../look/time.ts';
import type { PageContext } from '../page.ts';
import { pathOf } from '../platform/platform.ts';

type Outcome = DeliveryView['outcomes'][number];

const KIND_WORDS: Readonly<Record<DeliveryKind, string>> = {
  push: 'Push',
  ping: 'Ping',
  other: 'Other event',
  look: 'Look by hand',
  poll: 'Poll',
};

const COLUMNS = [{ label: 'Delivery', kind: 'main' }, { label: 'What became of it' }, { label: 'When' }] as const;

/** What was delivered, and what each deployed or why not. Every text in it is somebody else's. */
export function deliveryTable(deliveries: readonly DeliveryView[], { now }: Pick<PageContext, 'now'>): Html {
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

/** What was asked for says nothing of how it ended: a build is shown as it is now. */
function stateOf({ reason, build }: Outcome): Html {
  return build === null ? badge(...toneOf(reason)) : buildBadge({ ...build, waiting: null });
}

function toneOf(reason: LookReason): readonly [Tone, string] {
  if (reason === 'deployed' || reason === 'attached') return ['quiet', 'Build asked for'];
  if (reason === 'ping') return ['good', 'Ping'];
  return FAILED.includes(reason) ? ['bad', 'Failed'] : ['quiet', 'Not deployed'];
}

function outcomeLine(outcome: Outcome): Html {
  const { explanation, ref, service, environment, commit, buildId, message } = outcome;
  const what = [service, environment, ref === null ? null : shortRef(ref)].filter((one) => one !== null).join(' · ');
  return html`<div>${stateOf(outcome)} ${what}${commit !== null && ' '}${commitText(commit)}
<span class="sub">${explanation}${message !== null && `: ${message}`}${buildId !== null && html` · <a href="${pathOf('builds', buildId)}">the build</a>`}</span></div>`;
}

function shortRef(ref: string): string {
  return ref.replace(/^refs\/(heads|tags)\//, '');
}
