import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import type { ActingFor, ClientAdministration } from '../../domain/oauth-clients/administration-port.ts';
import {
  addScopesReplySchema,
  clientListSchema,
  clientViewSchema,
  clientWithSecretSchema,
  provisionReplySchema,
  removeAdditionsReplySchema,
  revokeScopesReplySchema,
  signInReplySchema,
} from '../../domain/oauth-clients/client-schema.ts';
import { createIdpCall, type IdpCall, type IdpConnection } from './idp-call.ts';

const BASE = '/api/internal/oauth-clients';
const removedSchema = z.object({ clientId: z.string() });

/** The identity provider's clients by its internal HTTP API. */
export function createClientAdministration(connection: IdpConnection): ClientAdministration {
  const call = createIdpCall(connection);
  const of = (clientId: string, ...rest: readonly string[]): string =>
    [BASE, ...[clientId, ...rest].map(encodeURIComponent)].join('/');
  return {
    provision: (body, signal) =>
      call(provisionReplySchema, { method: 'POST', path: `${BASE}/provision`, body, signal }),
    setSignIn: (body, signal) => call(signInReplySchema, { method: 'POST', path: `${BASE}/sign-in`, body, signal }),
    find: (clientId) => unlessMissing(call(clientViewSchema, { method: 'GET', path: of(clientId) })),
    list: ({ orgSlug, clientIds }, { cursor, limit }) =>
      call(clientListSchema, {
        method: 'POST',
        path: `${BASE}/search`,
        body: { orgSlug, clientIds, cursor, limit },
      }),
    create: (body, by) => call(clientWithSecretSchema, { method: 'POST', path: BASE, body, by }),
    update: (clientId, body, by) => call(clientViewSchema, { method: 'PATCH', path: of(clientId), body, by }),
    addScopes: (body, by, signal) =>
      call(addScopesReplySchema, { method: 'POST', path: `${BASE}/add-scopes`, body, by, signal }),
    revokeScopes: async (body, by) => {
      const path = `${BASE}/revoke-scopes`;
      return (await call(revokeScopesReplySchema, { method: 'POST', path, body, by })).clientIds;
    },
    removeAdditions: (body, by) =>
      call(removeAdditionsReplySchema, { method: 'POST', path: `${BASE}/remove-additions`, body, by }),
    remove: async (clientId, by) => {
      const removed = await unlessMissing(call(removedSchema, { method: 'DELETE', path: of(clientId), by }));
      return removed !== null;
    },
    ...secretsAndUris(call, of),
  };
}

function secretsAndUris(
  call: IdpCall,
  of: (clientId: string, ...rest: readonly string[]) => string,
): Pick<
  ClientAdministration,
  'addRedirectUri' | 'removeRedirectUri' | 'regenerateSecret' | 'addSecret' | 'removeSecret'
> {
  const uris = (method: 'POST' | 'DELETE') => (clientId: string, redirectUri: string, by: ActingFor) =>
    call(clientViewSchema, { method, path: of(clientId, 'redirect-uris'), body: { redirectUri }, by });
  const newSecret = (path: string) => (clientId: string, by: ActingFor) =>
    call(clientWithSecretSchema, { method: 'POST', path: of(clientId, path), by });
  return {
    addRedirectUri: uris('POST'),
    removeRedirectUri: uris('DELETE'),
    regenerateSecret: newSecret('regenerate-secret'),
    addSecret: newSecret('secrets'),
    removeSecret: (clientId, secretId, by) =>
      call(clientViewSchema, { method: 'DELETE', path: of(clientId, 'secrets', secretId), by }),
  };
}

async function unlessMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'CLIENT_NOT_FOUND') return null;
    throw error;
  }
}
