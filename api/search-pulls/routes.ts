import { z } from 'zod';
import { domainSchema } from '../../domain/properties/schema.ts';
import {
  askedPeriod,
  propertyPullSchema,
  propertyPullView,
  pullBodySchema,
  pullRunSchema,
  pullRunView,
  searchQuerySchema,
  searchReply,
  searchReplySchema,
  startedPullSchema,
} from '../../domain/search-pulls/search-schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { JobKind } from '../properties/job-route.ts';
import { requireProperty } from '../properties/require-property.ts';
import { actorOf, READERS, SYNCERS } from '../properties/site-callers.ts';
import type { SearchPullsDeps } from './deps.ts';
import { readNumbers } from './read-numbers.ts';
import { pullOne, startPull } from './start-pull.ts';

const tag = 'search';

/** Search numbers and their pulls (spec 3, "Endpoints"). */
export function searchPullsRoutes(deps: SearchPullsDeps): readonly Route[] {
  return [numbersRoute(deps), pullRoute(deps)];
}

function numbersRoute(deps: SearchPullsDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/search/:domain',
    summary: 'What the search engine counted for a Property',
    description:
      'Of the last 7, 28 or 90 final days, or of a range. Days are those of the search engine, in Pacific time.',
    tag,
    ...READERS,
    params: z.strictObject({ domain: domainSchema }),
    query: searchQuerySchema,
    responses: { 200: { description: 'The numbers', schema: searchReplySchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
    resource: ({ params }) => requireProperty(deps, params.domain),
    handle: async ({ query, resource: { domain } }) => {
      const { type, limit } = query;
      const period = askedPeriod(query);
      const found = await readNumbers(deps, { property: domain, type, period, limit });
      return { status: 200, data: searchReply(domain, 'days' in period ? period.days : null, found, limit) };
    },
  });
}

function pullRoute(deps: SearchPullsDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/api/search/pull',
    summary: 'Pull search numbers now: of all Properties in the background, or of one while you wait',
    tag,
    ...SYNCERS,
    body: pullBodySchema.prefault({}),
    responses: {
      200: { description: 'The numbers of the one Property are stored', schema: propertyPullSchema },
      202: { description: 'All are pulled in the background: poll the job', schema: startedPullSchema },
    },
    errors: [
      'NOT_FOUND',
      'PULL_IN_PROGRESS',
      'PROPERTY_IGNORED',
      'GOOGLE_PERMISSION',
      'GOOGLE_REFUSED',
      'GOOGLE_NOT_CONFIGURED',
    ],
    resource: async ({ body: { domain } }) => (domain === undefined ? null : requireProperty(deps, domain)),
    handle: async ({ resource: property }, { caller, gone }) => {
      if (property !== null) {
        return { status: 200, data: propertyPullView(property.domain, await pullOne(deps, property, gone)) };
      }
      const jobId = await startPull(deps, actorOf(caller));
      return { status: 202, data: { jobId, status: 'running', poll: `/api/jobs/${jobId}` } };
    },
  });
}

/** Pulls among the jobs that `GET /api/jobs/:id` shows. */
export function searchPullJobKind({ pullRuns }: Pick<SearchPullsDeps, 'pullRuns'>): JobKind {
  return {
    schema: pullRunSchema,
    async find(id) {
      const run = await pullRuns.find(id);
      return run === null ? null : pullRunView(run);
    },
  };
}
