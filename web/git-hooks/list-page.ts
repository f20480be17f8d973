import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { serviceViewSchema } from '../../domain/catalog/service-schema.ts';
import { type ConnectionView, connectionViewSchema } from '../../domain/git-hooks/git-hook-schema.ts';
import { GIT_PROVIDERS } from '../../domain/git-provider.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { card, emptyState, linkButton, missingPart, pagination, table } from '../look/components.ts';
import { checkbox, field, form, select } from '../look/forms.ts';
import { definePage, type PageContext } from '../page.ts';
import { type Part, part } from '../platform/part.ts';
import { pathOf } from '../platform/platform.ts';
import {
  changesConnections,
  connectionPath,
  lastDelivery,
  PATH,
  PROVIDER_WORDS,
  READERS,
  ruleText,
  stateBadges,
} from './connection-words.ts';
import { ruleFields } from './rule-fields.ts';

const SERVICES = pageSchema(serviceViewSchema.pick({ name: true, org: true }));
/** Of the list to choose from. */
const MOST_SERVICES = 200;

/** Repositories of the org whose pushes deploy, and the form that connects one more. */
export const listPage = definePage({
  module: 'git-hooks',
  path: PATH,
  summary: 'Repositories whose pushes deploy services',
  nav: { label: 'Repositories', icon: 'branch', group: 'work', order: 20 },
  tab: { of: 'git', label: 'Repositories', order: 0 },
  callers: READERS,
  query: z.strictObject({ cursor: z.string().max(500).optional(), service: z.string().max(64).optional() }),
  load: async ({ platform, person, query: { cursor } }) => {
    const [connections, services] = await Promise.all([
      platform.get('builder', '/git/connections', pageSchema(connectionViewSchema), { cursor }),
      changesConnections({ person })
        ? part(platform.get('builder', '/services', SERVICES, { limit: MOST_SERVICES }))
        : null,
    ]);
    return { connections, services };
  },
  view: ({ connections: { items, nextCursor }, services }, context) => ({
    title: 'Push deploys',
    lead: 'Git repositories whose pushes deploy services. What deploys is what git answers, never what a delivery says.',
    body: html`${card(
      { flush: true },
      items.length === 0 && nextCursor === null
        ? nothing(context)
        : html`${table(
            'Repositories',
            COLUMNS,
            items.map((connection) => connectionRow(connection, context)),
          )}${pagination(PATH, nextCursor)}`,
    )}
${services !== null && connectCard(services, context)}`,
  }),
});

const COLUMNS = [
  { label: 'Repository', kind: 'main' },
  { label: 'Services and rules' },
  { label: 'State' },
  { label: 'Last delivery' },
] as const;

function nothing(context: PageContext): Html {
  const connects = changesConnections(context);
  return emptyState({
    ...{ icon: 'branch', title: 'No repository is connected' },
    text: connects
      ? 'Connect the repository of a service: from then on a push deploys it.'
      : 'An admin of the organisation connects the repository of a service: from then on a push deploys it.',
    ...(connects ? { action: linkButton('#connect', 'Connect a repository', { icon: 'plus', primary: true }) } : {}),
  });
}

function connectionRow(connection: ConnectionView, { now, person }: PageContext) {
  const { id, org, repository, provider, services } = connection;
  return [
    html`<a href="${connectionPath(id)}">${repository.replace(/^https?:\/\//, '')}</a><span class="sub">${PROVIDER_WORDS[provider]}${org !== person.org && ` · ${org}`}</span>`,
    html`<div>${services.map(({ service, rules }) => html`<div><a href="${pathOf('services', service)}">${service}</a>${rules.map((rule) => html`<span class="sub">${ruleText(rule)}</span>`)}</div>`)}</div>`,
    stateBadges(connection),
    lastDelivery(connection, now()),
  ];
}

function connectCard(
  services: Part<z.output<typeof SERVICES>>,
  context: PageContext<object, { service?: string | undefined }>,
): Html {
  const { person, query } = context;
  const own = services.ok
    ? services.value.items.filter(({ org }) => person.kind === 'platform-admin' || org === person.org)
    : [];
  const title = { title: 'Connect a repository', id: 'connect' };
  if (!services.ok) return card(title, missingPart(services.error));
  if (own.length === 0) {
    return card(title, html`<p class="quiet">There is no service yet. <a href="/start">Deploy one first.</a></p>`);
  }
  return card(
    title,
    form(context, {
      action: PATH,
      button: 'Connect it',
      icon: 'link',
      fields: (form) => html`<div class="field-row">${select(form, {
        ...{ name: 'service', label: 'Service' },
        ...(query.service === undefined ? {} : { value: query.service }),
        choices: own.map(({ name }) => [name, name] as const),
      })}
${select(form, {
  ...{ name: 'provider', label: 'Git host' },
  choices: GIT_PROVIDERS.map((provider) => [provider, PROVIDER_WORDS[provider]] as const),
})}</div>
${field(form, { name: 'repository', label: 'Repository', mono: true, placeholder: 'https://github.com/acme/shop', hint: 'Left empty: the one that the service is built from.' })}
${ruleFields(form, 'Without a name: the branch of the service to prod. * stands for any characters.', false)}
<hr>${field(form, { name: 'token', label: 'API token', type: 'password', mono: true, hint: 'Of the git host: the hook is registered by it, and commits show how deploys go. It is never shown again. Without one, you add the hook by hand.' })}
${field(form, { name: 'apiUrl', label: 'Address of its API', mono: true, hint: 'Only where the API is not beside the repository.' })}
${field(form, { name: 'pollMinutes', label: 'Minutes between two looks', type: 'number', hint: 'Only where no hook can arrive: the repository is polled until the first delivery.' })}
${checkbox(form, { name: 'plainToken', label: 'Plain token instead of signatures', hint: 'Only for a GitLab that does not sign. It is weaker: it proves nothing about what was sent.' })}`,
    }),
  );
}
