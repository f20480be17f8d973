import type { BuildRequest } from '../../domain/deploys/build.ts';
import { hasEffectsToUndo } from '../../domain/deploys/plan.ts';
import type { Workload } from '../../domain/deploys/ports.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { DeploysDeps } from './deps.ts';
import { eachOnItsOwn, throwFailures } from './each-on-its-own.ts';
import { undoInstallation } from './restore-previous.ts';

type CleanUpDeps = Pick<DeploysDeps, 'builds' | 'edge' | 'releases' | 'runtime' | 'workspace'>;

const STOP_GRACE_SECONDS = 10;

/**
 * Goes on with an undo of the build that was given up, so that no failed installation stays public; then removes the
 * source of the build, and the workloads of its service and environment that no longer serve. Idempotent: what serves is
 * what is routed, and what is gone stays gone.
 *
 * @throws UNAVAILABLE naming the workloads that could not be removed, after all others were
 */
export async function cleanUpAfterBuild(deps: CleanUpDeps, build: BuildRequest, signal: AbortSignal): Promise<void> {
  const record = await deps.builds.find(build.buildId);
  if (record?.status === 'failed' && hasEffectsToUndo(record)) await undoInstallation(deps, build);
  await deps.workspace.remove(build.buildId);
  const failures = await eachOnItsOwn(await deps.runtime.list(build.service, build.environment), {
    nameOf: ({ id }) => `workload ${id}`,
    work: async (workload) => {
      if (!(await isInUse(deps, workload))) await deps.runtime.remove(workload, STOP_GRACE_SECONDS);
    },
    signal,
  });
  throwFailures('Old workloads could not be removed', failures, { retryable: true });
}

/**
 * True for what an open build installs and for what is routed. In this order: a build routes its workload before it
 * ends, so that a workload which is neither is not about to serve.
 */
async function isInUse(
  { builds, edge }: CleanUpDeps,
  { id, buildId, service, environment }: Workload,
): Promise<boolean> {
  if ((await builds.stateOf(buildId)) === 'open') return true;
  return (await edge.current(service, environment))?.workloadId === id;
}

/**
 * Removes everything of a service, its OAuth clients with their tokens included. Idempotent: what is gone stays gone.
 * @throws SERVICE_BUSY while a build is open; UNAVAILABLE while a client cannot be removed, and then the record stays
 */
export async function removeService(deps: DeploysDeps, service: { id: string; name: string }): Promise<void> {
  const open = await deps.builds.list({ serviceId: service.id, open: true }, { cursor: null, limit: 1 });
  const [busy] = open.items;
  if (busy !== undefined) {
    throw new FairleadError('SERVICE_BUSY', `Build ${busy.id} of ${service.name} is still running: cancel it first.`);
  }
  for (const environment of ENVIRONMENTS) {
    await deps.edge.unroute(service.name, environment);
    for (const workload of await deps.runtime.list(service.name, environment)) {
      await deps.runtime.remove(workload, STOP_GRACE_SECONDS);
    }
  }
  await removeClients(deps, service.id);
  await deps.releases.removeService(service.name);
  await deps.services.remove(service.id);
}

/** Their ids are on the record alone, so this comes before its removal. */
async function removeClients({ services, clients }: DeploysDeps, serviceId: string): Promise<void> {
  const service = await services.find(serviceId);
  if (service === null || clients === null) return;
  for (const { clientId } of Object.values(service.oauthCredentials)) {
    await clients.remove(clientId, { actor: 'internal' });
  }
}
