import { existsSync } from 'node:fs';
import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Reporter } from '../terminal.ts';
import { runProgram } from '../tools/run-program.ts';
import { type ClusterPaths, readState, takeTurn } from './cluster-folder.ts';
import { removeNetwork, savedTables } from './cluster-network.ts';
import { endAll, processesOf } from './cluster-processes.ts';
import { CLUSTER_PROGRAMS, type ClusterTools } from './cluster-programs.ts';
import { settingsToPutBack, writeKernelSettings } from './kernel-settings.ts';
import { removeTraces } from './kubelet-traces.ts';

const CALL_MS = 10_000;
/** What the kubelet makes in each hierarchy of control groups. */
const CONTROL_GROUP = 'kubepods';
const CONTROL_GROUPS = '/sys/fs/cgroup';
/** What keeps containers going: it ends after them. */
const ENGINE = ['containerd', 'containerd-shim-runc-v2'] as const;

/** {@link removeCluster}, once nobody else brings it up or down. */
export async function bringDown(paths: ClusterPaths, tools: ClusterTools | null, report: Reporter): Promise<void> {
  if (!existsSync(paths.folder)) return;
  const lock = await takeTurn(paths, report);
  try {
    await removeCluster(paths, tools);
  } finally {
    await lock.release();
  }
}

/**
 * Ends the cluster of a folder and whatever it started, also half a start, and removes the folder's data: processes by what
 * their arguments name, containers by the socket of their containerd, mounts by their place. Credentials and logs stay. Idempotent.
 */
export async function removeCluster(paths: ClusterPaths, tools: ClusterTools | null): Promise<void> {
  const state = await readState(paths);
  // The last ones first: nobody starts anew what is ended below it.
  const names = CLUSTER_PROGRAMS.toReversed().filter((name) => name !== 'containerd');
  for (const name of names) await endAll(name, paths);
  if (tools !== null && (await processesOf('containerd', paths)).length > 0) await removeContainers(paths, tools);
  for (const name of ENGINE) await endAll(name, paths);
  await unmountAll(paths);
  if (state !== null) {
    if (tools !== null) await removeNetwork(paths, tools);
    await removeControlGroups();
    await removeTraces(paths);
    const rules = tools === null ? null : await savedTables('iptables', paths, tools);
    await writeKernelSettings(settingsToPutBack(state.kernel, rules));
  }
  // The state last: where this is cut off, the next one goes on.
  for (const path of [paths.kubeconfig, paths.etcd, paths.kubelet, paths.containerd, paths.cni, paths.state]) {
    await rm(path, { recursive: true, force: true });
  }
}

async function removeContainers(paths: ClusterPaths, tools: ClusterTools): Promise<void> {
  const ctr = (...args: readonly string[]): Promise<string> =>
    runProgram(join(dirname(tools.containerd), 'ctr'), ['--address', paths.socket, '--namespace', 'k8s.io', ...args], {
      timeoutMs: CALL_MS,
    }).catch(() => '');
  const listed = async (what: string): Promise<string[]> =>
    (await ctr(what, 'list', '--quiet')).split('\n').filter((line) => /^[0-9a-f]{64}$/.test(line));
  const ids = await listed('tasks');
  await Promise.all(ids.map((id) => ctr('tasks', 'kill', '--signal', 'SIGKILL', '--all', id)));
  await Promise.all(ids.map((id) => ctr('tasks', 'delete', '--force', id)));
  const kept = await listed('containers');
  if (kept.length > 0) await ctr('containers', 'delete', ...kept);
}

/** Mounts below the folder, the innermost first. */
export async function mountsBelow(folder: string): Promise<string[]> {
  const lines = (await readFile('/proc/self/mounts', 'utf8')).split('\n');
  const places = lines.map((line) => (line.split(' ')[1] ?? '').replace(/\\040/g, ' '));
  return places.filter((place) => place.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length);
}

async function unmountAll({ folder }: ClusterPaths): Promise<void> {
  for (const place of await mountsBelow(folder)) {
    // One that is still in use goes away with its last user.
    await runProgram('umount', [place]).catch(() => runProgram('umount', ['--lazy', place]));
  }
}

async function removeControlGroups(): Promise<void> {
  for (const hierarchy of await readdir(CONTROL_GROUPS).catch(() => [])) {
    await removeGroup(join(CONTROL_GROUPS, hierarchy, CONTROL_GROUP));
  }
}

/** A group is removed when it has no other below it, and no process. */
async function removeGroup(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries.filter((one) => one.isDirectory())) await removeGroup(join(path, entry.name));
  await rmdir(path).catch(() => undefined);
}
