// Keeps the compiled code of the command line between runs: without it Node translates all TypeScript at every start.
import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const DAY_MS = 24 * 60 * 60 * 1000;
/** Of a version of Node or of Fairlead that is no longer used, most likely; what is still used is compiled again. */
const KEPT_MS = 30 * DAY_MS;

/** Uses the cache, and prunes it once a day. Whatever is wrong with it, a command only starts slower. */
export function useCompileCache() {
  try {
    const folder = cacheFolder();
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (!isOwn(folder)) return;
    module.enableCompileCache?.(folder);
    pruneDaily(folder);
  } catch {
    // Such as a home that nobody may write to.
  }
}

function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fairlead', 'compiled');
}

/** What is in the cache is run as it stands there, so nobody else may write to it. */
function isOwn(folder) {
  const { uid, mode } = statSync(folder);
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
}

/** Prunes the cache of every process of the platform on this machine, which is the same one. */
export function pruneCompileCache() {
  try {
    pruneDaily(cacheFolder());
  } catch {
    // None yet, or one that belongs to somebody else.
  }
}

/** Removes what was compiled long ago, if that was not done within a day. @param now milliseconds */
export function pruneDaily(folder, now = Date.now()) {
  const stamp = join(folder, 'pruned');
  const last = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  if (now - last < DAY_MS) return;
  writeFileSync(stamp, '');
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    // Another process may have removed it just now.
    const writtenAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (entry.isFile() && now - writtenAt > KEPT_MS) rmSync(path, { force: true });
  }
}
