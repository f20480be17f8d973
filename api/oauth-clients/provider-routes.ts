import { z } from 'zod';
import {
  clientListSchema,
  clientPatchSchema,
  clientView,
  clientViewSchema,
  clientWithSecretSchema,
  newClientSchema,
  pathIdSchema,
  provisionBodySchema,
  provisionReplySchema,
  redirectUriBodySchema,
  searchBodySchema,
} from '../../domain/oauth-clients/client-schema.ts';
import { pageQueryShape } from '../../domain/page-schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { requireSuperAdmin } from './administrator.ts';
import { addRedirectUri, changeClient, deleteClient, removeRedirectUri } from './change-client.ts';
import { createClient } from './create-client.ts';
import { secretRoutes } from './provider-secret-routes.ts';
import { provisionClient } from './provision-client.ts';
import { requireClient } from './require-client.ts';

const BASE = '/api/internal/oauth-clients';
const tag = 'oauth clients';
const params = z.strictObject({ clientId: pathIdSchema });
const client = { description: 'The client', schema: clientViewSchema };

/** OAuth clients at the identity provider: for the builder by its internal key, and for super admins. */
export function clientRoutes(deps: IdentityDeps): readonly Route[] {
  return [...provisioningRoutes(deps), ...recordRoutes(deps), ...secretRoutes(deps), trustedSignupRoute(deps)];
}

function provisioningRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'post',
      path: `${BASE}/provision`,
      summary: 'Make the client of a service and environment, or add what a deploy derives',
      description: 'Lists are only added to; the passport fields are written as given. A secret is shown this once.',
      tag,
      callers: 'platform',
      body: provisionBodySchema,
      responses: { 200: { description: 'The client is in place', schema: provisionReplySchema } },
      errors: ['CLIENT_NOT_FOUND', 'CLIENT_EXISTS', 'INVALID_REDIRECT_URI'],
      handle: async ({ body }, context) => {
        requireSuperAdmin(context.caller);
        return { status: 200, data: await provisionClient(deps, context, body) };
      },
    }),
    defineRoute({
      method: 'post',
      path: `${BASE}/search`,
      summary: 'Clients of an org, and others by id',
      tag,
      callers: 'platform',
      body: searchBodySchema,
      responses: { 200: { description: 'A page of clients by id', schema: clientListSchema } },
      handle: async ({ body: { orgSlug, clientIds, cursor, limit } }, { caller }) => {
        requireSuperAdmin(caller);
        const page = await deps.clients.list({ orgSlug, clientIds }, { cursor, limit });
        return { status: 200, data: { items: page.items.map(clientView), nextCursor: page.nextCursor } };
      },
    }),
    defineRoute({
      method: 'get',
      path: BASE,
      summary: 'Clients by id',
      tag,
      callers: 'platform',
      query: z.strictObject({ ...pageQueryShape, orgSlug: z.string().min(1).max(63).optional() }),
      responses: { 200: { description: 'A page of clients by id', schema: clientListSchema } },
      handle: async ({ query: { orgSlug = null, cursor = null, limit } }, { caller }) => {
        requireSuperAdmin(caller);
        const page = await deps.clients.list({ orgSlug, clientIds: [] }, { cursor, limit });
        return { status: 200, data: { items: page.items.map(clientView), nextCursor: page.nextCursor } };
      },
    }),
    defineRoute({
      method: 'post',
      path: BASE,
      summary: 'Make a client',
      tag,
      callers: 'platform',
      body: newClientSchema,
      responses: { 201: { description: 'The client with its secret', schema: clientWithSecretSchema } },
      errors: ['CLIENT_EXISTS', 'ORG_NOT_FOUND', 'INVALID_REDIRECT_URI'],
      handle: async ({ body }, context) => {
        const { org } = requireSuperAdmin(context.caller);
        const data = await createClient(deps, context, { ...body, orgSlug: body.orgSlug ?? org });
        return { status: 201, data };
      },
    }),
  ];
}

function recordRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: `${BASE}/:clientId`,
      summary: 'One client',
      tag,
      callers: 'platform',
      params,
      responses: { 200: client },
      errors: ['CLIENT_NOT_FOUND'],
      handle: async ({ params: { clientId } }, { caller }) => {
        requireSuperAdmin(caller);
        return { status: 200, data: clientView(await requireClient(deps.clients, clientId)) };
      },
    }),
    defineRoute({
      method: 'patch',
      path: `${BASE}/:clientId`,
      summary: 'Change a client',
      description: 'Fields that cannot be changed are dropped; trustedInviteSignup is refused here.',
      tag,
      callers: 'platform',
      params,
      body: clientPatchSchema,
      responses: { 200: client },
      errors: ['CLIENT_NOT_FOUND', 'INVALID_REDIRECT_URI'],
      handle: async ({ params: { clientId }, body: patch }, context) => {
        requireSuperAdmin(context.caller);
        const changed = await changeClient(deps, context, { clientId, patch, by: 'super_admin' });
        return { status: 200, data: clientView(changed) };
      },
    }),
    defineRoute({
      method: 'delete',
      path: `${BASE}/:clientId`,
      summary: 'Delete a client; its tokens end with it',
      tag,
      callers: 'platform',
      params,
      responses: { 200: { description: 'The client is gone', schema: z.object({ clientId: z.string() }) } },
      errors: ['CLIENT_NOT_FOUND'],
      handle: async ({ params: { clientId } }, context) => {
        requireSuperAdmin(context.caller);
        await deleteClient(deps, context, clientId);
        return { status: 200, data: { clientId } };
      },
    }),
    ...(['post', 'delete'] as const).map((method) =>
      defineRoute({
        method,
        path: `${BASE}/:clientId/redirect-uris`,
        summary: method === 'post' ? 'Register a redirect URI' : 'Take a redirect URI away',
        tag,
        callers: 'platform',
        params,
        body: redirectUriBodySchema,
        responses: { 200: client },
        errors: ['CLIENT_NOT_FOUND', 'INVALID_REDIRECT_URI'],
        handle: async ({ params: { clientId }, body: { redirectUri } }, context) => {
          requireSuperAdmin(context.caller);
          const change = method === 'post' ? addRedirectUri : removeRedirectUri;
          return { status: 200, data: clientView(await change(deps, context, clientId, redirectUri)) };
        },
      }),
    ),
  ];
}

/** The one field that neither the builder nor a key may set (spec 1, D 4). */
function trustedSignupRoute(deps: IdentityDeps): Route {
  return defineRoute({
    method: 'patch',
    path: '/api/admin/oauth-clients/:clientId',
    summary: 'Let a client sign invited people up by itself, or not any more',
    description: "Only a platform super admin's own browser session: no token, no service key, no internal key.",
    tag,
    callers: 'super_admin_session',
    params,
    body: z.strictObject({ trustedInviteSignup: z.boolean() }),
    responses: { 200: client },
    errors: ['CLIENT_NOT_FOUND'],
    handle: async ({ params: { clientId }, body: patch }, context) => {
      const changed = await changeClient(deps, context, { clientId, patch, by: 'super_admin_session' });
      return { status: 200, data: clientView(changed) };
    },
  });
}
