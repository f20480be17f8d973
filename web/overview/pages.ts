import { admits } from '../../api/http/allowed-callers.ts';
import { type Html, type HtmlValue, html } from '../../api/http/pages/html.ts';
import { type HealthReply, healthReplySchema } from '../../domain/backups/backup-schema.ts';
import { serviceViewSchema } from '../../domain/catalog/service-schema.ts';
import type { BuildSummary } from '../../domain/deploys/schema.ts';
import { isTerminal } from '../../domain/deploys/status.ts';
import { type GrantView, grantViewSchema } from '../../domain/grants/grant-schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { withoutBackup } from '../backups/health-page.ts';
import { isBroken } from '../deploys/build-badge.ts';
import { buildRow, latestBuilds } from '../deploys/build-row.ts';
import { buildsReply } from '../deploys/replies.ts';
import { pollRegions } from '../live/poll.ts';
import { card, emptyState, linkButton, liveRegion, missingPart } from '../look/components.ts';
import { icon } from '../look/icons.ts';
import { ago } from '../look/time.ts';
import { definePage, type PageContext, type WebModule } from '../page.ts';
import { type Part, part } from '../platform/part.ts';
import { pathOf } from '../platform/platform.ts';

/** Newest builds that are looked at; the page says so. */
const BUILDS_SEEN = 100;
const RECENT_SHOWN = 8;
const LOOK_MS = 3_000;

interface Overview {
  readonly builds: Part<{ readonly items: readonly BuildSummary[]; readonly nextCursor: string | null }>;
  readonly grants: Part<readonly GrantView[]>;
  readonly hasServices: boolean;
}

async function load(context: PageContext): Promise<Overview> {
  const { platform } = context;
  const [builds, grants, services] = await Promise.all([
    part(platform.get('builder', '/builds', buildsReply, { limit: BUILDS_SEEN })),
    part(grantsToDecide(context)),
    part(platform.get('builder', '/services', pageSchema(serviceViewSchema.pick({ id: true })), { limit: 1 })),
  ]);
  return { builds, grants, hasServices: !services.ok || services.value.items.length > 0 };
}

/** What waits for this person: admins of the org whose scopes are asked for decide. */
async function grantsToDecide({ platform, person }: PageContext): Promise<readonly GrantView[]> {
  if (!admits({ 'platform-admin': true, user: 'admin' }, person)) return [];
  const query = { status: 'pending', limit: 50 };
  const { items } = await platform.get('builder', '/grants', pageSchema(grantViewSchema), query);
  return items.filter(({ target }) => person.kind === 'platform-admin' || target.org === person.org);
}

/** Databases change by the night: they are looked at once a page. People without a role see none. */
async function healthOf({ platform, person }: PageContext): Promise<Part<HealthReply>> {
  if (!admits({ 'platform-admin': true, user: 'viewer' }, person)) return { ok: true, value: { databases: [] } };
  return await part(platform.get('builder', '/databases/backups/health', healthReplySchema));
}

const overviewPage = definePage({
  module: 'overview',
  path: '/',
  summary: 'What fails, what waits, what runs',
  nav: { label: 'Overview', icon: 'home', group: 'work', order: 0 },
  load: async (context) => {
    const [data, health] = await Promise.all([load(context), healthOf(context)]);
    return { ...data, health };
  },
  view: (data, context) => ({
    title: 'Overview',
    ...(data.hasServices
      ? {
          buttons: linkButton('/start', 'Deploy', { icon: 'rocket', primary: true }),
          body: html`${databases(data.health, context)}${regions(data, context.now())}`,
        }
      : { body: firstSteps() }),
  }),
  live: (context) =>
    pollRegions(context, LOOK_MS, async () => {
      const data = await load(context);
      return { attention: attention(data, context.now()), activity: activity(data, context.now()) };
    }),
});

function databases(health: Part<HealthReply>, context: PageContext): Html | false {
  if (!health.ok) return card({ title: 'Databases' }, missingPart(health.error));
  return withoutBackup(health.value.databases, context);
}

function regions(data: Overview, now: Date): Html {
  return html`<div class="columns"><div>${liveRegion('attention', attention(data, now), 'polite')}</div><div>${liveRegion('activity', activity(data, now))}</div></div>`;
}

/** What fails, then what waits: the two that somebody has to look at. */
function attention({ builds, grants }: Overview, now: Date): Html {
  return html`${card({ title: 'Fails', flush: builds.ok }, builds.ok ? failing(builds.value, now) : missingPart(builds.error))}
${card({ title: 'Waits for you', flush: grants.ok }, grants.ok ? waiting(grants.value, now) : missingPart(grants.error))}`;
}

function failing(
  { items, nextCursor }: { items: readonly BuildSummary[]; nextCursor: string | null },
  now: Date,
): Html {
  const broken = latestBuilds(items).filter(isBroken);
  const seen = nextCursor !== null && html`<p class="quiet small">Of the ${items.length} newest builds.</p>`;
  if (broken.length === 0)
    return html`${allGood('Nothing fails: the last build of each service went through.')}${seen}`;
  return html`<ul class="rows">${broken.map((build) => buildRow(build, now))}</ul>${seen}`;
}

function waiting(grants: readonly GrantView[], now: Date): Html {
  if (grants.length === 0) return allGood('Nothing waits for a decision of yours.');
  return html`<ul class="rows">${grants.map(
    ({ id, holder, target, scopes, requestedAt }) =>
      html`<li><div class="row-main"><a href="${pathOf('grants', id)}">${holder.name} asks for ${target.name}</a><span class="sub">${scopes.join(', ')}</span></div><span class="row-side">${ago(requestedAt, now)}</span></li>`,
  )}</ul>`;
}

function allGood(text: string): Html {
  return html`<p class="all-good">${icon('check-circle')}${text}</p>`;
}

function activity({ builds }: Overview, now: Date): Html {
  if (!builds.ok) return card({ title: 'Runs now' }, missingPart(builds.error));
  const { items } = builds.value;
  const running = items.filter(({ status }) => !isTerminal(status));
  const recent = items.filter(({ status }) => isTerminal(status)).slice(0, RECENT_SHOWN);
  const rows = (list: readonly BuildSummary[], nothing: string): HtmlValue =>
    list.length === 0
      ? html`<p class="quiet">${nothing}</p>`
      : html`<ul class="rows">${list.map((build) => buildRow(build, now))}</ul>`;
  return html`${card({ title: 'Runs now', flush: true }, rows(running, 'No build runs.'))}
${card({ title: 'Last builds', flush: true }, rows(recent, 'No build has ended yet.'))}`;
}

function firstSteps(): Html {
  return html`<section class="card">${emptyState({
    icon: 'rocket',
    title: 'Deploy your first service',
    text: 'Give the address of a repository. Fairlead finds out how it is built, shows the plan, and tells what happens at each step.',
    action: linkButton('/start', 'Deploy', { primary: true }),
  })}</section>`;
}

export const overview: WebModule = { pages: [overviewPage], actions: [] };
