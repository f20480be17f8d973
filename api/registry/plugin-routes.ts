import { z } from 'zod';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import { noChangelog } from '../../domain/registry/change-entry.ts';
import {
  changelogBodySchema,
  changelogViewSchema,
  pluginViewSchema,
  walkthroughBodySchema,
} from '../../domain/registry/schema.ts';
import type { ServiceRegistry } from '../../domain/registry/service-registry.ts';
import { changelogView, pluginView } from '../../domain/registry/views.ts';
import { serviceNameSchema } from '../../domain/service-name.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { NOT_MODIFIED, taggedReply } from '../http/send-tagged.ts';
import type { RegistryDeps } from './deps.ts';
import { findEntryByName } from './find-entry.ts';
import { READERS, readableOrg, requireBuilder, WRITERS } from './registry-callers.ts';

const ofService = z.strictObject({ service: serviceNameSchema });
const written = { 200: { description: 'It is kept', schema: z.object({ service: z.string() }) } } as const;

/** Plugin records by the name of the service, and their changelogs (spec 3, "Endpoints", "Uptime monitor"). */
export function pluginRoutes(deps: RegistryDeps, registry: ServiceRegistry): readonly Route[] {
  return [...recordRoutes(deps), readChangelog(deps), ...changelogRoutes(registry)];
}

function recordRoutes(deps: RegistryDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/api/plugins',
      summary: 'Plugin records of the org of the caller, by name; of all orgs for the platform',
      tag: 'plugins',
      callers: READERS,
      query: z.strictObject(pageQueryShape),
      responses: { 200: { description: 'A page of plugin records', schema: pageSchema(pluginViewSchema) } },
      handle: async ({ query: { cursor = null, limit } }, { caller }) => {
        const { items, nextCursor } = await deps.entries.list({ org: readableOrg(caller) }, { cursor, limit });
        return { status: 200, data: { items: items.map(pluginView), nextCursor } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/plugins/:service',
      summary: 'The plugin record of a service',
      tag: 'plugins',
      callers: READERS,
      params: ofService,
      responses: { 200: { description: 'The record', schema: pluginViewSchema } },
      errors: ['SERVICE_NOT_FOUND'],
      resource: ({ params }, { caller }) => findEntryByName(deps, caller, params.service),
      handle: async ({ resource: entry }) => ({ status: 200, data: pluginView(entry) }),
    }),
  ];
}

/** Public: the status page shows it. A service that is not there is answered as one without a changelog. */
function readChangelog({ entries }: RegistryDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/plugins/:service/changelog',
    summary: 'What is new in a service',
    tag: 'plugins',
    callers: 'public',
    params: ofService,
    responses: { 200: { description: 'The changelog', schema: changelogViewSchema }, 304: NOT_MODIFIED },
    errors: ['NOT_FOUND'],
    polled: true,
    handle: async ({ params: { service } }, { headers }) => {
      const changelog = (await entries.findByName(service))?.changelog ?? null;
      if (changelog === null) throw noChangelog(service);
      return taggedReply(changelogViewSchema, changelogView(service, changelog), headers['if-none-match']);
    },
  });
}

function changelogRoutes(registry: ServiceRegistry): readonly Route[] {
  return [
    defineRoute({
      method: 'post',
      path: '/api/plugins/:service/changelog',
      summary: 'Keeps the changelog of a service, in the place of the one there is',
      tag: 'plugins',
      callers: WRITERS,
      params: ofService,
      body: changelogBodySchema,
      responses: written,
      errors: ['SERVICE_NOT_FOUND', 'CONFLICT'],
      handle: async ({ params: { service }, body: { serviceId, deployedAt, ...body } }, { caller }) => {
        requireBuilder(caller);
        const changelog = { ...body, deployedAt: new Date(deployedAt) };
        await registry.publishChangelog({ id: serviceId, name: service }, changelog);
        return { status: 200, data: { service } };
      },
    }),
    defineRoute({
      method: 'patch',
      path: '/api/plugins/:service/changelog',
      summary: 'Attaches the link of a walkthrough; notes and time stay as they are',
      tag: 'plugins',
      callers: WRITERS,
      params: ofService,
      body: walkthroughBodySchema,
      responses: written,
      errors: ['SERVICE_NOT_FOUND', 'NOT_FOUND', 'CONFLICT'],
      handle: async ({ params: { service }, body: { serviceId, walkthroughUrl } }, { caller }) => {
        requireBuilder(caller);
        await registry.attachWalkthrough({ id: serviceId, name: service }, walkthroughUrl);
        return { status: 200, data: { service } };
      },
    }),
  ];
}
