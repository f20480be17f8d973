import { z } from 'zod';
import { clientViewSchema, clientWithSecretSchema, pathIdSchema } from '../../domain/oauth-clients/client-schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { requireSuperAdmin } from './administrator.ts';
import { addSecret, regenerateSecret, removeSecret } from './client-secrets.ts';

const CLIENT = '/api/internal/oauth-clients/:clientId';
const tag = 'oauth clients';
const params = z.strictObject({ clientId: pathIdSchema });

/** Secrets of a client: each is shown once, in the answer to the call that made it. */
export function secretRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'post',
      path: `${CLIENT}/secrets`,
      summary: 'Add a second secret; the first stays until it is removed',
      tag,
      callers: 'platform',
      params,
      responses: { 201: { description: 'The client with the new secret', schema: clientWithSecretSchema } },
      errors: ['CLIENT_NOT_FOUND', 'CLIENT_SECRETS_FULL', 'CONFLICT'],
      handle: async ({ params: { clientId } }, context) => {
        requireSuperAdmin(context.caller);
        return { status: 201, data: await addSecret(deps, context, clientId) };
      },
    }),
    defineRoute({
      method: 'delete',
      path: `${CLIENT}/secrets/:secretId`,
      summary: 'Remove a secret',
      tag,
      callers: 'platform',
      params: params.extend({ secretId: pathIdSchema }),
      responses: { 200: { description: 'The client without it', schema: clientViewSchema } },
      errors: ['CLIENT_NOT_FOUND', 'NOT_FOUND'],
      handle: async ({ params: { clientId, secretId } }, context) => {
        requireSuperAdmin(context.caller);
        return { status: 200, data: await removeSecret(deps, context, clientId, secretId) };
      },
    }),
    defineRoute({
      method: 'post',
      path: `${CLIENT}/regenerate-secret`,
      summary: 'Put one new secret in the place of all',
      tag,
      callers: 'platform',
      params,
      responses: { 200: { description: 'The client with the new secret', schema: clientWithSecretSchema } },
      errors: ['CLIENT_NOT_FOUND', 'CONFLICT'],
      handle: async ({ params: { clientId } }, context) => {
        requireSuperAdmin(context.caller);
        return { status: 200, data: await regenerateSecret(deps, context, clientId) };
      },
    }),
  ];
}
