import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CliFailure } from '../cli-failure.ts';

const WAIT_MS = 20_000;
const RETRY_MS = 50;
/** Longer than any holder works; a lock this old was left behind. */
const ABANDONED_MS = 60_000;

/**
 * Does work while no other process of this user does work under the same lock file. A lock whose process is gone is
 * taken over. Should two processes take over at the same instant, both work: what is done here survives that, since the
 * identity provider answers a repeated refresh alike and files are replaced whole.
 *
 * @throws CliFailure LOGIN_BUSY when the lock does not come free
 */
export async function underLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const deadline = performance.now() + WAIT_MS;
  while (!tryLock(path)) {
    if (performance.now() > deadline) {
      throw new CliFailure('LOGIN_BUSY', `Another fairlead process holds ${path}.`, {
        exit: 'conflict',
        remedy: 'Wait for it to end. If none is running, delete that file.',
      });
    }
    if (isAbandoned(path)) rmSync(path, { force: true });
    else await delay(RETRY_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function tryLock(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  }
}

function isAbandoned(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (Date.now() - stats.mtimeMs > ABANDONED_MS) return true;
  const holder = holderOf(path);
  return holder !== null && !isRunning(holder);
}

/** Null while the holder has not written its id yet. */
function holderOf(path: string): number | null {
  try {
    const id = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(id) && id > 0 ? id : null;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null;
    throw error;
  }
}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return !isErrno(error, 'ESRCH');
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
