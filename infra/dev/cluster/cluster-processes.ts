import { readdir, readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterPaths } from './cluster-folder.ts';
import type { ClusterProgram } from './cluster-programs.ts';

/** What a cluster runs; a shim holds a container, and goes on when its containerd ends. */
export type ClusterProcess = ClusterProgram['name'] | 'containerd-shim-runc-v2';

const GRACE_MS = 10_000;

/**
 * The processes of a program that were started for this folder, whoever did: their arguments name it. So also those of a start
 * that was killed are known.
 */
export async function processesOf(name: ClusterProcess, paths: Pick<ClusterPaths, 'folder'>): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const ours = await Promise.all(ids.map(async (pid) => ((await isOurs(pid, name, paths)) ? [pid] : [])));
  return ours.flat();
}

/** A kubelet that is not of this folder, in the network of this machine; null for none. A kubelet in a container is none. */
export async function otherNode(paths: Pick<ClusterPaths, 'folder'>): Promise<number | null> {
  const network = (pid: number | string) => readlink(`/proc/${pid}/ns/net`).catch(() => null);
  const ours = await network('self');
  for (const pid of await processesOf('kubelet', { folder: '' })) {
    if (!(await isOurs(pid, 'kubelet', paths)) && (await network(pid)) === ours) return pid;
  }
  return null;
}

/** True for such a process: ids are used again. */
export async function isOurs(
  pid: number,
  name: ClusterProcess,
  { folder }: Pick<ClusterPaths, 'folder'>,
): Promise<boolean> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const words = line.split('\0');
  // The first word is a shell's until it has become the program.
  const isNamed = words.slice(0, 2).some((word) => basename(word) === name);
  return isNamed && words.some((word) => word.includes(`${folder}/`));
}

/** Ends the processes of a program, by force where they do not end by themselves. */
export async function endAll(name: ClusterProcess, paths: Pick<ClusterPaths, 'folder'>): Promise<void> {
  await Promise.all((await processesOf(name, paths)).map((pid) => end(pid, name, paths)));
}

async function end(pid: number, name: ClusterProcess, paths: Pick<ClusterPaths, 'folder'>): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    if (!(await isOurs(pid, name, paths))) return;
    tell(pid, signal);
    const deadline = performance.now() + GRACE_MS;
    while (performance.now() < deadline && (await isOurs(pid, name, paths))) await delay(50);
  }
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It has just ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
