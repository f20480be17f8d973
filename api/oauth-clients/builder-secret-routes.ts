import { z } from 'zod';
import { clientViewSchema, clientWithSecretSchema, pathIdSchema } from '../../domain/oauth-clients/client-schema.ts';
import { requireCaller } from '../catalog/access.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { BuilderClientsDeps } from './builder-deps.ts';
import { requireOwnedClient, requireProvider } from './client-access.ts';
import { rotateSecret } from './service-credential.ts';

const CLIENT = '/oauth/clients/:clientId';
const tag = 'oauth clients';
const params = z.strictObject({ clientId: pathIdSchema });

/** Secrets of clients through the builder. A service's new secret is injected with its next deploy. */
export function builderSecretRoutes(deps: BuilderClientsDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'post',
      path: `${CLIENT}/secrets`,
      summary: 'Add a second secret; the first stays until it is removed',
      tag,
      callers: 'member',
      params,
      responses: { 201: { description: 'The client with the new secret', schema: clientWithSecretSchema } },
      errors: ['CLIENT_NOT_FOUND', 'CLIENT_SECRETS_FULL', 'CONFLICT', 'UNAVAILABLE'],
      handle: async ({ params: { clientId } }, context) => {
        const caller = requireCaller(context.caller);
        const owned = await requireOwnedClient(deps, caller, clientId);
        const add = () => requireProvider(deps).addSecret(clientId, { actor: caller.name });
        return { status: 201, data: await rotateSecret(deps, owned, add) };
      },
    }),
    defineRoute({
      method: 'delete',
      path: `${CLIENT}/secrets/:secretId`,
      summary: 'Remove a secret',
      tag,
      callers: 'member',
      params: params.extend({ secretId: pathIdSchema }),
      responses: { 200: { description: 'The client without it', schema: clientViewSchema } },
      errors: ['CLIENT_NOT_FOUND', 'NOT_FOUND', 'UNAVAILABLE'],
      handle: async ({ params: { clientId, secretId } }, context) => {
        const caller = requireCaller(context.caller);
        await requireOwnedClient(deps, caller, clientId);
        const data = await requireProvider(deps).removeSecret(clientId, secretId, { actor: caller.name });
        return { status: 200, data };
      },
    }),
    defineRoute({
      method: 'post',
      path: `${CLIENT}/regenerate-secret`,
      summary: 'Put one new secret in the place of all',
      tag,
      callers: 'member',
      params,
      responses: { 200: { description: 'The client with the new secret', schema: clientWithSecretSchema } },
      errors: ['CLIENT_NOT_FOUND', 'CONFLICT', 'UNAVAILABLE'],
      handle: async ({ params: { clientId } }, context) => {
        const caller = requireCaller(context.caller);
        const owned = await requireOwnedClient(deps, caller, clientId);
        const regenerate = () => requireProvider(deps).regenerateSecret(clientId, { actor: caller.name });
        return { status: 200, data: await rotateSecret(deps, owned, regenerate) };
      },
    }),
  ];
}
