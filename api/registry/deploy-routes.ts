import { z } from 'zod';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import {
  deployViewSchema,
  manifestBodySchema,
  serviceIdSchema,
  snapshotBodySchema,
} from '../../domain/registry/schema.ts';
import type { ServiceRegistry } from '../../domain/registry/service-registry.ts';
import { deployView } from '../../domain/registry/views.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { RegistryDeps } from './deps.ts';
import { findEntry } from './find-entry.ts';
import { READERS, requireBuilder, WRITERS } from './registry-callers.ts';

const ofEnvironment = z.strictObject({ serviceId: serviceIdSchema, environment: environmentSchema });
const ofBuild = z.strictObject({ ...ofEnvironment.shape, buildId: serviceIdSchema });
const written = { 200: { description: 'It is kept', schema: z.object({ buildId: z.string() }) } } as const;

/** Manifests and snapshots of deploys. */
export function deployRoutes(deps: RegistryDeps, registry: ServiceRegistry): readonly Route[] {
  const path = '/v1/services/:serviceId/environments/:environment';
  return [
    defineRoute({
      method: 'get',
      path: `${path}/deploys`,
      summary: 'Deploys of a service, newest first',
      tag: 'deploys',
      callers: READERS,
      params: ofEnvironment,
      query: z.strictObject(pageQueryShape),
      responses: { 200: { description: 'A page of deploys', schema: pageSchema(deployViewSchema) } },
      errors: ['SERVICE_NOT_FOUND'],
      resource: ({ params }, { caller }) => findEntry(deps, caller, params.serviceId),
      handle: async ({ params, query: { cursor = null, limit } }) => {
        const { items, nextCursor } = await deps.deploys.list(params, { cursor, limit });
        return { status: 200, data: { items: items.map(deployView), nextCursor } };
      },
    }),
    defineRoute({
      method: 'get',
      path: `${path}/manifest`,
      summary: 'The newest deploy that has a manifest; null before the first',
      tag: 'deploys',
      callers: READERS,
      params: ofEnvironment,
      responses: { 200: { description: 'The deploy', schema: deployViewSchema.nullable() } },
      errors: ['SERVICE_NOT_FOUND'],
      resource: ({ params }, { caller }) => findEntry(deps, caller, params.serviceId),
      handle: async ({ params }) => {
        const last = await deps.deploys.lastManifest(params);
        return { status: 200, data: last === null ? null : deployView(last) };
      },
    }),
    defineRoute({
      method: 'put',
      path: `${path}/deploys/:buildId/manifest`,
      summary: 'Keeps the manifest of a deploy: commit, sdkVersions and deployedBy',
      tag: 'deploys',
      callers: WRITERS,
      params: ofBuild,
      body: manifestBodySchema,
      responses: written,
      errors: ['SERVICE_NOT_FOUND', 'CONFLICT'],
      handle: async ({ params, body }, { caller }) => {
        requireBuilder(caller);
        await registry.putManifest(params, body);
        return { status: 200, data: { buildId: params.buildId } };
      },
    }),
    defineRoute({
      method: 'put',
      path: `${path}/deploys/:buildId/snapshot`,
      summary: 'Keeps what a deploy installed, with the names of its secrets alone',
      tag: 'deploys',
      callers: WRITERS,
      params: ofBuild,
      body: snapshotBodySchema,
      responses: written,
      errors: ['SERVICE_NOT_FOUND', 'CONFLICT'],
      handle: async ({ params, body }, { caller }) => {
        requireBuilder(caller);
        await registry.putSnapshot(params, body);
        return { status: 200, data: { buildId: params.buildId } };
      },
    }),
  ];
}
