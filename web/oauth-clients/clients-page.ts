import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { type ClientView, clientListSchema } from '../../domain/oauth-clients/client-schema.ts';
import { isPlatformClient } from '../../domain/oauth-clients/platform-client.ts';
import { badge } from '../look/badge.ts';
import { card, emptyState, pagination, table } from '../look/components.ts';
import { field, form, select } from '../look/forms.ts';
import { ago } from '../look/time.ts';
import { definePage, type PageContext } from '../page.ts';
import { pathOf } from '../platform/platform.ts';

const PATH = '/clients';

/** Path of a client's page, or of a form below it. */
export function clientPage(clientId: string, ...rest: readonly string[]): string {
  return pathOf('clients', clientId, ...rest);
}

/** Path of a client at the builder, which decides whose it is. */
export function clientApi(clientId: string, ...rest: readonly string[]): string {
  return pathOf('oauth', 'clients', clientId, ...rest);
}

/** Whether forms that change clients are shown to this person; the builder decides whether they do. */
export function changesClients({ person }: Pick<PageContext, 'person'>): boolean {
  return person.kind === 'platform-admin' || person.role === 'member' || person.role === 'admin';
}

export const clientsPage = definePage({
  module: 'oauth-clients',
  path: PATH,
  summary: 'OAuth clients of the org and of its services',
  nav: { label: 'Clients', icon: 'key', group: 'people', order: 20 },
  callers: { 'platform-admin': true, user: 'viewer' },
  query: z.strictObject({ cursor: z.string().max(500).optional() }),
  load: ({ platform, query }) => platform.get('builder', '/oauth/clients', clientListSchema, { ...query }),
  view: ({ items, nextCursor }, context) => ({
    title: 'Clients',
    lead: 'Programs that people sign in to, and that get tokens. Each deployed service has one; others are made by hand.',
    body: html`${card(
      { flush: true },
      items.length === 0 && nextCursor === null
        ? emptyState({ icon: 'key', title: 'No clients yet', text: 'A service gets its client with its first deploy.' })
        : html`${table(
            'Clients',
            COLUMNS,
            items.map((client) => clientRow(client, context)),
          )}${pagination(PATH, nextCursor)}`,
    )}
${changesClients(context) && newClientCard(context)}`,
  }),
});

const COLUMNS = [
  { label: 'Client', kind: 'main' },
  { label: 'Service' },
  { label: 'Kind' },
  { label: 'Secrets' },
  { label: 'Changed' },
] as const;

function clientRow(client: ClientView, { now, person }: PageContext) {
  const { clientId, name, orgSlug, service, environment, updatedAt } = client;
  return [
    html`<a href="${clientPage(clientId)}">${name}</a><span class="sub">${clientId}${orgSlug !== person.org && ` · ${orgSlug}`}</span>`,
    service === null ? '' : html`<span><a href="${pathOf('services', service)}">${service}</a> ${environment}</span>`,
    isPlatformClient(clientId) ? 'of the platform' : client.clientType,
    secretState(client, now()),
    ago(updatedAt, now()),
  ];
}

const STALE_DAYS = 180;

/** How the secrets are, never what they are. */
export function secretState({ clientType, secrets }: ClientView, now: Date): Html {
  if (clientType === 'public') return html`<span class="quiet">none needed</span>`;
  if (secrets.length === 0) return badge('warn', 'No secret');
  const oldest = Math.min(...secrets.map(({ createdAt }) => Date.parse(createdAt)));
  if (secrets.length > 1) return badge('busy', 'Two secrets', 'key');
  if (now.getTime() - oldest > STALE_DAYS * 86_400_000) return badge('warn', 'Old secret', 'clock');
  return badge('good', 'One secret');
}

function newClientCard(context: PageContext): Html {
  return card(
    { title: 'New client' },
    form(context, {
      action: PATH,
      button: 'Make it',
      icon: 'plus',
      fields: (
        own,
      ) => html`${field(own, { name: 'name', label: 'Name', required: true, hint: 'People see it when they sign in.' })}
${select(own, {
  name: 'clientType',
  label: 'Kind',
  choices: [
    ['confidential', 'With a secret: a server that can keep one'],
    ['public', 'Without: an app on a phone, on a desk or in a browser'],
  ],
})}
${field(own, { name: 'redirectUris', label: 'Redirect URIs', rows: 3, mono: true, hint: 'One a line: where people come back to after signing in.', placeholder: 'https://shop.example/callback' })}`,
    }),
  );
}
