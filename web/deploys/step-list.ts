import { type Html, html } from '../../api/http/pages/html.ts';
import type { BuildView } from '../../domain/deploys/schema.ts';
import { icon } from '../look/icons.ts';
import { duration } from '../look/time.ts';
import { STEP_WORDS } from './build-words.ts';

type Step = BuildView['steps'][number];

/** The plan of a build and what became of it: each step with its state and time, and why others are skipped. */
export function stepList(steps: readonly Step[]): Html {
  const skipped = steps.filter(({ state }) => state === 'skipped');
  const planned = steps.filter(({ state }) => state !== 'skipped');
  return html`<ol class="steps">${planned.map(stepItem)}</ol>${
    skipped.length > 0 &&
    html`<details class="skipped"><summary>${skipped.length} ${skipped.length === 1 ? 'step is' : 'steps are'} skipped, and why</summary><ol class="steps">${skipped.map(stepItem)}</ol></details>`
  }`;
}

function stepItem({ title, state, reason, warnings, attempt, durationMs, startedAt }: Step): Html {
  const { tone, label, icon: name } = STEP_WORDS[state];
  const time = durationMs === null || startedAt === null ? null : timeOf(state, durationMs, startedAt);
  return html`<li class="step-${tone}">${icon(name)}<span class="step-title">${title}<span class="unseen">: ${label}</span></span><span class="step-time">${time}</span>
${attempt > 1 && html`<span class="step-why">Attempt ${attempt}</span>`}${reason !== null && html`<span class="step-why">${STEP_WORDS[state].label[0]?.toUpperCase()}${label.slice(1)}: ${reason}</span>`}${warnings.map((warning) => html`<span class="step-why">Warning: ${warning}</span>`)}</li>`;
}

/** Of a step that runs, the page counts on. */
function timeOf(state: Step['state'], durationMs: number, startedAt: string): Html {
  return state === 'running'
    ? html`<time datetime="${startedAt}" data-since>${duration(durationMs)}</time>`
    : html`${duration(durationMs)}`;
}

/** How far a build is, such as `7 of 21 steps`. */
export function progressText(steps: readonly Step[]): string {
  const planned = steps.filter(({ state }) => state !== 'skipped');
  const done = planned.filter(({ state }) => ['completed', 'reused', 'warned'].includes(state));
  return `${done.length} of ${planned.length} steps done`;
}
