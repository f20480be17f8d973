import { z } from 'zod';
import {
  addScopesBodySchema,
  addScopesReplySchema,
  clientListSchema,
  clientView,
  provisionBodySchema,
  provisionReplySchema,
  removeAdditionsBodySchema,
  removeAdditionsReplySchema,
  revokeScopesBodySchema,
  revokeScopesReplySchema,
  searchBodySchema,
  signInBodySchema,
  signInReplySchema,
} from '../../domain/oauth-clients/client-schema.ts';
import { pageQueryShape } from '../../domain/page-schema.ts';
import { ADMINISTRATORS } from '../http/allowed-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { addScopes } from './add-scopes.ts';
import { changeClient } from './change-client.ts';
import { CLIENT_REPLY, CLIENT_TAG, clientParams, clientRoutes } from './client-routes.ts';
import { providerActions } from './provider-actions.ts';
import { provisionClient } from './provision-client.ts';
import { removeAdditions } from './remove-additions.ts';
import { revokeScopes } from './revoke-scopes.ts';
import { setSignIn } from './set-sign-in.ts';

const PATH = '/api/internal/oauth-clients';

/** OAuth clients at the identity provider: for the builder by its internal key, and for super admins. */
export function providerClientRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    ...builderCallRoutes(deps),
    ...clientRoutes({
      path: PATH,
      callers: { read: ADMINISTRATORS, change: ADMINISTRATORS, remove: ADMINISTRATORS },
      listQuery: z.strictObject({ ...pageQueryShape, orgSlug: z.string().min(1).max(63).optional() }),
      actions: providerActions(deps),
    }),
    trustedSignupRoute(deps),
  ];
}

/** What the builder asks for and no person does: the client of a deploy, and the clients that an org may use. */
function builderCallRoutes(deps: IdentityDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'post',
      path: `${PATH}/provision`,
      summary: 'Make the client of a service and environment, or add what a deploy derives',
      description: 'Lists are only added to; the passport fields are written as given. A secret is shown this once.',
      tag: CLIENT_TAG,
      callers: ADMINISTRATORS,
      body: provisionBodySchema,
      responses: { 200: { description: 'The client is in place', schema: provisionReplySchema } },
      errors: ['CLIENT_NOT_FOUND', 'CLIENT_EXISTS', 'INVALID_REDIRECT_URI'],
      handle: async ({ body }, context) => ({ status: 200, data: await provisionClient(deps, context, body) }),
    }),
    defineRoute({
      method: 'post',
      path: `${PATH}/sign-in`,
      summary: 'Set who may sign in to a service',
      description: 'Where that is fewer people, access tokens of its client are void.',
      tag: CLIENT_TAG,
      callers: ADMINISTRATORS,
      body: signInBodySchema,
      responses: { 200: { description: 'That is the rule now', schema: signInReplySchema } },
      errors: ['CLIENT_NOT_FOUND', 'CLIENT_EXISTS', 'CONFLICT'],
      handle: async ({ body }, context) => ({ status: 200, data: await setSignIn(deps, context, body) }),
    }),
    defineRoute({
      method: 'post',
      path: `${PATH}/add-scopes`,
      summary: 'Add scopes to those that a client has',
      tag: CLIENT_TAG,
      callers: ADMINISTRATORS,
      body: addScopesBodySchema,
      responses: { 200: { description: 'The client has them', schema: addScopesReplySchema } },
      errors: ['CLIENT_NOT_FOUND'],
      handle: async ({ body }, context) => ({ status: 200, data: await addScopes(deps, context, body) }),
    }),
    defineRoute({
      method: 'post',
      path: `${PATH}/revoke-scopes`,
      summary: 'Take the scopes of a service from all clients, or from one',
      tag: CLIENT_TAG,
      callers: ADMINISTRATORS,
      body: revokeScopesBodySchema,
      responses: { 200: { description: 'The clients that had one', schema: revokeScopesReplySchema } },
      handle: async ({ body }, context) => {
        return { status: 200, data: { clientIds: [...(await revokeScopes(deps, context, body))] } };
      },
    }),
    defineRoute({
      method: 'post',
      path: `${PATH}/remove-additions`,
      summary: 'Remove what an org added to a client whose service it shares no more',
      description: 'Secrets and redirect URIs that it added by hand; the access tokens of the client are void then.',
      tag: CLIENT_TAG,
      callers: ADMINISTRATORS,
      body: removeAdditionsBodySchema,
      responses: { 200: { description: 'What was removed', schema: removeAdditionsReplySchema } },
      handle: async ({ body }, context) => ({ status: 200, data: await removeAdditions(deps, context, body) }),
    }),
    defineRoute({
      method: 'post',
      path: `${PATH}/search`,
      summary: 'Clients of an org, and others by id',
      tag: CLIENT_TAG,
      callers: ADMINISTRATORS,
      body: searchBodySchema,
      responses: { 200: { description: 'A page of clients by id', schema: clientListSchema } },
      handle: async ({ body: { orgSlug, clientIds, cursor, limit } }) => {
        const page = await deps.clients.list({ orgSlug, clientIds }, { cursor, limit });
        return { status: 200, data: { items: page.items.map(clientView), nextCursor: page.nextCursor } };
      },
    }),
  ];
}

/** The one field that neither the builder nor a key may set (spec 1, D 4). */
function trustedSignupRoute(deps: IdentityDeps): Route {
  return defineRoute({
    method: 'patch',
    path: '/api/admin/oauth-clients/:clientId',
    summary: 'Let a client sign invited people up by itself, or not any more',
    description: 'No token, no service key and no internal key can do it.',
    tag: CLIENT_TAG,
    callers: { 'platform-admin': 'own-session' },
    params: clientParams,
    body: z.strictObject({ trustedInviteSignup: z.boolean() }),
    responses: CLIENT_REPLY,
    errors: ['CLIENT_NOT_FOUND'],
    handle: async ({ params: { clientId }, body: patch }, context) => {
      const changed = await changeClient(deps, context, { clientId, patch, by: 'super_admin_session' });
      return { status: 200, data: clientView(changed) };
    },
  });
}
