import { z } from 'zod';
import { html } from '../../api/http/pages/html.ts';
import { type BuildView, buildViewSchema } from '../../domain/deploys/schema.ts';
import { isTerminal } from '../../domain/deploys/status.ts';
import { card, liveRegion } from '../look/components.ts';
import { ago } from '../look/time.ts';
import { definePage, type PageContext, type PageView } from '../page.ts';
import { pathOf } from '../platform/platform.ts';
import { buildBadge } from './build-badge.ts';
import { logCard, readLog, type ShownLog } from './build-log.ts';
import { buildButtons, buildFacts, buildNotices, diagnostics, peopleOf, stepsBody } from './build-parts.ts';
import { kindWord, sourceText } from './build-words.ts';
import { followBuild } from './follow-build.ts';

export const buildParams = z.strictObject({ id: z.string().min(1).max(64) });
const line = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** One build: its plan, what became of it, and its log. */
export const buildPage = definePage({
  module: 'deploys',
  path: '/builds/:id',
  summary: 'One build with its steps and its log',
  under: '/services',
  params: buildParams,
  query: z.object({
    at: line.optional(),
    find: z.string().max(200).optional(),
    after: line.optional(),
  }),
  load: async ({ platform, params, query }) => {
    const build = platform.get('builder', pathOf('builds', params.id), buildViewSchema);
    const find = query.find?.trim() || undefined;
    const [log, found] = await Promise.all([readLog(platform, params.id, { ...query, find }), build]);
    return { build: found, log };
  },
  people: ({ build }) => peopleOf(build),
  view: ({ build, log }, context) => buildPageView(build, log, context),
  live: followBuild,
});

function buildPageView(build: BuildView, log: ShownLog, context: PageContext): PageView {
  const { now } = context;
  const region = (id: string, body: Parameters<typeof liveRegion>[1]) => liveRegion(id, body);
  const isWhole = log.query.at === undefined && log.query.find === undefined;
  const servicePath = pathOf('services', build.service);
  return {
    title: `${kindWord(build)} of ${build.service}`,
    crumbs: [
      ['Services', '/services'],
      [build.service, servicePath],
      ['Builds', `${servicePath}/builds`],
    ],
    beside: liveRegion('status', buildBadge(build), 'polite'),
    lead: html`${sourceText(build)} to ${build.environment}, asked for ${ago(build.createdAt, now())}`,
    buttons: region('buttons', buildButtons(build, context)),
    // Only the end of a log grows, and only while the build runs.
    live: isWhole && !isTerminal(build.status) ? { after: String(log.seen) } : null,
    body: html`${region('notices', buildNotices(build, context))}
<div class="log-page"><div class="log-steps">${card({ title: 'Steps', flush: true }, region('steps', stepsBody(build)))}</div>
<div class="log-main">${region('diagnostics', diagnostics(build))}${logCard(build, log)}</div>
<div class="log-about">${card({ title: 'About' }, region('facts', buildFacts(build, context)))}</div></div>`,
  };
}
