import { z } from 'zod';
import type { ServiceStore } from '../../domain/catalog/ports.ts';
import type { ReleaseStore } from '../../domain/deploys/release-store.ts';
import type { WorkloadStates } from '../../domain/deploys/workload-runtime.ts';
import type { WorkloadState } from '../../domain/deploys/workload-state.ts';
import {
  type RuntimeEnvironment,
  type RuntimeState,
  runtimeReplySchema,
} from '../../domain/deploys/workload-state-schema.ts';
import { ENVIRONMENTS, type Environment } from '../../domain/environment.ts';
import { environmentSchema } from '../../domain/environment-schema.ts';
import { requireService } from '../catalog/access.ts';
import { BUILDER_CALLERS } from '../catalog/builder-callers.ts';
import { defineRoute, type Route } from '../http/define-route.ts';

export interface RuntimeRoutesDeps {
  readonly services: ServiceStore;
  readonly releases: Pick<ReleaseStore, 'active'>;
  readonly workloadStates: Pick<WorkloadStates, 'find'>;
}

/** How what runs of a service is (the path is ours). The worker, which has the engine, notes it; this process has none. */
export function runtimeRoutes(deps: RuntimeRoutesDeps): readonly Route[] {
  return [
    defineRoute({
      method: 'get',
      path: '/services/:id/runtime',
      summary: 'How what runs of a service is: status, restarts, health, memory and CPU',
      description: 'As of the last measurement, which the platform makes every minute: see `measuredAt`.',
      tag: 'services',
      callers: BUILDER_CALLERS.viewer,
      params: z.strictObject({ id: z.string().min(1).max(64).describe('Id or name of the service') }),
      query: z.strictObject({ environment: environmentSchema.optional().describe('This one alone; all by default') }),
      responses: { 200: { description: 'Each environment in which something serves', schema: runtimeReplySchema } },
      errors: ['SERVICE_NOT_FOUND'],
      resource: ({ params }, { caller }) => requireService(deps.services, caller, params.id),
      handle: async ({ query, resource: service }) => {
        const asked = query.environment === undefined ? ENVIRONMENTS : [query.environment];
        const found = await Promise.all(asked.map((environment) => runtimeOf(deps, service, environment)));
        return { status: 200, data: { environments: found.flatMap((one) => one ?? []) } };
      },
    }),
  ];
}

/** Of the workload that serves, by the build that started it: another one, or another service's, is not shown. */
async function runtimeOf(
  { releases, workloadStates }: RuntimeRoutesDeps,
  service: { readonly id: string; readonly name: string },
  environment: Environment,
): Promise<RuntimeEnvironment | null> {
  const release = await releases.active(service.name, environment);
  if (release === null || release.serviceId !== service.id) return null;
  const buildId = release.installedBy ?? release.buildId;
  const state = await workloadStates.find(buildId);
  return { environment, releaseId: release.id, buildId, state: state === null ? null : stateView(state) };
}

function stateView({
  status,
  since,
  restarts,
  outOfMemory,
  usage,
  cpuMillis,
  health,
  measuredAt,
}: WorkloadState): RuntimeState {
  return {
    ...{ status, since: since?.toISOString() ?? null, restarts, outOfMemory, health, cpuMillis },
    memoryBytes: usage?.memoryBytes ?? null,
    memoryLimitBytes: usage?.memoryLimitBytes ?? null,
    cpuLimitMillis: usage?.cpuLimitMillis ?? null,
    measuredAt: measuredAt.toISOString(),
  };
}
