import { type Html, html } from '../../api/http/pages/html.ts';
import type { PropertyView } from '../../domain/properties/schema.ts';
import { isUnderWay } from '../../domain/properties/verification.ts';
import type { Tone } from '../look/badge.ts';
import { type IconName, icon } from '../look/icons.ts';
import { exact } from '../look/time.ts';
import { waitsForRecord } from './words.ts';

type StepState = 'done' | 'now' | 'waits' | 'failed' | 'open';

const LOOKS: Readonly<Record<StepState, readonly [tone: Tone, icon: IconName, words: string]>> = {
  done: ['good', 'check-circle', 'done'],
  now: ['busy', 'running', 'under way'],
  waits: ['warn', 'clock', 'waits for you'],
  failed: ['bad', 'x-circle', 'failed'],
  open: ['quiet', 'minus', 'not yet'],
};

/** How far the verification of a domain is: each transition with its time. */
export function verificationSteps(property: PropertyView): Html {
  const { verification } = property;
  const isByHand = verification.path === 'manual' || (verification.path === null && !property.automatable);
  const steps = [
    ['The search engine gives the text of the record', verification.tokenRequestedAt],
    [isByHand ? 'You set the record' : 'The platform writes the record', verification.txtWrittenAt],
    ['The public DNS shows the record, and the search engine is asked', verification.verifyingAt],
    ['The search engine confirms', verification.verifiedAt],
  ] as const;
  const first = steps.findIndex(([, at]) => at === null);
  const reached = verification.state === 'verified' || first === -1 ? steps.length : first;
  return html`<ol class="steps steps-dated">${steps.map(([title, at], index) => step(title, at, stateOf(property, index, reached, steps.length)))}</ol>`;
}

function stateOf(property: PropertyView, index: number, reached: number, count: number): StepState {
  const isCurrent = index === Math.min(reached, count - 1);
  if (property.verification.state === 'error' && isCurrent) return 'failed';
  if (index < reached) return 'done';
  if (!isCurrent) return 'open';
  if (waitsForRecord(property)) return 'waits';
  return isUnderWay(property) ? 'now' : 'open';
}

function step(title: string, at: string | null, state: StepState): Html {
  const [tone, name, words] = LOOKS[state];
  return html`<li class="step-${tone}">${icon(name)}<span class="step-title">${title}<span class="unseen">: ${words}</span></span><span class="step-time">${at !== null && html`<time datetime="${at}">${exact(at)}</time>`}</span></li>`;
}
