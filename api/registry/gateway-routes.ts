import { z } from 'zod';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import { moduleViewSchema, registryEnvironmentSchema, serviceRoutesSchema } from '../../domain/registry/schema.ts';
import { moduleViews, routesView } from '../../domain/registry/views.ts';
import { PLATFORM } from '../http/allowed-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { NOT_MODIFIED, taggedReply } from '../http/send-tagged.ts';
import type { RegistryDeps } from './deps.ts';

/** What services of the platform ask for again and again. */
export function gatewayRoutes({ entries }: Pick<RegistryDeps, 'entries'>): readonly Route[] {
  const routesPage = pageSchema(serviceRoutesSchema);
  const modulesPage = pageSchema(moduleViewSchema);
  return [
    defineRoute({
      method: 'get',
      path: '/v1/routes',
      summary: 'Routes of all services of an environment, with who pays and how much',
      description: 'A page is one of services. Send the ETag of a page in If-None-Match to learn whether it changed.',
      tag: 'gateway',
      callers: PLATFORM,
      query: z.strictObject({ ...pageQueryShape, environment: registryEnvironmentSchema }),
      responses: { 200: { description: 'A page of services', schema: routesPage }, 304: NOT_MODIFIED },
      polled: true,
      handle: async ({ query: { cursor = null, limit, environment } }, { headers }) => {
        const { items, nextCursor } = await entries.list({ org: null, environment }, { cursor, limit });
        const page = { items: items.flatMap((entry) => routesView(entry, environment)), nextCursor };
        return taggedReply(routesPage, page, headers['if-none-match']);
      },
    }),
    defineRoute({
      method: 'get',
      path: '/v1/modules',
      summary: 'Modules that services declare; a page is one of services',
      tag: 'gateway',
      callers: PLATFORM,
      query: z.strictObject(pageQueryShape),
      responses: { 200: { description: 'A page of modules', schema: modulesPage }, 304: NOT_MODIFIED },
      polled: true,
      handle: async ({ query: { cursor = null, limit } }, { headers }) => {
        const { items, nextCursor } = await entries.list({ org: null }, { cursor, limit });
        const page = { items: items.flatMap(moduleViews), nextCursor };
        return taggedReply(modulesPage, page, headers['if-none-match']);
      },
    }),
  ];
}
