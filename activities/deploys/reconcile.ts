import type { BuildRecord } from '../../domain/deploys/build.ts';
import { buildWorkflowId, coordinatorWorkflowId } from '../../domain/deploys/messages.ts';
import type { Workload } from '../../domain/deploys/ports.ts';
import type { Release } from '../../domain/deploys/release.ts';
import type { DeploysDeps } from './deps.ts';
import { note } from './open-build.ts';
import { workloadOf } from './release-of-build.ts';

/** A record this young may belong to a build whose workflow is just being started. */
const GRACE_MS = 60_000;

/** Ends open builds that no workflow works on any more. Idempotent: a terminal record does not change again. */
export async function reconcileBuilds(deps: DeploysDeps): Promise<string[]> {
  const abandoned: string[] = [];
  const { items } = await deps.builds.list({ open: true }, { cursor: null, limit: 200 });
  for (const record of items) {
    if (await isWorkedOn(deps, record)) continue;
    const message =
      'No workflow works on this build any more: it was terminated or its history is gone. Trigger it again.';
    await note(deps, record.id, message, 'error');
    await deps.builds.finish(record.id, {
      status: 'failed',
      reason: 'abandoned',
      failure: { code: 'BUILD_ABANDONED', message, step: null },
      supersededBy: null,
      finishedAt: deps.clock(),
    });
    abandoned.push(record.id);
  }
  return abandoned;
}

async function isWorkedOn(deps: DeploysDeps, record: BuildRecord): Promise<boolean> {
  if (deps.clock().getTime() - record.createdAt.getTime() < GRACE_MS) return true;
  if (await deps.workflows.isRunning(buildWorkflowId(record.id))) return true;
  return await deps.workflows.isRunning(coordinatorWorkflowId(record.service, record.environment));
}

/**
 * Starts the workload of every active release that is not running, and points its route at it. Every workload that no
 * build is starting is held to the limits of its tier. Idempotent: sets states.
 */
export async function reconcileWorkloads(deps: DeploysDeps, signal: AbortSignal): Promise<string[]> {
  const restarted: string[] = [];
  const workloads = await deps.runtime.listAll();
  await settleWorkloads(deps, workloads, signal);
  for (const release of await deps.releases.allActive()) {
    signal.throwIfAborted();
    // A deploy in progress decides itself where the route goes.
    const open = await deps.builds.list(
      { serviceId: release.serviceId, environment: release.environment, open: true },
      { cursor: null, limit: 1 },
    );
    if (open.items.length > 0) continue;
    const workload = workloads.find(({ releaseId }) => releaseId === release.id);
    if (await ensureServing(deps, release, workload, signal)) restarted.push(release.id);
  }
  return restarted;
}

/** Settles what a build left that ended, or whose worker was killed, between start and readiness. */
async function settleWorkloads(deps: DeploysDeps, workloads: readonly Workload[], signal: AbortSignal): Promise<void> {
  // Listed after the workloads, so that the build of a workload is open here unless it has ended.
  const open = await deps.builds.list({ open: true }, { cursor: null, limit: 200 });
  const starting = new Set(open.items.map(({ id }) => id));
  for (const workload of workloads) {
    signal.throwIfAborted();
    if (!starting.has(workload.buildId)) await deps.runtime.settle(workload);
  }
}

async function ensureServing(
  deps: DeploysDeps,
  release: Release,
  workload: Workload | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const running = await bringUp(deps, release, workload, signal);
  const routed = await deps.edge.current(release.service, release.environment);
  if (routed?.workloadId !== running.id || routed.address !== running.address) {
    await deps.edge.route(release.service, release.environment, { workloadId: running.id, address: running.address });
  }
  if (workload?.running === true) return false;
  // Nobody waits here until it is ready: it starts within the limits of its tier.
  await deps.runtime.settle(running);
  return true;
}

async function bringUp(
  deps: DeploysDeps,
  release: Release,
  workload: Workload | undefined,
  signal: AbortSignal,
): Promise<Workload> {
  if (workload === undefined) {
    const spec = await workloadOf(deps, release, release.buildId);
    return await deps.runtime.start(spec, { signal, onLine: () => undefined });
  }
  return workload.running ? workload : await deps.runtime.resume(workload, signal);
}
