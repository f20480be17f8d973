import { LRUCache } from 'lru-cache';
import { Counter, Histogram, type Registry } from 'prom-client';
import type { BuildEnd, BuildStore } from '../../domain/deploys/build-store.ts';

const STEP_SECONDS = [0.1, 0.5, 2, 10, 30, 120, 600];
/** Steps that run at once in one worker are far fewer: what a worker began and did not end is forgotten. */
const MOST_STEPS = 1_000;

/**
 * A store of builds that counts what goes through it: ends by status and reason, and how long each attempt of a step took. What was not
 * written, since somebody else had written it, is not counted.
 */
export function meterBuilds(store: BuildStore, registry: Registry): BuildStore {
  const registers = [registry];
  const ended = new Counter({
    ...{ name: 'fairlead_builds_ended_total', registers },
    help: 'Builds whose end this process recorded, by status and by why they failed.',
    labelNames: ['status', 'reason'] as const,
  });
  const seconds = new Histogram({
    ...{ name: 'fairlead_build_step_duration_seconds', registers, buckets: STEP_SECONDS },
    help: 'How long attempts of the steps of deploys took, by how they ended.',
    labelNames: ['step', 'outcome'] as const,
  });
  const begun = new LRUCache<string, number>({ max: MOST_STEPS });
  const count = async (finishing: Promise<boolean>, { status, reason }: BuildEnd): Promise<boolean> => {
    const written = await finishing;
    if (written) ended.labels(status, reason ?? 'none').inc();
    return written;
  };
  return {
    ...store,
    finish: (id, end) => count(store.finish(id, end), end),
    finishUnbegun: (id, end) => count(store.finishUnbegun(id, end), end),
    async markStep(id, step, changes, found) {
      const written = await store.markStep(id, step, changes, found);
      const key = `${id}/${step.key}`;
      const { state, startedAt, finishedAt } = changes;
      if (!written) return written;
      if (state === 'running' && startedAt != null) begun.set(key, startedAt.getTime());
      const since = begun.get(key);
      if (finishedAt != null && since !== undefined) {
        begun.delete(key);
        seconds.labels(step.key, state ?? 'failed').observe(Math.max(0, finishedAt.getTime() - since) / 1_000);
      }
      return written;
    },
  };
}
