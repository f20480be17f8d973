import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { isAlive } from './tools/folder-lock.ts';

const LOOK_EVERY_MS = 100;
/** Command lines of a whole machine: with the megabyte that it has else, what is listed would be nothing. */
const MOST_LISTED_BYTES = 64 * 1024 * 1024;

/** Ids of this process's children whose command line contains the text, and of all that they started; none without `ps`. */
export async function treesOf(text: string): Promise<readonly number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-Aww', '-o', 'pid=,ppid=,args='], {
    maxBuffer: MOST_LISTED_BYTES,
  }).catch(() => ({ stdout: '' }));
  const rows = [...stdout.matchAll(/^\s*(\d+)\s+(\d+)\s+(.*)$/gm)].map(([, pid, parent, command = '']) => {
    return { pid: Number(pid), parent: Number(parent), command };
  });
  const tree = (root: number): number[] => [
    root,
    ...rows.filter(({ parent }) => parent === root).flatMap(({ pid }) => tree(pid)),
  ];
  const roots = rows.filter(({ parent, command }) => parent === process.pid && command.includes(text));
  return roots.flatMap(({ pid }) => tree(pid));
}

/** Kills those that still run when the time for an orderly end is over; what another user runs stays, as a program of `sudo` does. */
export async function killLeft(pids: readonly number[], graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  while (pids.some(isAlive) && performance.now() < deadline) await delay(LOOK_EVERY_MS);
  for (const pid of pids.filter(isAlive)) killProcess(pid);
}

function killProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // ESRCH: it has just ended. EPERM: it is another user's.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
