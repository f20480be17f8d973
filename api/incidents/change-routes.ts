import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import type { Incident, IncidentUpdate } from '../../domain/incidents/incident.ts';
import { incidentUpdateSchema, newIncidentSchema, resolveSchema } from '../../domain/incidents/schema.ts';
import { orgSlugSchema } from '../../domain/org-slug.ts';
import type { Caller } from '../http/caller.ts';
import { defineRoute, type Route, type RouteContext } from '../http/define-route.ts';
import { ACTORS, ownerOf } from '../monitors/monitor-callers.ts';
import { recordChange } from '../monitors/record-change.ts';
import type { IncidentsDeps } from './deps.ts';
import { incidentParams, requireIncident } from './incident-routes.ts';

/** Its workflow writes the record a moment later: the reply does not pretend to have read it. */
const accepted = { 202: { description: 'It is on its way', schema: z.object({ id: z.string() }) } } as const;

const ofOpen = {
  method: 'post',
  tag: 'incidents',
  callers: ACTORS,
  params: incidentParams,
  responses: accepted,
  errors: ['INCIDENT_NOT_FOUND', 'CONFLICT'],
} as const;

type Requested = Pick<RouteContext, 'requestId' | 'address'>;

/** What people do about an outage; its workflow does it. */
export function incidentChangeRoutes(deps: IncidentsDeps): readonly Route[] {
  return [openRoute(deps), acknowledgeRoute(deps), updateRoute(deps), resolveRoute(deps)];
}

function openRoute(deps: IncidentsDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/api/incidents',
    summary: 'Writes an incident that no check has found',
    tag: 'incidents',
    callers: ACTORS,
    body: newIncidentSchema.extend({ org: orgSlugSchema.optional().describe('For the platform: whose it is') }),
    responses: accepted,
    errors: ['CONFLICT'],
    handle: async ({ body: { title, body, isPublic, org: asked } }, context) => {
      const { caller } = context;
      const id = deps.newId('incident');
      const org = ownerOf(caller, asked, deps.platformOrg);
      deps.changeLimit(org);
      await requireRoom(deps, org);
      await recordChange(deps, context, caller, {
        type: 'incident.opened',
        subject: id,
        orgSlug: org,
        data: { title },
      });
      const facts = { id, org, monitorId: null, sequence: null, title, isPublic, cause: body };
      await deps.incidentCommands.begin({ ...facts, startedAt: deps.now().toISOString() });
      return { status: 202, data: { id } };
    },
  });
}

/** Changes of incidents that people of one org make in a minute. */
export const MOST_CHANGES = 60;

/**
 * Incidents that people of an org wrote, and that may be open at once before they write another one: each is a workflow that runs.
 * What the checks found does not count: in an outage of everything people have something to say.
 */
export const MOST_OPEN = 100;

/** @throws CONFLICT when as many are open */
async function requireRoom({ incidents }: Pick<IncidentsDeps, 'incidents'>, org: string): Promise<void> {
  const { items } = await incidents.list({ org, open: true, monitorId: null }, { cursor: null, limit: MOST_OPEN });
  if (items.length < MOST_OPEN) return;
  throw new FairleadError(
    'CONFLICT',
    `${org} has ${MOST_OPEN} open incidents that people wrote: resolve those that are over`,
  );
}

function acknowledgeRoute(deps: IncidentsDeps): Route {
  return defineRoute({
    ...ofOpen,
    path: '/api/incidents/:id/acknowledge',
    summary: 'Says that somebody is at it',
    resource: ({ params }, { caller }) => requireOpen(deps, caller, params.id),
    handle: async ({ resource: incident }, context) => {
      await acknowledge(deps, context, context.caller, incident);
      return { status: 202, data: { id: incident.id } };
    },
  });
}

function updateRoute(deps: IncidentsDeps): Route {
  return defineRoute({
    ...ofOpen,
    path: '/api/incidents/:id/updates',
    summary: 'Says how it stands; of a public incident the status page shows it',
    body: incidentUpdateSchema,
    resource: ({ params }, { caller }) => requireOpen(deps, caller, params.id),
    handle: async ({ resource: incident, body }, context) => {
      await addUpdate(deps, context, context.caller, { incident, ...body });
      return { status: 202, data: { id: incident.id } };
    },
  });
}

function resolveRoute(deps: IncidentsDeps): Route {
  return defineRoute({
    ...ofOpen,
    path: '/api/incidents/:id/resolve',
    summary: 'Ends an incident',
    description:
      'That of a monitor ends by itself when the monitor is up again. One that fails on begins no second one.',
    body: resolveSchema,
    resource: ({ params }, { caller }) => requireOpen(deps, caller, params.id),
    handle: async ({ resource: incident, body: { note } }, context) => {
      await resolve(deps, context, context.caller, { incident, note });
      return { status: 202, data: { id: incident.id } };
    },
  });
}

/** @throws RATE_LIMITED; UNAVAILABLE */
export async function acknowledge(
  deps: IncidentsDeps,
  context: Requested,
  caller: Caller,
  { id, org }: Incident,
): Promise<void> {
  deps.changeLimit(org);
  await recordChange(deps, context, caller, { type: 'incident.acknowledged', subject: id, orgSlug: org, data: {} });
  await deps.incidentCommands.acknowledge(id, { by: caller.name, at: deps.now().toISOString() });
}

/** @throws RATE_LIMITED; UNAVAILABLE */
export async function addUpdate(
  deps: IncidentsDeps,
  context: Requested,
  caller: Caller,
  { incident: { id, org }, status, body }: Pick<IncidentUpdate, 'status' | 'body'> & { readonly incident: Incident },
): Promise<void> {
  deps.changeLimit(org);
  await recordChange(deps, context, caller, { type: 'incident.updated', subject: id, orgSlug: org, data: { status } });
  await deps.incidentCommands.update(id, { at: deps.now().toISOString(), status, body, by: caller.name });
}

/** @throws RATE_LIMITED; UNAVAILABLE */
export async function resolve(
  deps: IncidentsDeps,
  context: Requested,
  caller: Caller,
  { incident: { id, org }, note }: { readonly incident: Incident; readonly note: string | null },
): Promise<void> {
  deps.changeLimit(org);
  await recordChange(deps, context, caller, { type: 'incident.resolved', subject: id, orgSlug: org, data: {} });
  await deps.incidentCommands.resolve(id, { at: deps.now().toISOString(), by: caller.name, note });
}

/** @throws INCIDENT_NOT_FOUND; CONFLICT for one that has ended */
export async function requireOpen(deps: IncidentsDeps, caller: Caller, id: string): Promise<Incident> {
  const incident = await requireIncident(deps, caller, id);
  if (incident.state !== 'resolved') return incident;
  throw new FairleadError('CONFLICT', `The incident ${id} is resolved: nothing is said of it any more`);
}
