import type { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import type { planReplySchema } from '../../domain/deploys/plan-schema.ts';
import { ENVIRONMENTS, type Environment } from '../../domain/environment.ts';
import { icon } from '../look/icons.ts';

export const START = '/start';

/** The way of a newcomer: an address, the plan, the deploy, the service. */
const STEPS = ['Repository', 'Plan', 'Deploy'] as const;

export function stepper(at: 0 | 1): Html {
  return html`<ol class="stepper">${STEPS.map((label, index) => html`<li${index === at && html` aria-current="step"`}${index < at && html` class="done"`}><span class="stepper-mark">${index < at ? icon('check') : index + 1}</span>${label}</li>`)}</ol>`;
}

/** Steps of a plan, and what it warns of. */
export function planSteps({ steps, warnings }: z.output<typeof planReplySchema>): Html {
  const runs = steps.filter(({ state }) => state !== 'skipped');
  const skipped = steps.filter(({ state }) => state === 'skipped');
  return html`${warnings.map((warning) => html`<p class="missing">${icon('alert')}<span>${warning}</span></p>`)}
<ol class="rows plan">${runs.map(({ title, reason }) => html`<li><span class="plan-mark" aria-hidden="true"></span><div class="row-main">${title}${reason !== null && html`<span class="sub">${reason}</span>`}</div></li>`)}</ol>
${skipped.length > 0 && html`<details class="more plan-skipped"><summary>${skipped.length} steps are not needed</summary><ul class="plain">${skipped.map(({ title, reason }) => html`<li>${title}<span class="sub">${reason}</span></li>`)}</ul></details>`}
<p class="quiet small">How the app is built and started is found out when its source is there; the build shows it.</p>`;
}

/** The plan for another environment. @param pathFor path of that page */
export function environmentChoice(chosen: Environment, pathFor: (environment: Environment) => string): Html {
  return html`<p class="segmented" role="group" aria-label="Environment">${ENVIRONMENTS.map((one) => html`<a class="segment" href="${pathFor(one)}"${one === chosen && html` aria-current="true"`}>${one}</a>`)}</p>`;
}
