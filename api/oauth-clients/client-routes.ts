import { z } from 'zod';
import {
  clientListSchema,
  clientPatchSchema,
  clientViewSchema,
  clientWithSecretSchema,
  newClientSchema,
  pathIdSchema,
  redirectUriBodySchema,
} from '../../domain/oauth-clients/client-schema.ts';
import type { AllowedCallers, CallerOf } from '../http/allowed-callers.ts';
import { defineRoute, type Route, type RouteContext } from '../http/define-route.ts';
import type { ClientActions, FoundClient } from './client-actions.ts';

export const CLIENT_TAG = 'oauth clients';
export const clientParams = z.strictObject({ clientId: pathIdSchema });
export const CLIENT_REPLY = { 200: { description: 'The client', schema: clientViewSchema } };

const withSecret = { description: 'The client with the new secret', schema: clientWithSecretSchema };

/** Where the routes stand, who may call them, and how they are carried out. */
export interface ClientRoutesAt<A extends AllowedCallers, Q extends z.ZodObject, F extends FoundClient> {
  /** Such as `/oauth/clients`. */
  readonly path: string;
  readonly callers: { readonly read: A; readonly change: A; readonly remove: A };
  readonly listQuery: Q;
  readonly actions: ClientActions<CallerOf<A>, z.output<Q>, F>;
}

/** The routes for OAuth clients, at the provider and at the builder alike (spec 1, "Builder routes for OAuth clients"). */
export function clientRoutes<const A extends AllowedCallers, Q extends z.ZodObject, F extends FoundClient>(
  at: ClientRoutesAt<A, Q, F>,
): readonly Route[] {
  return [...collectionRoutes(at), ...recordRoutes(at), ...redirectUriRoutes(at), ...secretRoutes(at)];
}

/** Row part of the routes of one client: it is found for the caller, or it is not there. */
function oneClient<A extends AllowedCallers, Q extends z.ZodObject, F extends FoundClient>(
  { path, actions }: ClientRoutesAt<A, Q, F>,
  rest = '',
) {
  return {
    path: `${path}/:clientId${rest}`,
    tag: CLIENT_TAG,
    params: clientParams,
    resource: ({ params }: { params: z.output<typeof clientParams> }, context: RouteContext<CallerOf<A>>) =>
      actions.find(params.clientId, context),
  } as const;
}

function collectionRoutes<A extends AllowedCallers, Q extends z.ZodObject, F extends FoundClient>(
  at: ClientRoutesAt<A, Q, F>,
): readonly Route[] {
  const { path, callers, actions } = at;
  return [
    defineRoute({
      method: 'get',
      path,
      summary: 'Clients the caller may administer, by id',
      description: 'A page may be shorter than its limit; nextCursor alone says whether more follows.',
      tag: CLIENT_TAG,
      callers: callers.read,
      query: at.listQuery,
      responses: { 200: { description: 'A page of clients by id', schema: clientListSchema } },
      handle: async ({ query }, context) => ({ status: 200, data: await actions.list(query, context) }),
    }),
    defineRoute({
      method: 'post',
      path,
      summary: 'Create a client, of the caller’s org where none is named',
      description:
        'Scopes other than openid, profile and email, and grants other than authorization_code and refresh_token, need ' +
        'a super admin.',
      tag: CLIENT_TAG,
      callers: callers.change,
      body: newClientSchema,
      responses: { 201: withSecret },
      errors: ['CLIENT_EXISTS', 'ORG_NOT_FOUND', 'INVALID_REDIRECT_URI'],
      handle: async ({ body }, context) => ({ status: 201, data: await actions.create(body, context) }),
    }),
  ];
}

function recordRoutes<A extends AllowedCallers, Q extends z.ZodObject, F extends FoundClient>(
  at: ClientRoutesAt<A, Q, F>,
): readonly Route[] {
  const { callers, actions } = at;
  return [
    defineRoute({
      ...oneClient(at),
      method: 'get',
      summary: 'One client',
      callers: callers.read,
      responses: CLIENT_REPLY,
      errors: ['CLIENT_NOT_FOUND'],
      handle: async ({ resource: { client } }) => ({ status: 200, data: client }),
    }),
    defineRoute({
      ...oneClient(at),
      method: 'patch',
      summary: 'Change a client',
      description: 'Fields that cannot be changed are dropped. Fields that are not the caller’s to change are refused.',
      callers: callers.change,
      body: clientPatchSchema,
      responses: CLIENT_REPLY,
      errors: ['CLIENT_NOT_FOUND', 'INVALID_REDIRECT_URI'],
      handle: async ({ body, resource }, context) => {
        return { status: 200, data: await actions.change(resource, body, context) };
      },
    }),
    defineRoute({
      ...oneClient(at),
      method: 'delete',
      summary: 'Delete a client; its tokens end, and a service’s next deploy makes a new one',
      callers: callers.remove,
      responses: { 200: { description: 'The client is gone', schema: z.object({ clientId: z.string() }) } },
      errors: ['CLIENT_NOT_FOUND'],
      handle: async ({ resource }, context) => {
        await actions.remove(resource, context);
        return { status: 200, data: { clientId: resource.client.clientId } };
      },
    }),
  ];
}

function redirectUriRoutes<A extends AllowedCallers, Q extends z.ZodObject, F extends FoundClient>(
  at: ClientRoutesAt<A, Q, F>,
): readonly Route[] {
  const { callers, actions } = at;
  return (['post', 'delete'] as const).map((method) =>
    defineRoute({
      ...oneClient(at, '/redirect-uris'),
      method,
      summary: method === 'post' ? 'Register a redirect URI' : 'Remove a redirect URI',
      callers: callers.change,
      body: redirectUriBodySchema,
      responses: CLIENT_REPLY,
      errors: ['CLIENT_NOT_FOUND', 'INVALID_REDIRECT_URI', 'NOT_FOUND'],
      handle: async ({ body: { redirectUri }, resource }, context) => {
        const change = method === 'post' ? actions.addRedirectUri : actions.removeRedirectUri;
        return { status: 200, data: await change(resource, redirectUri, context) };
      },
    }),
  );
}

/** A secret is shown once, in the answer to the call that made it. A service's is injected with its next deploy. */
function secretRoutes<A extends AllowedCallers, Q extends z.ZodObject, F extends FoundClient>(
  at: ClientRoutesAt<A, Q, F>,
): readonly Route[] {
  const { callers, actions } = at;
  return [
    defineRoute({
      ...oneClient(at, '/secrets'),
      method: 'post',
      summary: 'Add a second secret; the first stays until it is removed',
      callers: callers.change,
      responses: { 201: withSecret },
      errors: ['CLIENT_NOT_FOUND', 'CLIENT_SECRETS_FULL', 'CONFLICT'],
      handle: async ({ resource }, context) => ({ status: 201, data: await actions.addSecret(resource, context) }),
    }),
    defineRoute({
      ...oneClient(at, '/secrets/:secretId'),
      method: 'delete',
      summary: 'Remove a secret',
      callers: callers.change,
      params: clientParams.extend({ secretId: pathIdSchema }),
      responses: { 200: { description: 'The client without it', schema: clientViewSchema } },
      errors: ['CLIENT_NOT_FOUND', 'NOT_FOUND'],
      handle: async ({ params: { secretId }, resource }, context) => {
        return { status: 200, data: await actions.removeSecret(resource, secretId, context) };
      },
    }),
    defineRoute({
      ...oneClient(at, '/regenerate-secret'),
      method: 'post',
      summary: 'Replace all secrets with a new one',
      callers: callers.change,
      responses: { 200: withSecret },
      errors: ['CLIENT_NOT_FOUND', 'CONFLICT'],
      handle: async ({ resource }, context) => ({
        status: 200,
        data: await actions.regenerateSecret(resource, context),
      }),
    }),
  ];
}
