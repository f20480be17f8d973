import type { z } from 'zod';
import { admits } from '../../api/http/allowed-callers.ts';
import { type Html, html } from '../../api/http/pages/html.ts';
import { type ServiceDetail, serviceDetailSchema } from '../../domain/catalog/service-schema.ts';
import type { BuildSummary } from '../../domain/deploys/schema.ts';
import { isTerminal } from '../../domain/deploys/status.ts';
import { runtimeReplySchema } from '../../domain/deploys/workload-state-schema.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { connectionViewSchema } from '../../domain/git-hooks/git-hook-schema.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { buildBadge } from '../deploys/build-badge.ts';
import { buildRow, environmentBadge, latestBuilds } from '../deploys/build-row.ts';
import { buildsReply } from '../deploys/replies.ts';
import { connectionPath, PATH as GIT_PATH } from '../git-hooks/connection-words.ts';
import { pollRegions } from '../live/poll.ts';
import { badge } from '../look/badge.ts';
import { card, emptyState, externalLink, facts, liveRegion, partCard } from '../look/components.ts';
import { confirmForm, field, select } from '../look/forms.ts';
import { ago } from '../look/time.ts';
import { mayChange } from '../members.ts';
import { definePage, type PageContext } from '../page.ts';
import { type Part, part } from '../platform/part.ts';
import { pathOf } from '../platform/platform.ts';
import { serviceParams } from './actions.ts';
import { runtimeLine } from './runtime-line.ts';

const BUILDS_SHOWN = 10;
const LOOK_MS = 3_000;

const CONNECTIONS = pageSchema(connectionViewSchema.pick({ id: true, services: true }));

interface Shown {
  readonly service: ServiceDetail;
  readonly builds: Part<{ readonly items: readonly BuildSummary[] }>;
  readonly runtime: Part<z.output<typeof runtimeReplySchema>>;
}

/** Connections that are looked through for the one of the service; beyond them the page leads to all. */
const CONNECTIONS_SEEN = 200;

type Context = PageContext<{ readonly name: string }>;

async function load({ platform, params: { name } }: Context): Promise<Shown> {
  const path = pathOf('services', name);
  const [service, builds, runtime] = await Promise.all([
    platform.get('builder', path, serviceDetailSchema),
    part(platform.get('builder', '/builds', buildsReply, { service: name, limit: BUILDS_SHOWN })),
    part(platform.get('builder', `${path}/runtime`, runtimeReplySchema)),
  ]);
  return { service, builds, runtime };
}

/** Id of the connection whose pushes deploy the service; null when there is none. */
async function connectionOf({ platform, params: { name } }: Context): Promise<Part<string | null>> {
  const query = { limit: CONNECTIONS_SEEN };
  const page = await part(platform.get('builder', '/git/connections', CONNECTIONS, query));
  if (!page.ok) return page;
  const found = page.value.items.find(({ services }) => services.some(({ service }) => service === name));
  return { ok: true, value: found?.id ?? null };
}

/** One service: what runs of it and where, its last builds, and what can be done. */
export const servicePage = definePage({
  module: 'services',
  path: '/services/:name',
  summary: 'One service: what runs, its last builds, and what can be done',
  params: serviceParams,
  tab: { of: 'service', label: 'Overview', order: 0 },
  load: async (context) => {
    const [shown, connection] = await Promise.all([load(context), connectionOf(context)]);
    return { ...shown, connection };
  },
  view: (data, context) => {
    const { service, connection } = data;
    const { person } = context;
    return {
      title: service.name,
      crumbs: [['Services', '/services']],
      lead: html`${service.org}${service.gitUrl !== null && html` · ${externalLink(service.gitUrl)}`}`,
      buttons: mayChange(context) && deployMenu(context, service),
      body: html`${liveRegion('environments', environments(data, context.now()))}
<div class="columns"><div>${liveRegion('builds', builds(data, context.now()))}</div>
<div>${settings(service, connection, person)}${admits({ 'platform-admin': true, user: 'admin' }, person) && removal(context, service)}</div></div>`,
    };
  },
  live: (context) =>
    pollRegions(context, LOOK_MS, async () => {
      const data = await load(context);
      return { environments: environments(data, context.now()), builds: builds(data, context.now()) };
    }),
});

function deployMenu(context: Context, service: ServiceDetail): Html {
  if (service.gitUrl === null)
    return html`<span class="quiet small">Deployed by upload: <code>fairlead deploy</code></span>`;
  const fields = html`${select(context, {
    ...{ name: 'environment', label: 'Environment', value: 'prod' },
    choices: ENVIRONMENTS.map((environment) => [environment, environment] as const),
  })}${field(context, { name: 'branch', label: 'Branch', placeholder: service.branch ?? 'default branch', mono: true })}`;
  return confirmForm(context, {
    action: pathOf('services', service.name, 'deploy'),
    ...{ label: 'Deploy', icon: 'rocket', tone: 'primary', button: 'Deploy now', fields },
    question: 'Builds the newest commit, and puts it in the place of what runs.',
  });
}

/** What runs in each environment: live when a release is active, and what the last build there did. */
function environments({ service, builds, runtime }: Shown, now: Date): Html {
  if (service.environments.length === 0) return card({ title: 'Environments', flush: true }, notDeployed(builds));
  const latest = builds.ok ? latestBuilds(builds.value.items) : [];
  return html`<div class="tiles">${service.environments.map((deployed) => {
    const { environment, url, releaseId, commitSha, activatedAt, buildId } = deployed;
    const last = latest.find((build) => build.environment === environment);
    const moved = last !== undefined && last.id !== buildId;
    const measured = runtime.ok ? runtime.value.environments.find((one) => one.releaseId === releaseId) : undefined;
    return html`<section class="card tile"><div class="card-body"><div class="tile-head">${badge('good', 'Live')}${environmentBadge(environment)}${moved && html`<a href="${pathOf('builds', last.id)}" class="tile-next">${buildBadge(last)}</a>`}</div>
<p class="tile-url">${externalLink(url)}</p>
<p class="quiet small">Released ${ago(activatedAt, now)}${commitSha !== null && html` · <code>${commitSha.slice(0, 7)}</code>`} · <a href="${pathOf('builds', buildId)}" title="${releaseId}">its build</a></p>
${measured !== undefined && runtimeLine(measured.state, now)}</div></section>`;
  })}</div>`;
}

function notDeployed(builds: Shown['builds']): Html {
  const last = builds.ok ? builds.value.items[0] : undefined;
  return emptyState({ icon: 'rocket', title: 'Nothing runs yet', text: whatIsMissing(last) });
}

function whatIsMissing(last: BuildSummary | undefined): string {
  if (last === undefined) return 'The first deploy builds the service and gives it an address.';
  if (!isTerminal(last.status)) return 'The service gets its address when the build below has gone through.';
  return 'No build of this service has gone through so far. The last one says what to mend.';
}

function builds({ builds: shown, service }: Shown, now: Date): Html {
  const beside = html`<a href="${pathOf('services', service.name, 'builds')}">All builds</a>`;
  return partCard({ title: 'Last builds', flush: true, beside }, shown, ({ items }) =>
    items.length === 0
      ? html`<p class="quiet">There is no build yet.</p>`
      : html`<ul class="rows">${items.map((build) => buildRow(build, now, { named: false }))}</ul>`,
  );
}

function settings(service: ServiceDetail, connection: Part<string | null>, person: Context['person']): Html {
  const { gitUrl, branch, appPath, dockerfilePath, port, authorizedOrgs, config, secrets } = service;
  const connects = person.kind === 'platform-admin' || (person.role === 'admin' && person.org === service.org);
  const connect = `/git?${new URLSearchParams({ service: service.name })}#connect`;
  const pushes = !connection.ok
    ? html`<a href="${GIT_PATH}">All repositories</a>`
    : connection.value !== null
      ? html`<a href="${connectionPath(connection.value)}">Its repository is connected</a>`
      : connects
        ? html`<a href="${connect}">Connect its repository</a>`
        : null;
  const count = (names: object, one: string, more: string): string => {
    const number = Object.keys(names).length;
    return `${number} ${number === 1 ? one : more}`;
  };
  return card(
    { title: 'Set-up' },
    facts([
      ['Source', gitUrl === null ? 'Uploaded folders' : externalLink(gitUrl)],
      ...(gitUrl === null ? [] : [['Branch', branch ?? 'default branch'] as const]),
      ...(pushes === null ? [] : [['Push deploys', pushes] as const]),
      ...(appPath === null ? [] : [['Folder', html`<code>${appPath}</code>`] as const]),
      ...(dockerfilePath === null ? [] : [['Container file', html`<code>${dockerfilePath}</code>`] as const]),
      ['Port', port === null ? 'found at each deploy' : port],
      [
        'Configuration',
        html`<a href="${pathOf('services', service.name, 'config')}">${count(config, 'variable', 'variables')}, ${count(secrets, 'secret', 'secrets')}</a>`,
      ],
      ...(authorizedOrgs.length === 0 ? [] : [['Shared with', authorizedOrgs.join(', ')] as const]),
    ]),
  );
}

function removal(context: Context, { name }: ServiceDetail): Html {
  return card(
    { title: 'Remove' },
    html`<p class="quiet">Ends what runs and forgets the service with its releases and configuration. Its name is free afterwards. Databases that it has are kept for some days (<code>DATABASE_GRACE_DAYS</code>, 7 by default): until then a service of that name in your org gets them back with its next deploy, data and backups included. Then a final backup is taken, and they are dropped.</p>
${confirmForm(context, {
  action: pathOf('services', name, 'remove'),
  ...{ label: 'Remove the service', button: `Remove ${name}`, hidden: { confirm: name } },
  question: html`This cannot be undone. Everything of <strong>${name}</strong> is removed; its databases are kept for some days.`,
})}`,
  );
}
