import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterApi, ObjectPlace } from './cluster-api.ts';
import type { LivePod, Metadata } from './cluster-objects.ts';
import { podsOf } from './cluster-objects.ts';
import { LABELS, labelSelector } from './names.ts';

const POLL_MS = 200;
/** How long a pod may take beyond its grace to be gone: its node may be slow, or away. */
const BEYOND_GRACE_MS = 60_000;

/**
 * Removes the objects of one workload: its pods get the grace to end what is in flight, and the rest goes behind them.
 * Idempotent. Where a node does not tell that a pod has ended, the cluster removes it later.
 */
export async function removeObjects(
  api: ClusterApi,
  place: ObjectPlace,
  buildId: string,
  graceSeconds: number,
): Promise<void> {
  const { namespace, name } = place;
  await api.remove(place);
  // Nothing makes a pod anew once they are gone; the cluster would remove them a moment later.
  const labels = `${LABELS.build}=${buildId}`;
  for (const { metadata } of (
    await api.list<{ metadata: Metadata }>({ kind: 'ReplicaSet', namespace, labelSelector: labels })
  ).items) {
    await api.remove({ kind: 'ReplicaSet', namespace, name: metadata.name });
  }
  await removePods(api, place, buildId, graceSeconds);
  for (const kind of ['Service', 'Secret', 'NetworkPolicy'] as const) await api.remove({ kind, namespace, name });
}

async function removePods(api: ClusterApi, place: ObjectPlace, buildId: string, graceSeconds: number): Promise<void> {
  const told = new Set<string>();
  const deadline = performance.now() + graceSeconds * 1_000 + BEYOND_GRACE_MS;
  for (;;) {
    const { items } = await podsOf(api, place, buildId);
    if (items.length === 0 || performance.now() > deadline) return;
    const untold = items.filter(({ metadata }: LivePod) => !told.has(metadata.name));
    for (const { metadata } of untold) {
      told.add(metadata.name);
      await api.remove({ kind: 'Pod', namespace: place.namespace, name: metadata.name }, graceSeconds);
    }
    await delay(POLL_MS);
  }
}

/** Removes a namespace of ours in which no workload is left, with all that stands in it. */
export async function removeEmptyNamespace(api: ClusterApi, stackId: string, name: string): Promise<void> {
  const place = { kind: 'Namespace', namespace: null, name } as const;
  const namespace = await api.get<{ readonly metadata: Metadata }>(place);
  if (namespace?.metadata.labels?.[LABELS.stack] !== stackId) return;
  const { items } = await api.list({ kind: 'Deployment', namespace: name, labelSelector: labelSelector(stackId) });
  if (items.length === 0) await api.remove(place);
}
