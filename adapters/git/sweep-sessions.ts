import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../workspace/remove-tree.ts';

export const SESSION_PREFIX = 'fairlead-git-';

/** Old enough that no fetch is still running, even of a process whose id we cannot see (another container). */
const MIN_AGE_MS = 3_600_000;

/**
 * Removes private directories that a killed process left behind: they may hold a token.
 * @param prefix of their names, before the id of their process and a dash
 */
export async function sweepDeadSessions(parent: string, prefix = SESSION_PREFIX): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  for (const name of names) {
    const owner = Number(name.slice(prefix.length).split('-')[0]);
    if (isAlive(owner)) continue;
    const path = join(parent, name);
    const facts = await stat(path).catch(() => null);
    if (facts !== null && facts.mtimeMs < Date.now() - MIN_AGE_MS) await removeTree(path);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
