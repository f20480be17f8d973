import { z } from 'zod';
import { html } from '../../api/http/pages/html.ts';
import { serviceDetailSchema } from '../../domain/catalog/service-schema.ts';
import type { BuildSummary } from '../../domain/deploys/schema.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { card, emptyState, pagination, table } from '../look/components.ts';
import { environmentFilter } from '../look/environment-filter.ts';
import { ago, duration } from '../look/time.ts';
import { definePage, type PageContext } from '../page.ts';
import { pathOf } from '../platform/platform.ts';
import { serviceCrumbs } from '../services/service-crumbs.ts';
import { buildBadge } from './build-badge.ts';
import { environmentBadge } from './build-row.ts';
import { kindWord, sourceText } from './build-words.ts';
import { buildsReply } from './replies.ts';

export const serviceParams = z.strictObject({ name: z.string().min(1).max(64) });
export const cursorShape = { cursor: z.string().min(1).max(500).optional() };

const COLUMNS = [
  { label: 'Build', kind: 'main' },
  { label: 'State' },
  { label: 'Environment' },
  { label: 'Asked for' },
  { label: 'Took', kind: 'number' },
] as const;

/** The builds of a service, newest first. */
export const buildsPage = definePage({
  module: 'deploys',
  path: '/services/:name/builds',
  summary: 'The builds of a service',
  under: '/services',
  tab: { of: 'service', label: 'Builds', order: 10 },
  params: serviceParams,
  query: z.object({ environment: environmentSchema.optional(), ...cursorShape }),
  load: async ({ platform, params: { name }, query }) => {
    // A service that is not there has no builds: the page is 404, not an empty list.
    const service = await platform.get('builder', pathOf('services', name), serviceDetailSchema);
    const wanted = { service: service.id, ...query, limit: 30 };
    return { service, builds: await platform.get('builder', '/builds', buildsReply, wanted) };
  },
  view: ({ service, builds }, { now, query }) => {
    const path = `${pathOf('services', service.name)}/builds`;
    const here = query.environment === undefined ? path : `${path}?environment=${query.environment}`;
    const rows = builds.items.map((build) => buildRow(build, now()));
    const none = emptyState({
      ...{ icon: 'rocket', title: 'No builds here' },
      text: html`Deploy ${service.name} with <code>npx fairlead deploy</code>, or from its page.`,
    });
    return {
      title: 'Builds',
      crumbs: serviceCrumbs(service.name),
      body: html`${environmentFilter(path, query.environment ?? null, { all: true })}${card(
        { title: `Builds of ${service.name}`, flush: true },
        rows.length === 0 ? none : html`${table('Builds', COLUMNS, rows)}${pagination(here, builds.nextCursor)}`,
      )}`,
    };
  },
});

function buildRow(build: BuildSummary, now: ReturnType<PageContext['now']>) {
  return [
    html`<a href="${pathOf('builds', build.id)}">${kindWord(build)} of ${sourceText(build)}</a><span class="sub"><code>${build.id}</code></span>`,
    buildBadge(build),
    environmentBadge(build.environment),
    ago(build.createdAt, now),
    build.durationMs === null ? null : duration(build.durationMs),
  ];
}
