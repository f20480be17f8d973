import { z } from 'zod';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import {
  announcedModulesBodySchema,
  bindingBodySchema,
  bindingKindSchema,
  bindingNameSchema,
  bindingPageSchema,
  declarationBodySchema,
  entryViewSchema,
  epochSchema,
  metadataBodySchema,
  namespaceViewSchema,
  pluginViewSchema,
  registrationBodySchema,
  registryEnvironmentSchema,
  serviceIdSchema,
} from '../../domain/registry/schema.ts';
import type { ServiceRegistry } from '../../domain/registry/service-registry.ts';
import { entryView, namespaceViews, pluginView } from '../../domain/registry/views.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { declareService } from './change-service.ts';
import type { RegistryDeps } from './deps.ts';
import { findEntry } from './find-entry.ts';
import { READERS, readableOrg, requireBuilder, WRITERS } from './registry-callers.ts';

const ofService = z.strictObject({ serviceId: serviceIdSchema });
const ofEnvironment = z.strictObject({ serviceId: serviceIdSchema, environment: registryEnvironmentSchema });
const ofBinding = z.strictObject({ ...ofEnvironment.shape, kind: bindingKindSchema, name: bindingNameSchema });
const done = z.object({ serviceId: z.string() });

/** What the builder writes of a service, and what its org reads of it. */
export function serviceRoutes(deps: RegistryDeps, registry: ServiceRegistry): readonly Route[] {
  return [...recordRoutes(deps, registry), ...environmentRoutes(deps, registry), ...bindingRoutes(deps, registry)];
}

function recordRoutes(deps: RegistryDeps, registry: ServiceRegistry): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/v1/services',
      summary: 'Services of the org of the caller, by name; of all orgs for the platform',
      tag: 'services',
      callers: READERS,
      query: z.strictObject({ ...pageQueryShape, environment: registryEnvironmentSchema.optional() }),
      responses: { 200: { description: 'A page of services', schema: pageSchema(entryViewSchema) } },
      handle: async ({ query: { cursor = null, limit, environment } }, { caller }) => {
        const filter = { org: readableOrg(caller), ...(environment === undefined ? {} : { environment }) };
        const { items, nextCursor } = await deps.entries.list(filter, { cursor, limit });
        return { status: 200, data: { items: items.map(entryView), nextCursor } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/services/:serviceId',
      summary: 'A service with its routes, modules and bindings in each environment',
      tag: 'services',
      callers: READERS,
      params: ofService,
      responses: { 200: { description: 'The service', schema: entryViewSchema } },
      errors: ['SERVICE_NOT_FOUND'],
      resource: ({ params }, { caller }) => findEntry(deps, caller, params.serviceId),
      handle: async ({ resource: entry }) => ({ status: 200, data: entryView(entry) }),
    }),
    defineRoute({
      method: 'put',
      path: '/v1/services/:serviceId',
      summary: 'Makes the record of a service, or brings it up to date',
      tag: 'services',
      callers: WRITERS,
      params: ofService,
      body: declarationBodySchema,
      responses: { 200: { description: 'The service', schema: pluginViewSchema } },
      errors: ['SERVICE_NOT_FOUND', 'CONFLICT'],
      handle: async ({ params, body: { serviceSince, ...body } }, { caller }) => {
        requireBuilder(caller);
        const declaration = { id: params.serviceId, ...body, serviceSince: new Date(serviceSince) };
        return { status: 200, data: pluginView(await declareService(deps, declaration)) };
      },
    }),
    defineRoute({
      method: 'delete',
      path: '/v1/services/:serviceId',
      summary: 'Removes all of a service: its bindings in every environment, and the rest',
      tag: 'services',
      callers: WRITERS,
      params: ofService,
      responses: { 200: { description: 'Nothing is left of it', schema: done } },
      errors: ['CONFLICT'],
      handle: async ({ params: { serviceId } }, { caller }) => {
        requireBuilder(caller);
        await registry.removeService(serviceId);
        return { status: 200, data: { serviceId } };
      },
    }),
  ];
}

function environmentRoutes(deps: RegistryDeps, registry: ServiceRegistry): readonly Route[] {
  return [
    defineRoute({
      method: 'put',
      path: '/v1/services/:serviceId/environments/:environment/namespace',
      summary: 'Gives a service its namespace in an environment',
      tag: 'services',
      callers: WRITERS,
      params: ofEnvironment.extend({ environment: registryEnvironmentSchema.exclude(['dev']) }),
      responses: { 200: { description: 'The namespace', schema: z.object({ namespace: z.string() }) } },
      errors: ['SERVICE_NOT_FOUND', 'CONFLICT'],
      handle: async ({ params: { serviceId, environment } }, { caller }) => {
        requireBuilder(caller);
        return { status: 200, data: { namespace: await registry.createNamespace(serviceId, environment) } };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/namespaces',
      summary: 'Namespaces of the services of the org of the caller; a page is one of services',
      tag: 'services',
      callers: READERS,
      query: z.strictObject(pageQueryShape),
      responses: { 200: { description: 'A page of namespaces', schema: pageSchema(namespaceViewSchema) } },
      handle: async ({ query: { cursor = null, limit } }, { caller }) => {
        const { items, nextCursor } = await deps.entries.list({ org: readableOrg(caller) }, { cursor, limit });
        return { status: 200, data: { items: items.flatMap(namespaceViews), nextCursor } };
      },
    }),
    defineRoute({
      method: 'put',
      path: '/v1/services/:serviceId/environments/:environment/registration',
      summary: 'Registers the routes, modules and address of a deployed service',
      tag: 'services',
      callers: WRITERS,
      params: ofEnvironment,
      body: registrationBodySchema,
      responses: { 200: { description: 'It is registered', schema: done } },
      errors: ['SERVICE_NOT_FOUND', 'CONFLICT'],
      handle: async ({ params, body: { epoch, ...registration } }, { caller }) => {
        requireBuilder(caller);
        await registry.register({ ...params, epoch }, registration);
        return { status: 200, data: { serviceId: params.serviceId } };
      },
    }),
    defineRoute({
      method: 'put',
      path: '/v1/services/:serviceId/environments/:environment/modules',
      summary: 'Announces the modules of a deploy before it serves',
      tag: 'services',
      callers: WRITERS,
      params: ofEnvironment.extend({ environment: registryEnvironmentSchema.exclude(['dev']) }),
      body: announcedModulesBodySchema,
      responses: { 200: { description: 'They are announced', schema: done } },
      errors: ['SERVICE_NOT_FOUND', 'CONFLICT'],
      handle: async ({ params, body }, { caller }) => {
        requireBuilder(caller);
        await registry.announceModules(params, body);
        return { status: 200, data: { serviceId: params.serviceId } };
      },
    }),
    defineRoute({
      method: 'put',
      path: '/v1/services/:serviceId/environments/:environment/metadata',
      summary: 'Keeps the roles that a service knows, and what people sign up for',
      tag: 'services',
      callers: WRITERS,
      params: ofEnvironment,
      body: metadataBodySchema,
      responses: { 200: { description: 'They are kept', schema: done } },
      errors: ['SERVICE_NOT_FOUND', 'CONFLICT'],
      handle: async ({ params, body: { epoch, ...metadata } }, { caller }) => {
        requireBuilder(caller);
        await registry.putMetadata({ ...params, epoch }, metadata);
        return { status: 200, data: { serviceId: params.serviceId } };
      },
    }),
  ];
}

function bindingRoutes(deps: RegistryDeps, registry: ServiceRegistry): readonly Route[] {
  const path = '/v1/services/:serviceId/environments/:environment/bindings';
  return [
    defineRoute({
      method: 'get',
      path,
      summary: 'Queue and schedule bindings of a service in an environment',
      tag: 'bindings',
      callers: READERS,
      params: ofEnvironment,
      query: z.strictObject(pageQueryShape),
      responses: { 200: { description: 'A page of bindings', schema: bindingPageSchema } },
      errors: ['SERVICE_NOT_FOUND'],
      resource: ({ params }, { caller }) => findEntry(deps, caller, params.serviceId),
      handle: async ({ params, query: { cursor = null, limit } }) => {
        return { status: 200, data: await registry.listBindings(params, { cursor, limit }) };
      },
    }),
    defineRoute({
      method: 'put',
      path: `${path}/:kind/:name`,
      summary: 'Binds a queue or a schedule to a path of a service',
      tag: 'bindings',
      callers: WRITERS,
      params: ofBinding,
      body: bindingBodySchema,
      responses: { 200: { description: 'It is bound', schema: done } },
      errors: ['SERVICE_NOT_FOUND', 'CONFLICT'],
      handle: async ({ params: { serviceId, environment, kind, name }, body: { epoch, ...body } }, { caller }) => {
        requireBuilder(caller);
        await registry.putBinding({ serviceId, environment, epoch }, { kind, name, ...body });
        return { status: 200, data: { serviceId } };
      },
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/:kind/:name`,
      summary: 'Removes a binding',
      tag: 'bindings',
      callers: WRITERS,
      params: ofBinding,
      query: z.strictObject({ epoch: epochSchema }),
      responses: { 200: { description: 'There is no such binding any more', schema: done } },
      errors: ['SERVICE_NOT_FOUND', 'CONFLICT'],
      handle: async ({ params: { serviceId, environment, ...name }, query: { epoch } }, { caller }) => {
        requireBuilder(caller);
        await registry.removeBinding({ serviceId, environment, epoch }, name);
        return { status: 200, data: { serviceId } };
      },
    }),
  ];
}
