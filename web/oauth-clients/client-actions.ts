import { z } from 'zod';
import { html } from '../../api/http/pages/html.ts';
import {
  type ClientWithSecret,
  clientViewSchema,
  clientWithSecretSchema,
} from '../../domain/oauth-clients/client-schema.ts';
import { codeBlock, facts, linkButton, notice } from '../look/components.ts';
import { type Action, defineAction, type PageView } from '../page.ts';
import { clientApi, clientPage } from './clients-page.ts';

const params = z.strictObject({ clientId: z.string().max(200) });
const backTo = ({ clientId }: z.output<typeof params>): string => clientPage(clientId);
const WRITERS = { 'platform-admin': true, user: 'member' } as const;
const row = { module: 'oauth-clients', callers: WRITERS } as const;
const lines = (text: string): string[] =>
  text
    .split(/\s+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The one page that ever shows a secret: the answer to the form that made it. */
function secretPage({ clientId, name, clientSecret, service }: ClientWithSecret, title: string): PageView {
  return {
    title,
    crumbs: [
      ['Clients', '/clients'],
      [name, clientPage(clientId)],
    ],
    body: html`${notice('warn', html`<p>Copy the secret now: nobody can read it later. Sending this form again makes another one.</p>`)}
${facts([['Client', html`<code>${clientId}</code>`]])}
${codeBlock('Secret of the client', clientSecret ?? '')}
${service !== null && html`<p>The next deploy of ${service} gets it by itself.</p>`}
<div class="buttons">${linkButton(clientPage(clientId), 'I have copied it', { primary: true })}</div>`,
  };
}

const createClient = defineAction({
  ...row,
  path: '/clients',
  summary: 'Makes an OAuth client; its secret is shown this once',
  body: z.object({
    name: z.string().trim().max(200),
    clientType: z.enum(['confidential', 'public']),
    redirectUris: z.string().max(20_000).default(''),
  }),
  back: () => '/clients',
  run: async ({ platform, body: { redirectUris, ...body } }) => {
    const made = await platform.send('builder', 'POST', '/oauth/clients', clientWithSecretSchema, {
      body: { ...body, redirectUris: lines(redirectUris) },
    });
    if (made.clientSecret !== null) return { shown: secretPage(made, `${made.name} is made`) };
    return { to: clientPage(made.clientId), notice: `${made.name} is made. It needs no secret.` };
  },
});

const addUri = defineAction({
  ...row,
  path: '/clients/:clientId/redirect-uris',
  summary: 'Registers a redirect URI',
  params,
  body: z.object({ redirectUri: z.string().trim().min(1).max(2_000) }),
  back: backTo,
  run: async ({ platform, params: { clientId }, body }) => {
    await platform.send('builder', 'POST', clientApi(clientId, 'redirect-uris'), clientViewSchema, { body });
    return { to: clientPage(clientId), notice: 'The redirect URI is registered.' };
  },
});

const removeUri = defineAction({
  ...row,
  path: '/clients/:clientId/redirect-uris/remove',
  summary: 'Removes a redirect URI',
  params,
  body: z.object({ redirectUri: z.string().max(2_000) }),
  back: backTo,
  run: async ({ platform, params: { clientId }, body }) => {
    await platform.send('builder', 'DELETE', clientApi(clientId, 'redirect-uris'), clientViewSchema, { body });
    return { to: clientPage(clientId), notice: 'The redirect URI is removed.' };
  },
});

const addSecret = defineAction({
  ...row,
  path: '/clients/:clientId/secrets',
  summary: 'Makes a second secret, which is shown this once',
  params,
  back: backTo,
  run: async ({ platform, params: { clientId } }) => {
    const made = await platform.send('builder', 'POST', clientApi(clientId, 'secrets'), clientWithSecretSchema);
    return { shown: secretPage(made, 'A second secret') };
  },
});

const replaceSecrets = defineAction({
  ...row,
  path: '/clients/:clientId/secrets/replace',
  summary: 'Replaces all secrets by a new one, which is shown this once',
  params,
  back: backTo,
  run: async ({ platform, params: { clientId } }) => {
    const made = await platform.send(
      'builder',
      'POST',
      clientApi(clientId, 'regenerate-secret'),
      clientWithSecretSchema,
    );
    return { shown: secretPage(made, 'The new secret') };
  },
});

const removeSecret = defineAction({
  ...row,
  path: '/clients/:clientId/secrets/:secretId/remove',
  summary: 'Removes a secret',
  params: params.extend({ secretId: z.string().max(200) }),
  back: backTo,
  run: async ({ platform, params: { clientId, secretId } }) => {
    await platform.send('builder', 'DELETE', clientApi(clientId, 'secrets', secretId), clientViewSchema);
    return { to: clientPage(clientId), notice: 'The secret is removed.' };
  },
});

const changeSettings = defineAction({
  ...row,
  path: '/clients/:clientId/settings',
  summary: 'Changes name, description, token lifetimes and addresses after signing out',
  params,
  body: z.object({
    name: z.string().trim().max(200),
    description: z.string().max(2_000),
    postLogoutRedirectUris: z.string().max(20_000),
    accessTokenTtlSeconds: z.coerce.number(),
    refreshTokenTtlSeconds: z.coerce.number(),
  }),
  back: backTo,
  run: async ({ platform, params: { clientId }, body: { postLogoutRedirectUris, ...body } }) => {
    await platform.send('builder', 'PATCH', clientApi(clientId), clientViewSchema, {
      body: { ...body, postLogoutRedirectUris: lines(postLogoutRedirectUris) },
    });
    return { to: clientPage(clientId), notice: 'The settings are saved.' };
  },
});

const removeClient = defineAction({
  module: 'oauth-clients',
  callers: { 'platform-admin': true, user: 'admin' },
  path: '/clients/:clientId/remove',
  summary: 'Removes a client with its tokens',
  params,
  back: backTo,
  run: async ({ platform, params: { clientId } }) => {
    await platform.send('builder', 'DELETE', clientApi(clientId), z.object({ clientId: z.string() }));
    return { to: '/clients', notice: `${clientId} is removed.` };
  },
});

export const clientActions: readonly Action[] = [
  ...[createClient, addUri, removeUri, addSecret, replaceSecrets, removeSecret],
  ...[changeSettings, removeClient],
];
