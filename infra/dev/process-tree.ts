import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { signalIfOurs } from '../../adapters/process/signal-process.ts';
import { isMarkedAlive, markOf, pidOf } from './process-mark.ts';

const LOOK_EVERY_MS = 100;
/** Command lines of a whole machine: with the megabyte that it has else, what is listed would be nothing. */
const MOST_LISTED_BYTES = 64 * 1024 * 1024;

/** Marks of this process's children whose command line contains the text, and of all that they started; none without `ps`. */
export async function treesOf(text: string): Promise<readonly string[]> {
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
  return await Promise.all(roots.flatMap(({ pid }) => tree(pid)).map(markOf));
}

/**
 * Kills those that still run when the time for an orderly end is over, and no other that has got the id of one; what another user runs
 * stays, as a program of `sudo` does.
 */
export async function killLeft(marks: readonly string[], graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  let left = await alive(marks);
  while (left.length > 0 && performance.now() < deadline) {
    await delay(LOOK_EVERY_MS);
    left = await alive(left);
  }
  for (const mark of left) signalIfOurs(pidOf(mark), 'SIGKILL');
}

async function alive(marks: readonly string[]): Promise<readonly string[]> {
  const states = await Promise.all(marks.map(isMarkedAlive));
  return marks.filter((_, index) => states[index]);
}
