import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** Resident memory of a process, in MiB. */
export async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024;
}

/** The most resident memory that a process has while something goes on, in MiB, looked at ten times a second. */
export async function mostResidentMib(pid: number, work: () => Promise<unknown>): Promise<number> {
  const done = new AbortController();
  let most = await residentMib(pid);
  const watch = async (): Promise<void> => {
    while (!done.signal.aborted) {
      most = Math.max(most, await residentMib(pid));
      await delay(100, undefined, { signal: done.signal }).catch(() => undefined);
    }
  };
  const watching = watch();
  try {
    await work();
  } finally {
    done.abort();
    await watching;
  }
  return most;
}
