import type Docker from 'dockerode';
import type { Clock } from '../../domain/clock.ts';
import { engineError } from './docker-client.ts';
import { inspectImage, taggedAt } from './inspect-image.ts';
import { LABELS } from './labels.ts';
import { removeImage } from './remove-image.ts';

/** A base image stays this long after it was pulled; the next build that needs it takes what its registry has by then. */
const KEEP_MS = 30 * 24 * 60 * 60_000;

/**
 * Removes base images that were pulled long ago, so that they neither pile up nor grow old. For an engine of which nobody
 * else has images: of the machine's engine they may be anybody's. What is being built on stays for another time.
 * @returns the names of those that went
 */
export async function pruneBaseImages(
  docker: Docker,
  { now, signal, onWarning }: { now: Clock; signal: AbortSignal; onWarning: (message: string) => void },
): Promise<readonly string[]> {
  const removed: string[] = [];
  try {
    for (const { Id: id, RepoTags: tags, Labels: labels } of await docker.listImages()) {
      signal.throwIfAborted();
      if (labels?.[LABELS.build] !== undefined) continue;
      const pulledAt = taggedAt((await inspectImage(docker, id)) ?? {});
      if (pulledAt === null || pulledAt > now().getTime() - KEEP_MS) continue;
      for (const name of tags ?? [id]) {
        const gone = await removeImage(docker, name);
        if (gone.outcome === 'removed') removed.push(name);
        if (gone.outcome === 'in-use') onWarning(`Base image ${name} is kept: ${gone.reason}`);
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    throw engineError(error, 'Pruning base images', 'UNAVAILABLE', { retryable: true });
  }
  return removed;
}
