import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import type { Incident } from '../../domain/incidents/incident.ts';
import { incidentReply, incidentViewSchema } from '../../domain/incidents/reply-schema.ts';
import { orgSlugSchema } from '../../domain/org-slug.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import type { Caller } from '../http/caller.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { mayKnow, READERS, readableOrg } from '../monitors/monitor-callers.ts';
import type { IncidentsDeps } from './deps.ts';

export const incidentParams = z.strictObject({ id: z.string().min(1).max(100) });

/** Outages, and what people say of them. */
export function incidentRoutes(deps: IncidentsDeps): readonly Route[] {
  return [listRoute(deps), showRoute(deps)];
}

function listRoute({ incidents }: IncidentsDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/incidents',
    summary: 'Incidents of the org of the caller, the newest first; of all orgs for the platform',
    tag: 'incidents',
    callers: READERS,
    query: z.strictObject({
      org: orgSlugSchema.optional().describe('For the platform: of this org alone'),
      open: z.stringbool().optional().describe('Those that are not resolved, or those that are'),
      monitorId: z.string().min(1).max(100).optional(),
      ...pageQueryShape,
    }),
    responses: { 200: { description: 'A page of incidents', schema: pageSchema(incidentViewSchema) } },
    handle: async ({ query: { org, open, monitorId, cursor = null, limit } }, { caller }) => {
      const filter = {
        org: readableOrg(caller) ?? org ?? null,
        ...(open === undefined ? {} : { open }),
        ...(monitorId === undefined ? {} : { monitorId }),
      };
      const { items, nextCursor } = await incidents.list(filter, { cursor, limit });
      return { status: 200, data: { items: items.map(incidentReply), nextCursor } };
    },
  });
}

function showRoute(deps: IncidentsDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/incidents/:id',
    summary: 'One incident, with what was said of it',
    tag: 'incidents',
    callers: READERS,
    params: incidentParams,
    responses: { 200: { description: 'The incident', schema: incidentViewSchema } },
    errors: ['INCIDENT_NOT_FOUND'],
    resource: ({ params }, { caller }) => requireIncident(deps, caller, params.id),
    handle: async ({ resource }) => ({ status: 200, data: incidentReply(resource) }),
  });
}

/** @throws INCIDENT_NOT_FOUND also for one of another org */
export async function requireIncident(
  { incidents }: Pick<IncidentsDeps, 'incidents'>,
  caller: Caller,
  id: string,
): Promise<Incident> {
  const incident = await incidents.find(id);
  if (incident !== null && mayKnow(caller, incident.org)) return incident;
  throw new FairleadError('INCIDENT_NOT_FOUND', `There is no incident ${id}; GET /api/incidents lists yours`);
}
