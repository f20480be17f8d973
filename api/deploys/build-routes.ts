import { z } from 'zod';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import { LOCKFILE_KEPT_DAYS } from '../../domain/deploys/build-lockfile.ts';
import type { BuildFilter, BuildStore } from '../../domain/deploys/build-store.ts';
import type { DeployCommands } from '../../domain/deploys/messages.ts';
import { buildStatusSchema, buildSummarySchema, buildViewSchema, lockfileSchema } from '../../domain/deploys/schema.ts';
import { isTerminal } from '../../domain/deploys/status.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import { requireService } from '../catalog/access.ts';
import { type AuditChangeDeps, auditChange } from '../catalog/audit-change.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import type { Caller } from '../http/caller.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import type { LogPlaces } from '../logs/log-places.ts';
import { requireBuild, visibleServiceIds } from './build-access.ts';
import { type BuildLogRouteDeps, buildLogRoute } from './build-log-route.ts';
import { buildSummary, buildView } from './build-view.ts';

export interface BuildRoutesDeps extends BuildLogRouteDeps, AuditChangeDeps {
  readonly services: ServiceStore;
  readonly builds: BuildStore;
  readonly commands: DeployCommands;
}

const tag = 'builds';
const buildParams = z.strictObject({ id: z.string().min(1).max(64).describe('Id of the build') });
const listQuery = z.strictObject({
  service: z.string().min(1).max(64).optional().describe('Name or id'),
  environment: environmentSchema.optional(),
  status: buildStatusSchema.optional(),
  ...pageQueryShape,
});

/** Builds as they are, and their logs (spec 2, "Build record"). */
export function buildRoutes(deps: BuildRoutesDeps, places: LogPlaces): readonly Route[] {
  return [listRoute(deps), showRoute(deps), buildLogRoute(deps, places), lockfileRoute(deps), cancelRoute(deps)];
}

function listRoute(deps: BuildRoutesDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/builds',
    summary: 'Builds, newest first',
    tag,
    callers: BUILDER_CALLERS.viewer,
    query: listQuery,
    responses: { 200: { description: 'A page of builds', schema: pageSchema(buildSummarySchema) } },
    errors: ['SERVICE_NOT_FOUND'],
    handle: async ({ query }, { caller }) => {
      const filter = await buildFilter(deps.services, caller, query);
      const page = await deps.builds.list(filter, { cursor: query.cursor ?? null, limit: query.limit });
      const items = page.items.map((build) => buildSummary(build, deps.now()));
      return { status: 200, data: { items, nextCursor: page.nextCursor } };
    },
  });
}

async function buildFilter(
  services: ServiceStore,
  caller: Caller,
  { service, environment, status }: z.output<typeof listQuery>,
): Promise<BuildFilter> {
  const chosen = {
    ...(environment === undefined ? {} : { environment }),
    ...(status === undefined ? {} : { status }),
  };
  if (service !== undefined) return { ...chosen, serviceId: (await requireService(services, caller, service)).id };
  const serviceIds = await visibleServiceIds(services, caller);
  return serviceIds === null ? chosen : { ...chosen, serviceIds };
}

function showRoute(deps: BuildRoutesDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/builds/:id',
    summary: 'One build with its steps and times',
    tag,
    callers: BUILDER_CALLERS.viewer,
    params: buildParams,
    responses: { 200: { description: 'The build', schema: buildViewSchema } },
    errors: ['BUILD_NOT_FOUND'],
    resource: ({ params }, { caller }) => requireBuild(deps, caller, params.id),
    handle: async ({ resource: build }) => {
      return { status: 200, data: buildView(build, deps.now()) };
    },
  });
}

function lockfileRoute(deps: BuildRoutesDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/builds/:id/lockfile',
    summary: 'The lockfile that the install of a build wrote',
    description: `Of a source without a lockfile, so that its author can commit one. It is kept for ${LOCKFILE_KEPT_DAYS} days.`,
    tag,
    callers: BUILDER_CALLERS.viewer,
    params: buildParams,
    responses: { 200: { description: 'The lockfile', schema: lockfileSchema } },
    errors: ['BUILD_NOT_FOUND', 'NOT_FOUND'],
    resource: ({ params }, { caller }) => requireBuild(deps, caller, params.id),
    handle: async ({ resource: build }) => {
      const buildId = build.facts.lockfile?.buildId;
      const lockfile = buildId === undefined ? null : await deps.builds.lockfileOf(buildId);
      if (buildId !== undefined && lockfile !== null) return { status: 200, data: { buildId, ...lockfile } };
      const why =
        buildId === undefined
          ? 'its source has a lockfile, or its install wrote none'
          : `it was kept for ${LOCKFILE_KEPT_DAYS} days`;
      throw new FairleadError('NOT_FOUND', `Build ${build.id} has no lockfile to show: ${why}`);
    },
  });
}

function cancelRoute(deps: BuildRoutesDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/builds/:id/cancel',
    summary: 'Cancel a build',
    tag,
    callers: BUILDER_CALLERS.member,
    params: buildParams,
    responses: {
      200: { description: 'The build has ended', schema: buildViewSchema },
      202: { description: 'The build is rolling back; follow it until it has ended', schema: buildViewSchema },
    },
    errors: ['BUILD_NOT_FOUND', 'BUILD_FINISHED', 'NOT_FOUND'],
    resource: ({ params }, { caller }) => requireBuild(deps, caller, params.id),
    handle: async ({ resource: build }, context) => {
      const { caller } = context;
      const { id: buildId, service, environment } = build;
      const outcome = isTerminal(build.status)
        ? 'finished'
        : await deps.commands.cancel({ buildId, service, environment });
      if (outcome === 'finished') {
        const now = (await deps.builds.find(buildId)) ?? build;
        if (!isTerminal(now.status)) {
          const message = `No workflow runs build ${buildId}: it was terminated, or ends at this moment. Within a minute the build is recorded as ended.`;
          throw new FairleadError('NOT_FOUND', message, { details: { status: now.status } });
        }
        throw new FairleadError('BUILD_FINISHED', `Build ${buildId} has ended already`, {
          details: { status: now.status, reason: now.reason },
        });
      }
      const owner = await deps.services.find(build.serviceId);
      const data = { buildId, environment, kind: build.kind };
      const of = { name: service, org: owner?.org ?? build.org };
      await auditChange(deps, context, of, { type: 'build.cancel_requested', once: buildId, data });
      const after = await requireBuild(deps, caller, buildId);
      return { status: outcome === 'cancelled' ? 200 : 202, data: buildView(after, deps.now()) };
    },
  });
}
