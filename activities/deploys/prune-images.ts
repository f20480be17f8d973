import type { BuildOutline } from '../../domain/deploys/build-store.ts';
import { earlierRelease } from '../../domain/deploys/earlier-release.ts';
import type { BuiltImage } from '../../domain/deploys/image-builder.ts';
import { eachItem } from '../../domain/each-item.ts';
import type { DeploysDeps } from './deps.ts';
import { eachOnItsOwn, throwFailures } from './each-on-its-own.ts';

type PruneDeps = Pick<DeploysDeps, 'archives' | 'builds' | 'now' | 'images' | 'releases' | 'services' | 'workspace'>;

/** Releases kept for rollback, for each service and environment. */
const RELEASES_KEPT = 2;
const ARCHIVE_MAX_AGE_MS = 24 * 60 * 60 * 1000;

/**
 * Removes images, build cache, archives and source folders that nothing needs. Idempotent: what is gone stays gone.
 * @throws UNAVAILABLE naming what could not be pruned, after all else was
 */
export async function pruneImages(
  deps: PruneDeps,
  signal: AbortSignal,
): Promise<{ removed: number; reclaimedBytes: number }> {
  let pruned: Awaited<ReturnType<PruneDeps['images']['prune']>> = { removed: [], reclaimedBytes: 0 };
  const failures = await eachOnItsOwn(
    [
      { name: 'source folders', prune: () => pruneSources(deps, signal) },
      { name: 'archives', prune: () => pruneArchives(deps, signal) },
      {
        name: 'images',
        prune: async () => {
          pruned = await deps.images.prune((image) => isNeeded(deps, image), signal);
        },
      },
    ],
    { nameOf: ({ name }) => name, work: ({ prune }) => prune(), signal },
  );
  throwFailures('Not everything could be pruned', failures, { retryable: true });
  return { removed: pruned.removed.length, reclaimedBytes: pruned.reclaimedBytes };
}

/**
 * An image is needed by its build while that is open, by a retry or a rollback that goes on with it, and of each service
 * and environment by the last releases, by the one to go back to, and by the newest build, which can be retried if it failed. A removed service has no
 * releases, and nobody retries its builds.
 */
async function isNeeded({ builds, releases, services }: PruneDeps, image: BuiltImage): Promise<boolean> {
  const { service, environment, names } = image;
  const target = { service, environment };
  const isImage = ({ imageTag, imageDigest }: Pick<BuildOutline, 'imageTag' | 'imageDigest'>) =>
    [imageTag, imageDigest].some((name) => name !== null && names.includes(name));
  if ((await builds.stateOf(image.buildId)) === 'open') return true;
  for await (const build of eachItem((page) => builds.listOpen(target, page))) {
    const release = build.releaseId === null ? null : await releases.find(build.releaseId);
    if (isImage(build) || (release !== null && isImage(release))) return true;
  }
  const kept = await releases.list(service, environment, { cursor: null, limit: RELEASES_KEPT });
  if (kept.items.some(isImage)) return true;
  const earlier = await earlierRelease({ releases, builds }, target);
  if (earlier !== null && isImage(earlier)) return true;
  const newest = await builds.newest(target);
  return newest !== null && isImage(newest) && (await services.findConfirmed(newest.serviceId)) !== null;
}

async function pruneArchives({ archives, builds, now }: PruneDeps, signal: AbortSignal): Promise<void> {
  const before = new Date(now().getTime() - ARCHIVE_MAX_AGE_MS);
  await archives.prune(before, (id) => builds.needsArchive(id), signal);
}

/** A folder without a record may belong to a build that is being opened; one with a terminal record is left over. */
async function pruneSources({ workspace, builds }: PruneDeps, signal: AbortSignal): Promise<void> {
  const failures = await eachOnItsOwn(await workspace.builds(), {
    nameOf: (buildId) => buildId,
    work: async (buildId) => {
      if ((await builds.stateOf(buildId)) === 'ended') await workspace.remove(buildId);
    },
    signal,
  });
  throwFailures('Folders could not be removed', failures, { retryable: true });
}
