import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { type ClientView, clientViewSchema } from '../../domain/oauth-clients/client-schema.ts';
import { isPlatformClient } from '../../domain/oauth-clients/platform-client.ts';
import { SERVICE_CALLBACK_PATH } from '../../domain/oauth-clients/redirect-uri.ts';
import { badge } from '../look/badge.ts';
import { card, facts, notice, table } from '../look/components.ts';
import { confirmForm, field, form } from '../look/forms.ts';
import { ago, duration, moment } from '../look/time.ts';
import { definePage, type PageContext } from '../page.ts';
import { pathOf } from '../platform/platform.ts';
import { changesClients, clientApi, clientPage, secretState } from './clients-page.ts';

export const clientDetailPage = definePage({
  module: 'oauth-clients',
  path: '/clients/:clientId',
  summary: 'One OAuth client: redirect URIs, scopes, the state of its secrets',
  callers: { 'platform-admin': true, user: 'viewer' },
  params: z.strictObject({ clientId: z.string().max(200) }),
  load: ({ platform, params: { clientId } }) => platform.get('builder', clientApi(clientId), clientViewSchema),
  people: ({ createdBy, orgSlug }) => ({ ids: [createdBy], org: orgSlug }),
  view: (client, context) => {
    const { clientId, name, description } = client;
    const changes = changesClients(context) && !isPlatformClient(clientId);
    const removes = changes && (context.person.kind === 'platform-admin' || context.person.role === 'admin');
    return {
      title: name,
      crumbs: [['Clients', '/clients']],
      beside: secretState(client, context.now()),
      lead: description === '' ? html`<code>${clientId}</code>` : html`<code>${clientId}</code> · ${description}`,
      body: html`${isPlatformClient(clientId) && notice('info', html`<p>This client is the platform's own: only the settings of the installation change it.</p>`)}
<div class="columns"><div>${urisCard(client, changes, context)}${client.clientType === 'confidential' && secretsCard(client, changes, context)}
${changes && settingsCard(client, context)}</div><div>${aboutCard(client, context)}${scopesCard(client)}${removes && removeCard(client, context)}</div></div>`,
    };
  },
});

function urisCard({ clientId, redirectUris, service }: ClientView, changes: boolean, context: PageContext): Html {
  const rows = redirectUris.map(
    (uri) =>
      html`<li><span class="row-main mono">${uri}</span>${
        changes &&
        confirmForm(context, {
          ...{ action: clientPage(clientId, 'redirect-uris', 'remove'), label: 'Remove', button: 'Remove it' },
          ...{ hidden: { redirectUri: uri }, question: 'Who signs in is not sent back there any more.' },
        })
      }</li>`,
  );
  return card(
    { title: 'Redirect URIs', flush: true },
    html`${rows.length === 0 ? html`<p class="quiet">None: nobody can sign in by a browser.</p>` : html`<ul class="rows">${rows}</ul>`}
${
  changes &&
  form(context, {
    ...{ action: clientPage(clientId, 'redirect-uris'), button: 'Add', tone: 'plain' },
    fields: (own) =>
      field(own, {
        ...{ name: 'redirectUri', label: 'One more', mono: true, required: true },
        hint: service === null ? 'https, or http on the loopback.' : `Its path is ${SERVICE_CALLBACK_PATH}.`,
      }),
  })
}`,
  );
}

function secretsCard({ clientId, secrets, service }: ClientView, changes: boolean, context: PageContext): Html {
  const columns = [
    { label: 'Secret', kind: 'main' },
    { label: 'Made' },
    { label: 'Last used' },
    { label: 'Remove', kind: 'actions' },
  ] as const;
  const rows = secrets.map(({ id, createdAt, lastUsedAt }) => [
    html`<code>${id}</code>`,
    ago(createdAt, context.now()),
    lastUsedAt === null ? html`<span class="quiet">never</span>` : ago(lastUsedAt, context.now()),
    changes &&
      confirmForm(context, {
        ...{ action: clientPage(clientId, 'secrets', id, 'remove'), label: 'Remove', button: 'Remove it' },
        question: 'Who still uses it is refused from now on.',
      }),
  ]);
  const deployed = service !== null && ' The next deploy of the service gets it by itself.';
  return card(
    { title: 'Secrets', flush: true },
    html`<p class="quiet">Nobody can read a secret: it is shown once, when it is made.${deployed}</p>
${rows.length > 0 && table('Secrets', columns, rows)}
${changes && html`<div class="buttons inset">${secrets.length < 2 && form(context, { action: clientPage(clientId, 'secrets'), button: 'Make a second one', icon: 'plus', tone: 'plain' })}${confirmForm(context, { action: clientPage(clientId, 'secrets', 'replace'), label: 'Replace all', icon: 'undo', button: 'Replace them', question: 'One new secret takes the place of all. Who uses an old one is refused from now on.' })}</div>`}`,
  );
}

function settingsCard(client: ClientView, context: PageContext): Html {
  const { clientId, name, description, accessTokenTtlSeconds, refreshTokenTtlSeconds, postLogoutRedirectUris } = client;
  return card(
    { title: 'Settings' },
    form(context, {
      action: clientPage(clientId, 'settings'),
      button: 'Save',
      fields: (own) => html`${field(own, { name: 'name', label: 'Name', value: name, required: true })}
${field(own, { name: 'description', label: 'Description', value: description, rows: 2 })}
${field(own, { name: 'postLogoutRedirectUris', label: 'Addresses after signing out', value: postLogoutRedirectUris.join('\n'), rows: 2, mono: true, hint: 'One a line.' })}
<div class="field-row">${field(own, { name: 'accessTokenTtlSeconds', label: 'Access token, seconds', type: 'number', value: String(accessTokenTtlSeconds), hint: '60 to 3600' })}
${field(own, { name: 'refreshTokenTtlSeconds', label: 'Refresh token, seconds', type: 'number', value: String(refreshTokenTtlSeconds), hint: '3600 to 7776000' })}</div>`,
    }),
  );
}

const RULE_WORDS = { anyone: 'anybody with an account', members: 'people of the organisation' } as const;

function aboutCard(client: ClientView, { who }: PageContext): Html {
  const { orgSlug, service, environment, clientType, signIn, trustedClient, createdAt, createdBy } = client;
  return card(
    { title: 'About' },
    facts([
      ['Organisation', html`<a href="${pathOf('orgs', orgSlug)}">${orgSlug}</a>`],
      ...(service === null
        ? []
        : [['Service', html`<a href="${pathOf('services', service)}">${service}</a> ${environment}`] as const]),
      ['Kind', clientType],
      ['Who may sign in', RULE_WORDS[signIn]],
      ['Asks people to agree', trustedClient ? 'no, it is trusted' : 'yes'],
      ['Access tokens live', duration(client.accessTokenTtlSeconds * 1_000)],
      ['Made', html`${moment(createdAt)} by ${who(createdBy)}`],
    ]),
  );
}

function scopesCard({ allowedScopes, allowedGrantTypes, defaultAudience }: ClientView): Html {
  const words = (list: readonly string[]) => html`${list.map((word) => html`<code class="word">${word}</code> `)}`;
  return card(
    { title: 'What it may ask for' },
    facts([
      ['Scopes', allowedScopes.length === 0 ? badge('quiet', 'None') : words(allowedScopes)],
      ['Grants', words(allowedGrantTypes)],
      ...(defaultAudience.length === 0 ? [] : [['Tokens are for', words(defaultAudience)] as const]),
    ]),
  );
}

function removeCard({ clientId, service }: ClientView, context: PageContext): Html {
  return card(
    { title: 'Remove' },
    confirmForm(context, {
      ...{ action: clientPage(clientId, 'remove'), label: 'Remove the client', icon: 'x', button: 'Remove it' },
      question: html`Its tokens end at once, and what people agreed to is forgotten.${service !== null && ' The next deploy of the service makes a new one.'}`,
    }),
  );
}
