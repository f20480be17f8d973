import { z } from 'zod';
import type { GitDelivery } from '../../domain/git-hooks/delivery.ts';
import {
  acceptedReplySchema,
  changeConnectionBodySchema,
  connectBodySchema,
  connectedReplySchema,
  connectionViewSchema,
  deliveryView,
  deliveryViewSchema,
  lookBodySchema,
  rotateBodySchema,
  serviceRulesBodySchema,
} from '../../domain/git-hooks/git-hook-schema.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import { requireOwner, requireService, visibleOrg } from '../catalog/access.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import type { Caller } from '../http/caller.ts';
import { defineRoute, type Route, type RouteContext } from '../http/define-route.ts';
import { changeConnection, changeRules, look, rotateSecret } from './change-connection.ts';
import { connect } from './connect.ts';
import { requireConnection, viewOf } from './connection-access.ts';
import type { GitHooksDeps } from './deps.ts';
import { disconnect, requireConnected } from './disconnect.ts';
import { hookRoute } from './hook-routes.ts';

const tag = 'git';
const params = z.strictObject({ id: z.string().min(1).max(64).describe('Id of the connection') });
const SECRETS_TOLD = 'A secret that is made here is shown in this reply alone.';

/** Repositories whose pushes deploy services (the paths are ours). An org connects what it owns. */
export function gitHooksRoutes(deps: GitHooksDeps): readonly Route[] {
  return [hookRoute(deps), ...readingRoutes(deps), connectRoute(deps), ...changingRoutes(deps)];
}

function resourceOf(deps: GitHooksDeps) {
  return ({ params: { id } }: { params: z.output<typeof params> }, { caller }: RouteContext<Caller>) =>
    requireConnection(deps, caller, id);
}

function readingRoutes(deps: GitHooksDeps): readonly Route[] {
  const resource = resourceOf(deps);
  return [
    defineRoute({
      method: 'get',
      path: '/git/connections',
      summary: 'Repositories that the org connected, newest first',
      tag,
      callers: BUILDER_CALLERS.member,
      query: z.strictObject(pageQueryShape),
      responses: { 200: { description: 'A page of connections', schema: pageSchema(connectionViewSchema) } },
      handle: async ({ query: { cursor, limit } }, { caller }) => {
        const page = await deps.gitConnections.list({ org: visibleOrg(caller) }, { cursor: cursor ?? null, limit });
        const items = page.items.map((connection) => viewOf(deps, connection));
        return { status: 200, data: { items, nextCursor: page.nextCursor } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/git/connections/:id',
      summary: 'One connection',
      tag,
      callers: BUILDER_CALLERS.member,
      params,
      responses: { 200: { description: 'The connection', schema: connectionViewSchema } },
      errors: ['NOT_FOUND'],
      resource,
      handle: async ({ resource: connection }) => ({ status: 200, data: viewOf(deps, connection) }),
    }),
    defineRoute({
      method: 'get',
      path: '/git/connections/:id/deliveries',
      summary: 'Deliveries of thirty days and what each deployed or why not, newest first',
      tag,
      callers: BUILDER_CALLERS.member,
      params,
      query: z.strictObject(pageQueryShape),
      responses: { 200: { description: 'A page of deliveries', schema: pageSchema(deliveryViewSchema) } },
      errors: ['NOT_FOUND'],
      resource,
      handle: async ({ query: { cursor, limit }, resource: { id } }) => {
        const page = await deps.gitDeliveries.list(id, { cursor: cursor ?? null, limit });
        const builds = await deps.builds.statusesOf(buildsOf(page.items));
        const items = page.items.map((delivery) => deliveryView(delivery, builds));
        return { status: 200, data: { items, nextCursor: page.nextCursor } };
      },
    }),
    defineRoute({
      method: 'post',
      path: '/git/connections/:id/look',
      summary: 'Look at a branch or tag, or all that rules match, as after a push',
      description: 'What the heads have that was not looked at yet deploys by the rules.',
      tag,
      callers: BUILDER_CALLERS.member,
      params,
      body: lookBodySchema,
      responses: { 202: { description: 'It will be looked at', schema: acceptedReplySchema } },
      errors: ['NOT_FOUND'],
      resource,
      handle: async ({ body, resource: connection }, by) => ({
        status: 202,
        data: await look(deps, by, connection, body.ref),
      }),
    }),
  ];
}

/** Builds that deliveries deployed, each once. */
function buildsOf(deliveries: readonly GitDelivery[]): readonly string[] {
  const ids = deliveries.flatMap(({ outcomes }) => outcomes.flatMap(({ buildId }) => buildId ?? []));
  return [...new Set(ids)];
}

function connectRoute(deps: GitHooksDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/git/connections',
    summary: 'Connect a service with the repository that it is built from',
    description: `With a token the hook is registered at the provider, else set it up there by hand. A repository is connected once for all services of an org. ${SECRETS_TOLD}`,
    tag,
    callers: BUILDER_CALLERS.admin,
    body: connectBodySchema,
    responses: {
      200: { description: 'The repository was connected; the service is now, too', schema: connectedReplySchema },
      201: { description: 'The repository is connected', schema: connectedReplySchema },
    },
    errors: ['SERVICE_NOT_FOUND', 'SERVICE_BUSY', 'FORBIDDEN', 'SOURCE_MISSING', 'SOURCE_REFUSED', 'CONFLICT'],
    resource: async ({ body }, { caller }) =>
      requireOwner(await requireService(deps.services, caller, body.service), caller, 'connect its repository'),
    handle: async ({ body, resource: service }, by) => {
      const { reply, created } = await connect(deps, by, { service, body });
      return { status: created ? 201 : 200, data: reply };
    },
  });
}

function changingRoutes(deps: GitHooksDeps): readonly Route[] {
  const resource = resourceOf(deps);
  const row = { tag, callers: BUILDER_CALLERS.admin, resource } as const;
  return [
    defineRoute({
      ...row,
      method: 'patch',
      path: '/git/connections/:id',
      summary: 'Pause a connection, poll its repository, or replace its token',
      params,
      body: changeConnectionBodySchema,
      responses: { 200: { description: 'It is changed', schema: connectedReplySchema } },
      errors: ['NOT_FOUND', 'CONFLICT'],
      handle: async ({ body, resource: { id } }, by) => ({
        status: 200,
        data: await changeConnection(deps, by, { id, body }),
      }),
    }),
    defineRoute({
      ...row,
      method: 'put',
      path: '/git/connections/:id/services/:service',
      summary: 'Replace which pushes deploy a service of the connection',
      params: params.extend({ service: z.string().min(1).max(64).describe('Id or name of the service') }),
      body: serviceRulesBodySchema,
      responses: { 200: { description: 'The rules hold from now on', schema: connectionViewSchema } },
      errors: ['NOT_FOUND', 'SERVICE_NOT_FOUND', 'CONFLICT'],
      handle: async ({ params: { service: name }, body, resource: { id } }, by) => {
        const service = await requireService(deps.services, by.caller, name);
        return { status: 200, data: await changeRules(deps, by, { id, service, rules: body.rules }) };
      },
    }),
    defineRoute({
      ...row,
      method: 'post',
      path: '/git/connections/:id/rotate',
      summary: 'Make another secret, or take the older one away',
      description: `Both are good until the older one is taken away. ${SECRETS_TOLD}`,
      params,
      body: rotateBodySchema,
      responses: { 200: { description: 'The secret is another', schema: connectedReplySchema } },
      errors: ['NOT_FOUND', 'CONFLICT'],
      handle: async ({ body, resource: { id } }, by) => ({
        status: 200,
        data: await rotateSecret(deps, by, { id, body }),
      }),
    }),
    defineRoute({
      ...row,
      method: 'delete',
      path: '/git/connections/:id',
      summary: 'Disconnect a repository; its deliveries are refused from then on',
      params,
      responses: {
        200: {
          description: 'It is gone',
          schema: z.object({
            hookProblem: z
              .object({ code: z.string(), message: z.string() })
              .nullable()
              .describe('Why the hook could not be taken away at the provider'),
          }),
        },
      },
      errors: ['NOT_FOUND'],
      resource: ({ params: { id } }, { caller }) => requireConnected(deps, caller, id),
      handle: async ({ resource: connected }, by) => ({ status: 200, data: await disconnect(deps, by, connected) }),
    }),
  ];
}
