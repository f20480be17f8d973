import { json } from 'node:stream/consumers';
import type { ClusterApi } from '../../../adapters/kubernetes/cluster-api.ts';
import { patience } from '../../support/patience.ts';

/** What the cluster tells of the past, and nodes, which keep images for a while. */
const LEFT_OUT = ['events', 'nodes'];

interface Found {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/**
 * Every object of a cluster that names a text anywhere, of every kind that its API lists but {@link LEFT_OUT}, as
 * `kind namespace/name`.
 */
export async function everyObjectThatNames(api: ClusterApi, text: string): Promise<readonly string[]> {
  const read = async <T>(path: string): Promise<T> => (await json(await api.open(path, {}, patience()))) as T;
  const { groups } = await read<{ groups: { preferredVersion: { groupVersion: string } }[] }>('/apis');
  const roots = ['/api/v1', ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const found = roots.map(async (root) => {
    const { resources } = await read<{ resources: { name: string; verbs: string[] }[] }>(root);
    const listed = resources.filter(({ name, verbs }) => verbs.includes('list') && !LEFT_OUT.includes(name));
    const lists = listed.map(async ({ name }) => {
      const { items } = await read<{ items: Found[] }>(`${root}/${name}`);
      const named = items.filter((item) => JSON.stringify(item).includes(text));
      return named.map(({ metadata }) => `${name} ${metadata.namespace ?? ''}/${metadata.name}`);
    });
    return (await Promise.all(lists)).flat();
  });
  return (await Promise.all(found)).flat();
}
