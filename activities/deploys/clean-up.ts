import type { BuildRecord, BuildRequest } from '../../domain/deploys/build.ts';
import { isTerminal } from '../../domain/deploys/status.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import { targetKey } from '../../domain/ids.ts';
import type { DeploysDeps } from './deps.ts';

const STOP_GRACE_SECONDS = 10;
/** Releases kept for rollback, for each service and environment. */
const RELEASES_KEPT = 2;
const ARCHIVE_MAX_AGE_MS = 24 * 60 * 60 * 1000;
const PAGE = { cursor: null, limit: 200 } as const;

/** Stops the workloads of a service and environment that no longer serve. Idempotent: what serves is what is routed. */
export async function cleanUpAfterBuild(deps: DeploysDeps, build: BuildRequest, signal: AbortSignal): Promise<void> {
  const { service, environment } = build;
  await deps.workspace.remove(build.buildId);
  const routed = await deps.edge.current(service, environment);
  const open = await deps.builds.list({ serviceId: build.serviceId, environment, open: true }, PAGE);
  const installing = new Set(open.items.map(({ id }) => id));
  for (const workload of await deps.runtime.list(service, environment)) {
    if (workload.id === routed?.workloadId || installing.has(workload.buildId)) continue;
    await deps.runtime.remove(workload, STOP_GRACE_SECONDS);
  }
  await pruneImages(deps, signal);
}

/**
 * Removes images, build cache, archives and source folders that nothing needs. Kept are the images of the last releases
 * of each service and environment, of open builds, and of the newest build, which can be retried if it failed.
 */
export async function pruneImages(
  deps: DeploysDeps,
  signal: AbortSignal,
): Promise<{ removed: number; reclaimedBytes: number }> {
  const open = await listOpenBuilds(deps);
  const keep = new Set([...open, ...(await newestBuilds(deps))].flatMap(imagesOf));
  for (const active of await deps.releases.allActive()) {
    const page = { cursor: null, limit: RELEASES_KEPT };
    const { items } = await deps.releases.list(active.service, active.environment, page);
    for (const name of items.flatMap(imagesOf)) keep.add(name);
  }
  const { removed, reclaimedBytes } = await deps.images.prune(keep, signal);
  await pruneSources(deps, open);
  return { removed: removed.length, reclaimedBytes };
}

function imagesOf({ imageTag, imageDigest }: { imageTag: string | null; imageDigest: string | null }): string[] {
  return [imageTag, imageDigest].filter((name) => name !== null);
}

/** The newest build of each service and environment among the latest ones. */
async function newestBuilds(deps: DeploysDeps): Promise<readonly BuildRecord[]> {
  const { items } = await deps.builds.list({}, PAGE);
  const newest = new Map<string, BuildRecord>();
  for (const build of items) {
    const key = targetKey(build.service, build.environment);
    if (!newest.has(key)) newest.set(key, build);
  }
  return [...newest.values()];
}

async function listOpenBuilds(deps: DeploysDeps) {
  return (await deps.builds.list({ open: true }, PAGE)).items;
}

async function pruneSources(deps: DeploysDeps, open: Awaited<ReturnType<typeof listOpenBuilds>>): Promise<void> {
  const archives = open.flatMap(({ source }) => (source.kind === 'archive' ? [source.archiveId] : []));
  await deps.archives.prune(new Date(deps.clock().getTime() - ARCHIVE_MAX_AGE_MS), new Set(archives));
  const openIds = new Set(open.map(({ id }) => id));
  for (const buildId of await deps.workspace.builds()) {
    if (openIds.has(buildId)) continue;
    const record = await deps.builds.find(buildId);
    // A folder without a record may belong to a build that is being opened, and a build may have been opened since the
    // open ones were listed; one with a terminal record is left over.
    if (record !== null && isTerminal(record.status)) await deps.workspace.remove(buildId);
  }
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
