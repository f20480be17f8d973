import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { ClusterApi, ObjectPlace } from './cluster-api.ts';
import { type DeploymentObject, hasStarted, type LivePod } from './cluster-objects.ts';
import { LABELS } from './names.ts';
import { type EventObject, rolloutFailure } from './rollout-failures.ts';
import { watchObjects } from './watch-objects.ts';

/** How long a workload may wait for a node, or for its image, before it is given up. */
const START_DEADLINE_MS = 180_000;

/**
 * Watches a deployment until a process of it has started. What may pass by itself, such as a full cluster, is told and waited
 * for; a process that ends again has started, and whoever waits for its health finds out.
 * @returns null, or why it does not start, in words
 * @throws UNAVAILABLE (retryable) where somebody removes it meanwhile
 */
export async function untilStarted(
  api: ClusterApi,
  { place, buildId }: { readonly place: ObjectPlace; readonly buildId: string },
  { signal, onLine }: EffectContext,
): Promise<string | null> {
  const { namespace, name } = place;
  const labelSelector = `${LABELS.build}=${buildId}`;
  const watched = await watchObjects(api, [
    { kind: 'Deployment', namespace, labelSelector },
    { kind: 'Pod', namespace, labelSelector },
    { kind: 'Event', namespace },
  ]);
  const deadline = performance.now() + START_DEADLINE_MS;
  let told = '';
  try {
    for (;;) {
      signal.throwIfAborted();
      const pods = watched.objects<LivePod>(1).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      if (pods.some(hasStarted)) return null;
      const [deployment] = watched.objects<DeploymentObject>(0);
      if (deployment === undefined || deployment.metadata.deletionTimestamp !== undefined) {
        const message = 'Its deployment was removed while it was started';
        throw new FairleadError('UNAVAILABLE', message, { retryable: true });
      }
      const failure = rolloutFailure({ deployment, pods, events: eventsOf(watched.objects(2), name) });
      if (failure?.isFinal) return failure.message;
      const isLate = performance.now() > deadline;
      if (isLate) return failure?.message ?? `No process of it started within ${START_DEADLINE_MS / 1000} seconds`;
      if (failure !== null && failure.message !== told) onLine(failure.message, 'warn');
      told = failure?.message ?? told;
      await watched.changed(signal);
    }
  } finally {
    await watched.stop();
  }
}

type InvolvedEvent = EventObject & { readonly involvedObject?: { readonly name?: string } };

/** Replica sets and pods have the name of their deployment in front of theirs. */
export function eventsOf(events: readonly InvolvedEvent[], name: string): readonly EventObject[] {
  return events.filter(({ involvedObject }) => `${involvedObject?.name}-`.startsWith(`${name}-`));
}
