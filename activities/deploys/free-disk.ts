import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { DeploysDeps } from './deps.ts';

type DiskDeps = Pick<DeploysDeps, 'workspace' | 'images' | 'workflows'> & {
  readonly settings: Pick<DeploysDeps['settings'], 'minFreeDiskBytes' | 'lowDiskBytes'>;
};

/** A disk that stays low because all on it is needed is not searched again before this has passed. */
const PRUNE_REST_MS = 30 * 60_000;
/** How long a build waits for space, which leaves time to fetch its source. */
const PRUNE_WAIT_MS = 300_000;

/**
 * Prunes images once the disk is low, before builds fail for want of space. Looked at every minute. Idempotent: pruning
 * is one workflow at a time.
 * @returns the free bytes, and whether pruning was started for them
 */
export async function pruneWhenDiskIsLow(deps: DiskDeps): Promise<{ freeBytes: number; started: boolean }> {
  const { free } = await fullestDisk(deps);
  const started = free < deps.settings.lowDiskBytes && (await deps.workflows.startPrune({ restMs: PRUNE_REST_MS }));
  return { freeBytes: free, started };
}

/**
 * Sees to it that a build has space. When the disk is low, pruning begins beside the build; when the build would fail,
 * it waits for the end of pruning and looks again.
 * @throws DISK_FULL
 */
export async function requireFreeDisk(deps: DiskDeps, { signal, onLine }: EffectContext): Promise<void> {
  const { minFreeDiskBytes: required } = deps.settings;
  const { what, free } = await fullestDisk(deps);
  if (free >= required) {
    if (free >= deps.settings.lowDiskBytes || !(await deps.workflows.startPrune({ restMs: PRUNE_REST_MS }))) return;
    onLine(`The disk of ${what} is low, ${gib(free)} GiB free: old images are pruned`, 'warn');
    return;
  }
  onLine(`The disk of ${what} has ${gib(free)} GiB free, a build needs ${gib(required)}: pruning old images`, 'warn');
  await awaitPrune(deps, signal);
  const after = await fullestDisk(deps);
  if (after.free >= required) return;
  const message = `The disk of ${after.what} has ${gib(after.free)} GiB free and a build needs ${gib(required)}, after old images were pruned. Remove files there, then retry.`;
  throw new FairleadError('DISK_FULL', message, { details: { freeBytes: after.free, requiredBytes: required } });
}

/** Also when pruning takes too long or fails, the disk is what counts. */
async function awaitPrune({ workflows }: DiskDeps, signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.timeout(PRUNE_WAIT_MS);
  try {
    await workflows.awaitPrune(AbortSignal.any([signal, limit]));
  } catch (error) {
    if (!limit.aborted) throw error;
  }
}

/** Source is checked out on one disk, images are kept on another, or on the same. */
async function fullestDisk({ workspace, images }: DiskDeps): Promise<{ what: string; free: number }> {
  const [ofWorkspace, ofImages] = await Promise.all([workspace.freeBytes(), images.freeBytes()]);
  const checkout = { what: 'the workspace', free: ofWorkspace };
  const store = { what: 'the image store', free: ofImages };
  return store.free < checkout.free ? store : checkout;
}

const gib = (bytes: number) => (bytes / 1024 ** 3).toFixed(1);
