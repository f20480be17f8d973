import { setTimeout as delay } from 'node:timers/promises';
import type { Informer, KubernetesListObject, KubernetesObject } from '@kubernetes/client-node';
import type { ClusterApi, ListPlace } from './cluster-api.ts';
import { resourcePath } from './resources.ts';

/** The objects of some lists as they are now, kept up to date by the cluster. */
export interface WatchedObjects {
  /** Resolves when anything has changed since the last call, or after a while in any case. */
  changed(signal: AbortSignal): Promise<void>;
  /** What is known of the n-th list. */
  objects<T>(index: number): readonly T[];
  stop(): Promise<void>;
}

/** A watch that is cut off says nothing: what waits for a change looks anew after this. */
const LOOK_EVERY_MS = 5_000;
const RESTART_MS = 500;

/** Follows lists by informers: each is read once, and then told of every change. */
export async function watchObjects(api: ClusterApi, places: readonly ListPlace[]): Promise<WatchedObjects> {
  const [{ makeInformer }, config] = await Promise.all([import('@kubernetes/client-node'), api.config()]);
  let isStopped = false;
  let tell = Promise.withResolvers<void>();
  const onChange = (): void => tell.resolve();
  const informers = places.map((place) => {
    const read = () => listOf(api, place);
    const path = resourcePath(place.kind, place.namespace);
    const informer = makeInformer(config, path, read, place.labelSelector);
    for (const verb of ['add', 'update', 'delete'] as const) informer.on(verb, onChange);
    // It stops at an error: the next start reads the list anew.
    informer.on('error', () => void restart(informer, () => isStopped));
    return informer;
  });
  await Promise.all(informers.map((informer) => informer.start()));
  return {
    async changed(signal) {
      await Promise.race([tell.promise, delay(LOOK_EVERY_MS, undefined, { signal })]);
      tell = Promise.withResolvers();
    },
    objects: <T>(index: number) => (informers[index]?.list() ?? []) as readonly T[],
    async stop() {
      isStopped = true;
      await Promise.all(informers.map((informer) => informer.stop()));
    },
  };
}

async function restart(informer: Informer<KubernetesObject>, isStopped: () => boolean): Promise<void> {
  await delay(RESTART_MS);
  if (!isStopped()) await informer.start().catch(() => restart(informer, isStopped));
}

async function listOf(api: ClusterApi, place: ListPlace): Promise<KubernetesListObject<KubernetesObject>> {
  const { items, resourceVersion } = await api.list<KubernetesObject>(place);
  return { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion }, items: [...items] };
}
