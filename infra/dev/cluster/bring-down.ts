import { readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { NODE_PLACES } from '../tools/containerd.ts';
import { runProgram } from '../tools/run-program.ts';
import { CLUSTER_NETWORK, type ClusterPaths, isOurs, readState } from './cluster-folder.ts';
import type { ClusterTools } from './cluster-programs.ts';

const GRACE_MS = 10_000;
/** What the kubelet makes in each hierarchy of control groups. */
const CONTROL_GROUP = 'kubepods';
const CONTROL_GROUPS = '/sys/fs/cgroup';

/**
 * Ends the cluster of a folder and whatever it started, and removes the folder's data: processes by their ids, containers by
 * the socket of their containerd, mounts by their place. Credentials stay. Idempotent.
 */
export async function bringDown(paths: ClusterPaths, tools: ClusterTools | null): Promise<void> {
  const state = await readState(paths);
  const { processes = {} } = state ?? {};
  // The last ones first: nobody starts anew what is ended below it.
  const names = Object.keys(processes).reverse();
  for (const name of names.filter((name) => name !== 'containerd')) await end(processes[name], paths);
  if (tools !== null && state !== null) await removeContainers(paths, tools);
  await end(processes.containerd, paths);
  await endShims(paths);
  await unmountAll(paths);
  if (tools !== null && state !== null) {
    await removeNetwork(paths, tools);
    await removeControlGroups();
  }
  for (const path of [paths.state, paths.kubeconfig, paths.etcd, paths.kubelet, paths.containerd, paths.cni]) {
    await rm(path, { recursive: true, force: true });
  }
}

async function end(pid: number | undefined, paths: ClusterPaths): Promise<void> {
  if (pid === undefined) return;
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!(await isOurs(pid, paths))) return;
    process.kill(pid, signal);
    const deadline = performance.now() + GRACE_MS;
    while (performance.now() < deadline && (await isOurs(pid, paths))) await delay(50);
  }
}

async function removeContainers(paths: ClusterPaths, tools: ClusterTools): Promise<void> {
  const ctr = (...args: readonly string[]): Promise<string> =>
    runProgram(join(dirname(tools.containerd), 'ctr'), ['--address', paths.socket, '--namespace', 'k8s.io', ...args], {
      timeoutMs: GRACE_MS,
    }).catch(() => '');
  const listed = async (what: string): Promise<string[]> =>
    (await ctr(what, 'list', '--quiet')).split('\n').filter((line) => /^[0-9a-f]{64}$/.test(line));
  const ids = await listed('tasks');
  await Promise.all(ids.map((id) => ctr('tasks', 'kill', '--signal', 'SIGKILL', '--all', id)));
  await Promise.all(ids.map((id) => ctr('tasks', 'delete', '--force', id)));
  const kept = await listed('containers');
  if (kept.length > 0) await ctr('containers', 'delete', ...kept);
}

/** What holds a container goes on when its containerd ends; it names the socket of that. */
async function endShims(paths: ClusterPaths): Promise<void> {
  for (const name of await readdir('/proc')) {
    const line = /^\d+$/.test(name) ? await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '') : '';
    if (line.includes('containerd-shim') && line.split('\0').includes(paths.socket)) await end(Number(name), paths);
  }
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

/** The bridge, and the rules that the node set. */
async function removeNetwork({ config }: ClusterPaths, tools: ClusterTools): Promise<void> {
  const folder = dirname(tools.containerd);
  const env = { PATH: `${folder}:${process.env.PATH ?? ''}` };
  const settings = `--config=${join(config, 'kube-proxy.json')}`;
  await runProgram(join(dirname(tools.kubeApiserver), 'kube-proxy'), ['--cleanup', settings], { env }).catch(() => '');
  await runProgram(join(folder, NODE_PLACES.busybox), ['ip', 'link', 'del', CLUSTER_NETWORK.bridge]).catch(() => '');
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
