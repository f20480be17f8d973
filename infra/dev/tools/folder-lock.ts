import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 200;

/** True when a process with that id runs on this machine. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Takes a lock file that holds our pid, or returns the pid of the living process that has it. */
export async function tryLock(path: string): Promise<{ release: () => Promise<void> } | { heldBy: number }> {
  await mkdir(dirname(path), { recursive: true });
  for (;;) {
    try {
      const file = await open(path, 'wx', 0o600);
      await file.writeFile(String(process.pid));
      await file.close();
      return { release: () => rm(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = await readHolder(path);
    if (holder !== undefined && isAlive(holder)) return { heldBy: holder };
    await breakStale(path, holder);
  }
}

/** Waits for a lock; `onWait` is told once who has it. */
export async function waitForLock(
  path: string,
  onWait: (pid: number) => void,
): Promise<{ release: () => Promise<void> }> {
  let told = false;
  for (;;) {
    const lock = await tryLock(path);
    if ('release' in lock) return lock;
    if (!told) onWait(lock.heldBy);
    told = true;
    await delay(POLL_MS);
  }
}

async function readHolder(path: string): Promise<number | undefined> {
  // A lock is empty for the instant between its creation and its first write.
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (/^\d+$/.test(text)) return Number(text);
    await delay(20);
  }
  return undefined;
}

/** Moves a dead lock aside under a name of its own, so that of two breakers only one removes it. */
async function breakStale(path: string, holder: number | undefined): Promise<void> {
  const aside = `${path}.stale-${process.pid}-${Date.now()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const moved = await readHolder(aside);
  if (moved !== undefined && moved !== holder && isAlive(moved)) {
    // Another process took the lock between our look and our move: give it back.
    await rename(aside, path);
    return;
  }
  await rm(aside, { force: true });
}
