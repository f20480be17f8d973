import { setTimeout as delay } from 'node:timers/promises';
import type Docker from 'dockerode';
import { z } from 'zod';
import type { BuiltImage } from '../../domain/deploys/image-builder.ts';
import { ENVIRONMENTS } from '../../domain/environment.ts';
import { engineError, engineMessage } from './docker-client.ts';
import { LABELS, labelFilter } from './labels.ts';
import { type RegistryAuth, registryHost } from './registry-auth.ts';
import { deleteManifest } from './registry-manifests.ts';
import { removeImage } from './remove-image.ts';

export interface PruneOptions {
  readonly docker: Docker;
  /** The engine that workloads run in: the images that its containers use stay. */
  readonly workloads: Docker;
  readonly registry: RegistryAuth;
  readonly stackId: string;
  /** Build cache above this is given back, oldest first. */
  readonly cacheLimitBytes?: number;
  readonly onWarning: (message: string) => void;
}

const CACHE_LIMIT_BYTES = 10 * 1024 ** 3;
const CACHE_UNUSED_FOR = '48h';
const ASK_AGAIN_MS = 500;

interface ImageRow {
  readonly id: string;
  readonly sizeBytes: number;
  readonly tags: readonly string[];
  readonly digests: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Removes this stack's images that nothing needs and no container uses, with their manifests in our registry, then build
 * cache that is old or over the limit. Images without the stack's labels are never touched. Idempotent.
 */
export async function pruneImages(
  isNeeded: (image: BuiltImage) => Promise<boolean>,
  signal: AbortSignal,
  options: PruneOptions,
): Promise<{ removed: readonly string[]; reclaimedBytes: number }> {
  const { docker, workloads, stackId } = options;
  const images = await stackImages(docker, stackId);
  const bytesOf = await ownBytes(docker, signal);
  const used = await usedImages(workloads);
  const removed: string[] = [];
  let layersFreed = 0;
  for (const image of images) {
    signal.throwIfAborted();
    if (used.has(image.id)) continue;
    const built = builtImage(image);
    if (built === null || (await isNeeded(built))) continue;
    // First: once the engine has forgotten the image, nothing names its manifests. Killed in between, both are asked again.
    await removeManifests(image, signal, options);
    if (!(await removeNames(image, options))) continue;
    layersFreed += bytesOf.get(image.id) ?? 0;
    removed.push(...(image.tags.length > 0 ? image.tags : [image.id]));
  }
  return { removed, reclaimedBytes: layersFreed + (await pruneBuildCache(signal, options)) };
}

async function stackImages(docker: Docker, stackId: string): Promise<ImageRow[]> {
  const images = await docker.listImages({ filters: labelFilter(stackId) });
  return images.map((image) => ({
    id: image.Id,
    sizeBytes: image.Size,
    tags: (image.RepoTags ?? []).filter((tag) => tag !== '<none>:<none>'),
    digests: (image.RepoDigests ?? []).filter((digest) => !digest.startsWith('<none>')),
    labels: image.Labels ?? {},
  }));
}

/** Null for an image whose labels do not say which build made it: such a one is nobody's to remove. */
function builtImage({ tags, digests, labels }: ImageRow): BuiltImage | null {
  const { [LABELS.build]: buildId, [LABELS.service]: service, [LABELS.environment]: name } = labels;
  const environment = ENVIRONMENTS.find((known) => known === name);
  if (buildId === undefined || service === undefined || environment === undefined) return null;
  return { buildId, service, environment, names: [...tags, ...digests] };
}

async function usedImages(docker: Docker): Promise<Set<string>> {
  const containers = await docker.listContainers({ all: true });
  return new Set(containers.map((container) => container.ImageID));
}

/** @returns false when the engine holds on to the image, which is then left for another time */
async function removeNames(image: ImageRow, { docker, onWarning }: PruneOptions): Promise<boolean> {
  const names = image.tags.length > 0 ? image.tags : [image.id];
  for (const name of names) {
    const gone = await removeImage(docker, name).catch((error: unknown) => {
      throw engineError(error, `Removing image ${name}`, 'UNAVAILABLE');
    });
    if (gone.outcome !== 'in-use') continue;
    onWarning(`Image ${name} is kept: ${gone.reason}`);
    return false;
  }
  return true;
}

async function removeManifests(
  image: ImageRow,
  signal: AbortSignal,
  { registry, onWarning }: PruneOptions,
): Promise<void> {
  for (const digest of image.digests) {
    if (!digest.startsWith(`${registryHost(registry)}/`)) continue;
    const problem = await deleteManifest(digest, registry, signal);
    if (problem !== null) onWarning(`The registry keeps ${digest}: ${problem}`);
  }
}

const cacheAnswer = z.object({ SpaceReclaimed: z.number().nullish() });

async function pruneBuildCache(signal: AbortSignal, options: PruneOptions): Promise<number> {
  const limit = String(options.cacheLimitBytes ?? CACHE_LIMIT_BYTES);
  const old = await pruneCache(
    options.docker,
    { filters: JSON.stringify({ until: { [CACHE_UNUSED_FOR]: true } }) },
    signal,
  );
  // The second name is that of engines from 28 on.
  const over = await pruneCache(options.docker, { 'keep-storage': limit, 'reserved-space': limit }, signal);
  return old + over;
}

/** The client library's own call drops the options, so the request is made by hand. */
async function pruneCache(docker: Docker, query: Record<string, string>, signal: AbortSignal): Promise<number> {
  const answer = await new Promise<unknown>((resolve, reject) => {
    const options = { all: 'true', ...query };
    const statusCodes = { 200: true, 500: 'server error' };
    const request = { path: '/build/prune?', method: 'POST', options, statusCodes, abortSignal: signal };
    docker.modem.dial(request, (error: unknown, data: unknown) => (error ? reject(error) : resolve(data)));
  }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw engineError(error, 'Pruning the build cache', 'UNAVAILABLE', { retryable: true });
  });
  return cacheAnswer.parse(answer).SpaceReclaimed ?? 0;
}

const usage = z.object({
  Images: z.array(z.object({ Id: z.string(), Size: z.number(), SharedSize: z.number() })).nullish(),
});

/** The engine measures for one caller at a time, and refuses others meanwhile. */
async function diskUsage(docker: Docker, signal: AbortSignal): Promise<unknown> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await docker.df();
    } catch (error) {
      if (!/already running/.test(engineMessage(error))) throw engineError(error, 'Measuring images', 'UNAVAILABLE');
    }
    await delay(ASK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** By image, the bytes of the layers that no other image has: others build and remove images of the engine meanwhile. */
async function ownBytes(docker: Docker, signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
  const images = usage.parse(await diskUsage(docker, signal)).Images ?? [];
  return new Map(images.map(({ Id, Size, SharedSize }) => [Id, Math.max(0, Size - Math.max(0, SharedSize))]));
}
