import { z } from 'zod';
import { decideClientPatch } from '../../domain/oauth-clients/administration.ts';
import {
  clientListSchema,
  clientPatchSchema,
  clientViewSchema,
  clientWithSecretSchema,
  newClientSchema,
  pathIdSchema,
  redirectUriBodySchema,
} from '../../domain/oauth-clients/client-schema.ts';
import { refusedInCreation } from '../../domain/oauth-clients/creation.ts';
import { pageQueryShape } from '../../domain/page-schema.ts';
import { requireCaller } from '../catalog/access.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { administratorOf, refuseFields } from './administrator.ts';
import type { BuilderClientsDeps } from './builder-deps.ts';
import { builderSecretRoutes } from './builder-secret-routes.ts';
import { listOwnedClients, requireOwnedClient, requireProvider } from './client-access.ts';
import { requireFound } from './require-client.ts';
import { forgetCredential } from './service-credential.ts';
import { sessionInfoRoute } from './session-info-route.ts';

const tag = 'oauth clients';
const path = '/oauth/clients/:clientId';
const params = z.strictObject({ clientId: pathIdSchema });
const responses = { 200: { description: 'The client as the identity provider has it', schema: clientViewSchema } };

/** OAuth clients through the builder (spec 1, "Builder routes for OAuth clients"): each caller sees their org's alone. */
export function builderClientRoutes(deps: BuilderClientsDeps): readonly Route[] {
  return [
    ...collectionRoutes(deps),
    ...recordRoutes(deps),
    ...redirectUriRoutes(deps),
    ...builderSecretRoutes(deps),
    sessionInfoRoute(deps),
  ];
}

function collectionRoutes(deps: BuilderClientsDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/oauth/clients',
      summary: 'Clients the caller’s org owns, by id',
      description: 'A page may be shorter than its limit; nextCursor alone says whether more follows.',
      tag,
      callers: 'viewer',
      query: z.strictObject(pageQueryShape),
      responses: { 200: { description: 'A page of clients', schema: clientListSchema } },
      handle: async ({ query: { cursor = null, limit } }, { caller }) => {
        return { status: 200, data: await listOwnedClients(deps, requireCaller(caller), { cursor, limit }) };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/oauth/clients',
      summary: 'Create a client of the caller’s org',
      description:
        'Scopes openid, profile, email and grants authorization_code, refresh_token; more needs a super admin.',
      tag,
      callers: 'member',
      body: newClientSchema,
      responses: { 201: { description: 'The client with its secret', schema: clientWithSecretSchema } },
      errors: ['CLIENT_EXISTS', 'ORG_NOT_FOUND', 'INVALID_REDIRECT_URI', 'UNAVAILABLE'],
      handle: async ({ body }, context) => {
        const caller = requireCaller(context.caller);
        refuseFields(refusedInCreation(body, administratorOf(caller), caller.org));
        const wanted = { ...body, orgSlug: body.orgSlug ?? caller.org };
        return { status: 201, data: await requireProvider(deps).create(wanted, { actor: caller.name }) };
      },
    }),
  ];
}

function recordRoutes(deps: BuilderClientsDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path,
      summary: 'One client',
      tag,
      callers: 'viewer',
      params,
      responses,
      errors: ['CLIENT_NOT_FOUND', 'UNAVAILABLE'],
      handle: async ({ params: { clientId } }, { caller }) => {
        const { client } = await requireOwnedClient(deps, requireCaller(caller), clientId);
        return { status: 200, data: client };
      },
    }),
    defineRoute({
      method: 'patch',
      path,
      summary: 'Change a client',
      description: 'Fields that cannot be changed are dropped. Fields that are not the caller’s to change are refused.',
      tag,
      callers: 'member',
      params,
      body: clientPatchSchema,
      responses,
      errors: ['CLIENT_NOT_FOUND', 'INVALID_REDIRECT_URI', 'UNAVAILABLE'],
      handle: async ({ params: { clientId }, body }, context) => {
        const caller = requireCaller(context.caller);
        const { client } = await requireOwnedClient(deps, caller, clientId);
        const { changes, fields, refused } = decideClientPatch(client, body, administratorOf(caller));
        refuseFields(refused);
        if (fields.length === 0) return { status: 200, data: client };
        return { status: 200, data: await requireProvider(deps).update(clientId, changes, { actor: caller.name }) };
      },
    }),
    defineRoute({
      method: 'delete',
      path,
      summary: 'Delete a client; its tokens end, and a service’s next deploy makes a new one',
      tag,
      callers: 'admin',
      params,
      responses: { 200: { description: 'The client is gone', schema: z.object({ clientId: z.string() }) } },
      errors: ['CLIENT_NOT_FOUND', 'UNAVAILABLE'],
      handle: async ({ params: { clientId } }, context) => {
        const caller = requireCaller(context.caller);
        const owned = await requireOwnedClient(deps, caller, clientId);
        const removed = await requireProvider(deps).remove(clientId, { actor: caller.name });
        await forgetCredential(deps, owned);
        requireFound(removed ? owned : null, clientId);
        return { status: 200, data: { clientId } };
      },
    }),
  ];
}

function redirectUriRoutes(deps: BuilderClientsDeps): readonly Route[] {
  return (['post', 'delete'] as const).map((method) =>
    defineRoute({
      method,
      path: `${path}/redirect-uris`,
      summary: method === 'post' ? 'Register a redirect URI' : 'Take a redirect URI away',
      tag,
      callers: 'member',
      params,
      body: redirectUriBodySchema,
      responses,
      errors: ['CLIENT_NOT_FOUND', 'INVALID_REDIRECT_URI', 'UNAVAILABLE'],
      handle: async ({ params: { clientId }, body: { redirectUri } }, context) => {
        const caller = requireCaller(context.caller);
        await requireOwnedClient(deps, caller, clientId);
        const provider = requireProvider(deps);
        const change = method === 'post' ? provider.addRedirectUri : provider.removeRedirectUri;
        return { status: 200, data: await change(clientId, redirectUri, { actor: caller.name }) };
      },
    }),
  );
}
