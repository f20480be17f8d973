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
import { defineRoute, type Route } from '../http/define-route.ts';
import type { ClientActions } from './client-actions.ts';

export const CLIENT_TAG = 'oauth clients';
export const clientParams = z.strictObject({ clientId: pathIdSchema });
export const CLIENT_REPLY = { 200: { description: 'The client', schema: clientViewSchema } };

const withSecret = { description: 'The client with the new secret', schema: clientWithSecretSchema };

/** Where the routes stand, who may call them, and how they are carried out. */
export interface ClientRoutesAt<A extends AllowedCallers, Q extends z.ZodObject> {
  /** Such as `/oauth/clients`. */
  readonly path: string;
  readonly callers: { readonly read: A; readonly change: A; readonly remove: A };
  readonly listQuery: Q;
  readonly actions: ClientActions<CallerOf<A>, z.output<Q>>;
}

/** The routes for OAuth clients, at the provider and at the builder alike (spec 1, "Builder routes for OAuth clients"). */
export function clientRoutes<const A extends AllowedCallers, Q extends z.ZodObject>(
  at: ClientRoutesAt<A, Q>,
): readonly Route[] {
  return [...collectionRoutes(at), ...recordRoutes(at), ...redirectUriRoutes(at), ...secretRoutes(at)];
}

function collectionRoutes<A extends AllowedCallers, Q extends z.ZodObject>(at: ClientRoutesAt<A, Q>): readonly Route[] {
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

function recordRoutes<A extends AllowedCallers, Q extends z.ZodObject>(at: ClientRoutesAt<A, Q>): readonly Route[] {
  const { callers, actions } = at;
  const one = { path: `${at.path}/:clientId`, tag: CLIENT_TAG, params: clientParams } as const;
  return [
    defineRoute({
      ...one,
      method: 'get',
      summary: 'One client',
      callers: callers.read,
      responses: CLIENT_REPLY,
      errors: ['CLIENT_NOT_FOUND'],
      handle: async ({ params: { clientId } }, context) => {
        return { status: 200, data: await actions.find(clientId, context) };
      },
    }),
    defineRoute({
      ...one,
      method: 'patch',
      summary: 'Change a client',
      description: 'Fields that cannot be changed are dropped. Fields that are not the caller’s to change are refused.',
      callers: callers.change,
      body: clientPatchSchema,
      responses: CLIENT_REPLY,
      errors: ['CLIENT_NOT_FOUND', 'INVALID_REDIRECT_URI'],
      handle: async ({ params: { clientId }, body }, context) => {
        return { status: 200, data: await actions.change(clientId, body, context) };
      },
    }),
    defineRoute({
      ...one,
      method: 'delete',
      summary: 'Delete a client; its tokens end, and a service’s next deploy makes a new one',
      callers: callers.remove,
      responses: { 200: { description: 'The client is gone', schema: z.object({ clientId: z.string() }) } },
      errors: ['CLIENT_NOT_FOUND'],
      handle: async ({ params: { clientId } }, context) => {
        await actions.remove(clientId, context);
        return { status: 200, data: { clientId } };
      },
    }),
  ];
}

function redirectUriRoutes<A extends AllowedCallers, Q extends z.ZodObject>(
  at: ClientRoutesAt<A, Q>,
): readonly Route[] {
  const { path, callers, actions } = at;
  return (['post', 'delete'] as const).map((method) =>
    defineRoute({
      method,
      path: `${path}/:clientId/redirect-uris`,
      summary: method === 'post' ? 'Register a redirect URI' : 'Take a redirect URI away',
      tag: CLIENT_TAG,
      callers: callers.change,
      params: clientParams,
      body: redirectUriBodySchema,
      responses: CLIENT_REPLY,
      errors: ['CLIENT_NOT_FOUND', 'INVALID_REDIRECT_URI', 'NOT_FOUND'],
      handle: async ({ params: { clientId }, body: { redirectUri } }, context) => {
        const change = method === 'post' ? actions.addRedirectUri : actions.removeRedirectUri;
        return { status: 200, data: await change(clientId, redirectUri, context) };
      },
    }),
  );
}

/** A secret is shown once, in the answer to the call that made it. A service's is injected with its next deploy. */
function secretRoutes<A extends AllowedCallers, Q extends z.ZodObject>(at: ClientRoutesAt<A, Q>): readonly Route[] {
  const { callers, actions } = at;
  const path = `${at.path}/:clientId`;
  const shared = { tag: CLIENT_TAG, callers: callers.change } as const;
  return [
    defineRoute({
      ...shared,
      method: 'post',
      path: `${path}/secrets`,
      summary: 'Add a second secret; the first stays until it is removed',
      params: clientParams,
      responses: { 201: withSecret },
      errors: ['CLIENT_NOT_FOUND', 'CLIENT_SECRETS_FULL', 'CONFLICT'],
      handle: async ({ params: { clientId } }, context) => {
        return { status: 201, data: await actions.addSecret(clientId, context) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'delete',
      path: `${path}/secrets/:secretId`,
      summary: 'Remove a secret',
      params: clientParams.extend({ secretId: pathIdSchema }),
      responses: { 200: { description: 'The client without it', schema: clientViewSchema } },
      errors: ['CLIENT_NOT_FOUND', 'NOT_FOUND'],
      handle: async ({ params: { clientId, secretId } }, context) => {
        return { status: 200, data: await actions.removeSecret(clientId, secretId, context) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'post',
      path: `${path}/regenerate-secret`,
      summary: 'Put one new secret in the place of all',
      params: clientParams,
      responses: { 200: withSecret },
      errors: ['CLIENT_NOT_FOUND', 'CONFLICT'],
      handle: async ({ params: { clientId } }, context) => {
        return { status: 200, data: await actions.regenerateSecret(clientId, context) };
      },
    }),
  ];
}
