import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { writePrivateJson } from '../data-folder.ts';
import type { Env } from '../project.ts';
import type { Reporter } from '../terminal.ts';
import { waitForLock } from '../tools/folder-lock.ts';

/** Where a cluster of this machine keeps all it has: `$FAIRLEAD_CLUSTER_DIR`, else a short path, as paths of its sockets are bounded. */
export function clusterFolder(env: Env): string {
  return resolve(env.FAIRLEAD_CLUSTER_DIR || '/var/lib/fairlead-cluster');
}

/** What the machine and the pods know the node by. Both networks are private to this machine. */
export const CLUSTER_NETWORK = {
  bridge: 'flcluster0',
  /** Else a bridge has that of its first port, and another one when that pod goes: the others send to the former one for a while. */
  bridgeHardware: '0a:58:0a:63:00:01',
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
  /** What the kernel's settings were before. */
  kernel: z.record(z.string(), z.string()),
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

/** One at a time brings a cluster up or down. */
export async function takeTurn({ folder }: Pick<ClusterPaths, 'folder'>, report: Reporter) {
  return await waitForLock(join(folder, 'cluster.lock'), (pid) =>
    report.line(`Process ${pid} brings the cluster up or down, waiting`),
  );
}
