import type Docker from 'dockerode';
import type { Clock } from '../../domain/clock.ts';
import { engineError, engineMessage, engineStatus } from './docker-client.ts';
import { inspectImage, taggedAt } from './inspect-image.ts';
import { LABELS } from './labels.ts';

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
      for (const name of tags ?? [id]) if (await remove(docker, name, onWarning)) removed.push(name);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw engineError(error, 'Pruning base images', 'UNAVAILABLE', { retryable: true });
  }
  return removed;
}

async function remove(docker: Docker, name: string, onWarning: (message: string) => void): Promise<boolean> {
  try {
    await docker.getImage(name).remove();
    return true;
  } catch (error) {
    if (engineStatus(error) === 404) return false;
    if (engineStatus(error) !== 409) throw error;
    onWarning(`Base image ${name} is kept: ${engineMessage(error)}`);
    return false;
  }
}
