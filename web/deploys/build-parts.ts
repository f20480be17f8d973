import { type Html, html } from '../../api/http/pages/html.ts';
import { isReinstall } from '../../domain/deploys/build-kind.ts';
import type { BuildView } from '../../domain/deploys/schema.ts';
import { isTerminal } from '../../domain/deploys/status.ts';
import { ACTING_STEPS } from '../../domain/deploys/steps.ts';
import type { LiveEvent } from '../live/live-event.ts';
import { card, codeBlock, externalLink, facts, notice } from '../look/components.ts';
import { confirmForm, form, select } from '../look/forms.ts';
import { ago, duration, moment } from '../look/time.ts';
import type { PageContext } from '../page.ts';
import type { Named } from '../people/who.ts';
import { pathOf } from '../platform/platform.ts';
import { buildBadge } from './build-badge.ts';
import { kindWord, sourceText } from './build-words.ts';
import { progressText, stepList } from './step-list.ts';

/** Parts of a build's page, each of which is replaced while the page is open. */

type Context = Pick<PageContext, 'csrf' | 'now' | 'who' | 'outcome' | 'person'>;

/** Every part but the steps and the log, as they are now. */
export function buildRegions(build: BuildView, context: Context): readonly LiveEvent[] {
  const parts = {
    status: buildBadge(build),
    buttons: buildButtons(build, context),
    notices: buildNotices(build, context),
    facts: buildFacts(build, context),
    diagnostics: diagnostics(build),
  };
  return Object.entries(parts).map(([region, body]) => ({ region, mode: 'replace', html: body }));
}

export function stepsRegion({ steps }: Pick<BuildView, 'steps'>): LiveEvent {
  return { region: 'steps', mode: 'replace', html: stepsBody({ steps }) };
}

export function stepsBody({ steps }: Pick<BuildView, 'steps'>): Html {
  return html`<p class="log-note steps-note">${progressText(steps)}</p>${stepList(steps)}`;
}

const SHARED_QUESTION = 'What it has changed so far is undone. The release that serves stays.';

/** What can be done with the build as it is. */
export function buildButtons(build: BuildView, context: Context): Html {
  const path = pathOf('builds', build.id);
  if (!isTerminal(build.status)) {
    const question = `This ends the build. ${SHARED_QUESTION}`;
    return confirmForm(context, {
      action: `${path}/cancel`,
      label: 'Cancel',
      icon: 'x',
      question,
      button: 'Cancel the build',
    });
  }
  const again = build.source.kind === 'git' && !isReinstall(build.kind);
  return html`${build.status === 'failed' && !isReinstall(build.kind) && retryForm(build, context)}${
    again && form(context, { action: `${path}/redeploy`, button: 'Deploy again', icon: 'rocket', tone: 'plain' })
  }`;
}

/** The steps that a retry can begin at: those that this version carries out, up to the first that has not ended well. */
export function retrySteps({ steps }: Pick<BuildView, 'steps'>): readonly BuildView['steps'][number][] {
  const acting = steps.filter(({ key, state }) => state !== 'skipped' && ACTING_STEPS.some((step) => step.key === key));
  const reached = acting.findIndex(({ state }) => !['completed', 'reused', 'warned'].includes(state));
  return acting.slice(0, reached < 0 ? acting.length : reached + 1);
}

function retryForm(build: BuildView, context: Context): Html {
  const choices = retrySteps(build)
    .toReversed()
    .map(({ key, title }) => [key, title] as const);
  const fields = select({ outcome: null }, { name: 'fromStep', label: 'From the step', choices });
  return html`<details class="confirm"><summary class="button primary">Retry</summary><div class="confirm-body"><p>Builds the same commit again, with what the steps before made.</p>${form(context, { action: `${pathOf('builds', build.id)}/retry`, button: 'Retry', icon: 'undo', fields })}</div></details>`;
}

/** What a person has to know first: why it failed, what it waits for, what replaced it. */
export function buildNotices(build: BuildView, { now }: Pick<Context, 'now'>): Html {
  const { failure, supersededBy, waiting, warnings, reason } = build;
  return html`${waiting !== null && !isTerminal(build.status) && notice('warn', html`<p>It waits for grants until ${moment(waiting.until)}: ${blockedText(build)}. <a href="/grants">Look at the grants</a></p>`)}
${supersededBy !== null && notice('info', html`<p>A newer build took its place: <a href="${pathOf('builds', supersededBy)}">${supersededBy}</a></p>`)}
${failure !== null && reason !== 'superseded' && notice(reason === 'cancelled' ? 'info' : 'bad', failureText(build, failure))}
${build.status === 'completed' && build.url !== null && notice('good', html`<p>It serves at ${externalLink(build.url)}${build.finishedAt !== null && html`, since ${ago(build.finishedAt, now())}`}</p>`)}
${warnings.length > 0 && notice('warn', html`<ul class="plain stack">${warnings.map((warning) => html`<li>${warning}</li>`)}</ul>`)}`;
}

function failureText({ steps }: BuildView, { message, code, step }: NonNullable<BuildView['failure']>): Html {
  const title = steps.find(({ key }) => key === step)?.title ?? step;
  return html`<p>${title !== null && html`<strong>${title}</strong>: `}${message}</p><p class="small quiet"><code>${code}</code></p>`;
}

/** Grants by service and scopes, as far as they are of a form that this version knows. */
function blockedText({ blockedGrants }: BuildView): string {
  const texts = blockedGrants.map((blocked) => {
    const { service, scopes } = (blocked ?? {}) as { service?: unknown; scopes?: unknown };
    const names = Array.isArray(scopes) ? scopes.map(String).join(', ') : '';
    return typeof service === 'string' ? `${names || 'scopes'} of ${service}` : 'a grant';
  });
  return texts.length === 0 ? 'scopes of other services' : texts.join('; ');
}

/** Who is named on the page of a build: people of the org that asked for it. */
export function peopleOf({ requestedBy, org }: BuildView): Named {
  return { ids: [requestedBy], org };
}

export function buildFacts(build: BuildView, { now, who }: Pick<Context, 'now' | 'who'>): Html {
  const { source, requestedBy, createdAt, durationMs, finishedAt, retryOf, imageDigest } = build;
  const servicePath = pathOf('services', build.service);
  return facts([
    ['Service', html`<a href="${servicePath}">${build.service}</a> in ${build.environment}`],
    ['What', html`${kindWord(build)} of ${sourceText(build)}`],
    ...(source.kind === 'git' ? [['Repository', html`<code>${source.url}</code>`] as const] : []),
    ...(build.commitSha === null ? [] : [['Commit', html`<code>${build.commitSha}</code>`] as const]),
    ['Asked for', html`${ago(createdAt, now())} by ${who(requestedBy)}`],
    ...(durationMs === null
      ? []
      : [[finishedAt === null ? 'Running for' : 'Took', html`${duration(durationMs)}`] as const]),
    ...(retryOf === null ? [] : [['Retry of', html`<a href="${pathOf('builds', retryOf)}">${retryOf}</a>`] as const]),
    ...(build.releaseId === null
      ? []
      : [
          [
            'Release',
            html`<a href="${servicePath}/releases?environment=${build.environment}">${build.releaseId}</a>`,
          ] as const,
        ]),
    ...(imageDigest === null ? [] : [['Image', html`<code>${imageDigest}</code>`] as const]),
  ]);
}

/** What was measured to explain a failure. */
export function diagnostics({ diagnostics: found }: BuildView): Html {
  return html`${found.map(({ title, lines }) => card({ title }, codeBlock(title, lines.join('\n'))))}`;
}
