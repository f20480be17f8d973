import { z } from 'zod';
import { html } from '../../api/http/pages/html.ts';
import { type ServiceView, serviceViewSchema } from '../../domain/catalog/service-schema.ts';
import type { BuildSummary } from '../../domain/deploys/schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { buildBadge } from '../deploys/build-badge.ts';
import { buildsReply } from '../deploys/replies.ts';
import { card, emptyState, linkButton, pagination, table } from '../look/components.ts';
import { ago } from '../look/time.ts';
import { definePage, type WebModule } from '../page.ts';
import { part } from '../platform/part.ts';
import { pathOf } from '../platform/platform.ts';
import { deployService, removeService } from './actions.ts';
import { servicePage } from './service-page.ts';

const BUILDS_SEEN = 200;

const COLUMNS = [
  { label: 'Service', kind: 'main' },
  { label: 'Last build' },
  { label: 'Source' },
  { label: 'Changed' },
] as const;

const listPage = definePage({
  module: 'services',
  path: '/services',
  summary: 'Services by name',
  nav: { label: 'Services', icon: 'box', group: 'work', order: 10 },
  query: z.object({ cursor: z.string().max(500).optional() }),
  load: async ({ platform, query }) => {
    const [services, builds] = await Promise.all([
      platform.get('builder', '/services', pageSchema(serviceViewSchema), query),
      part(platform.get('builder', '/builds', buildsReply, { limit: BUILDS_SEEN })),
    ]);
    const byId = new Map(builds.ok ? builds.value.items.map((build) => [build.id, build] as const) : []);
    return { services, byId };
  },
  view: ({ services: { items, nextCursor }, byId }, { now, person }) => {
    const isEmpty = items.length === 0;
    const showsOrg = person.kind === 'platform-admin';
    return {
      title: 'Services',
      ...(isEmpty ? {} : { buttons: linkButton('/start', 'Deploy a service', { icon: 'plus', primary: true }) }),
      body: card(
        { flush: true },
        isEmpty
          ? nothingYet()
          : html`${table(
              'Services',
              COLUMNS,
              items.map((service) => serviceRow(service, byId.get(service.lastBuildId ?? ''), now(), showsOrg)),
            )}${pagination('/services', nextCursor)}`,
      ),
    };
  },
});

function serviceRow(service: ServiceView, last: BuildSummary | undefined, now: Date, showsOrg: boolean) {
  const { name, org, gitUrl, branch, updatedAt, lastBuildId } = service;
  const state =
    last === undefined
      ? lastBuildId === null
        ? html`<span class="quiet">Never deployed</span>`
        : html`<a href="${pathOf('builds', lastBuildId)}">Last build</a>`
      : html`<span>${buildBadge(last)} <span class="quiet small">${ago(last.createdAt, now)}</span></span>`;
  return [
    html`<a href="${pathOf('services', name)}">${name}</a>${showsOrg && html`<span class="sub">${org}</span>`}`,
    state,
    html`<span class="source">${gitUrl === null ? 'Uploaded' : gitUrl.replace(/^https:\/\//, '')}${branch !== null && html`<span class="sub">${branch}</span>`}</span>`,
    ago(updatedAt, now),
  ];
}

function nothingYet() {
  return emptyState({
    icon: 'box',
    title: 'No services yet',
    text: 'A service is a repository, or an uploaded folder, that Fairlead builds and runs.',
    action: linkButton('/start', 'Deploy your first service', { primary: true }),
  });
}

export const services: WebModule = { pages: [listPage, servicePage], actions: [deployService, removeService] };
