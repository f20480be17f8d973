import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { writePrivateJson } from '../data-folder.ts';
import type { Env } from '../project.ts';

/** Where a cluster of this machine keeps all it has: `$FAIRLEAD_CLUSTER_DIR`, else a short path, as paths of its sockets are bounded. */
export function clusterFolder(env: Env): string {
  return resolve(env.FAIRLEAD_CLUSTER_DIR || '/var/lib/fairlead-cluster');
}

/** What the machine and the pods know the node by. Both networks are private to this machine. */
export const CLUSTER_NETWORK = {
  bridge: 'flcluster0',
  /** Of the bridge: the node has no address that another machine reaches. */
  nodeAddress: '10.99.0.1',
  podRange: '10.99.0.0/24',
  serviceRange: '10.98.0.0/24',
  apiServerService: '10.98.0.1',
} as const;

export const NODE_NAME = 'fairlead';

/** Places below the folder. */
export function clusterPaths(folder: string) {
  const at = (...parts: readonly string[]): string => join(folder, ...parts);
  return {
    folder,
    state: at('state.json'),
    kubeconfig: at('kubeconfig'),
    pki: at('pki'),
    logs: at('logs'),
    etcd: at('etcd'),
    kubelet: at('kubelet'),
    containerd: at('containerd'),
    socket: at('containerd', 'containerd.sock'),
    cni: at('cni'),
    config: at('config'),
  } as const;
}

export type ClusterPaths = ReturnType<typeof clusterPaths>;

const stateSchema = z.object({
  ports: z.record(z.string(), z.number()),
  /** Process ids by the name of the program. */
  processes: z.record(z.string(), z.number()),
});

export type ClusterState = z.infer<typeof stateSchema>;

/** Null where no cluster was brought up. */
export async function readState({ state }: Pick<ClusterPaths, 'state'>): Promise<ClusterState | null> {
  const text = await readFile(state, 'utf8').catch(() => null);
  return text === null ? null : stateSchema.parse(JSON.parse(text));
}

export async function writeState({ state }: Pick<ClusterPaths, 'state'>, value: ClusterState): Promise<void> {
  await writePrivateJson(state, value);
}

/** True for a process that was started for this folder: ids are used again, arguments name the folder. */
export async function isOurs(pid: number, { folder }: Pick<ClusterPaths, 'folder'>): Promise<boolean> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return line.split('\0').some((word) => word.includes(`${folder}/`));
}
