import { z } from 'zod';
import { countProperties } from '../../domain/properties/overview.ts';
import { PROPERTY_STATUSES, SOURCE_KINDS } from '../../domain/properties/property.ts';
import {
  domainSchema,
  overviewSchema,
  propertyPageSchema,
  propertyView,
  propertyWithTimeline,
  propertyWithTimelineSchema,
} from '../../domain/properties/schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { PropertiesDeps } from './deps.ts';
import { requireProperty } from './require-property.ts';
import { READERS } from './site-callers.ts';

const tag = 'properties';
const word = z.string().min(1).max(100);

/** What is known of domains. */
export function propertyRoutes(deps: PropertiesDeps): readonly Route[] {
  return [listRoute(deps), overviewRoute(deps), propertyRoute(deps)];
}

function listRoute({ properties }: PropertiesDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/properties',
    summary: 'Properties, by domain',
    tag,
    ...READERS,
    query: z.strictObject({
      status: z.enum(PROPERTY_STATUSES).optional(),
      family: word.optional(),
      role: word.optional(),
      source: z.enum(SOURCE_KINDS).optional().describe('The kind of the source'),
      limit: z.coerce.number().int().min(1).max(200).default(50),
      offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
    }),
    responses: { 200: { description: 'A page of Properties', schema: propertyPageSchema } },
    handle: async ({ query: { limit, offset, ...filter } }) => {
      const { items, total } = await properties.list(given(filter), { limit, offset });
      return { status: 200, data: { items: items.map(propertyView), total, limit, offset } };
    },
  });
}

function overviewRoute({ properties }: PropertiesDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/overview',
    summary: 'How many Properties there are of each kind, in all and by family',
    description:
      'total = verified + unverified + ignored, where unverified has those in error as well, and is automatable + manual. needsGeneratedSite + keptLegacy = every legacy Property that is not ignored.',
    tag,
    ...READERS,
    responses: { 200: { description: 'The counts', schema: overviewSchema } },
    handle: async () => ({ status: 200, data: await countProperties(properties.listAll) }),
  });
}

function propertyRoute(deps: PropertiesDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/properties/:domain',
    summary: 'One Property, with what happened to it',
    tag,
    ...READERS,
    params: z.strictObject({ domain: domainSchema }),
    responses: { 200: { description: 'The Property', schema: propertyWithTimelineSchema } },
    errors: ['NOT_FOUND'],
    resource: ({ params }) => requireProperty(deps, params.domain),
    handle: async ({ resource }) => ({ status: 200, data: propertyWithTimeline(resource) }),
  });
}

/** Without the fields that a query leaves out. */
function given<T extends object>(filter: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof given<T>
  >;
}
