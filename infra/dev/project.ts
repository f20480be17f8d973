import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

export type Env = Readonly<Record<string, string | undefined>>;

/** The root of this checkout. */
export const projectRoot = resolve(import.meta.dirname, '..', '..');

/** Where tools and bundles are kept between checkouts: `$XDG_CACHE_HOME/fairlead` or `~/.cache/fairlead`. */
export function cacheFolder(env: Env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'fairlead');
}

/** Where a stack keeps everything it remembers: `$FAIRLEAD_DATA_DIR` or `.fairlead` in the checkout. */
export function defaultDataFolder(env: Env): string {
  return resolve(env.FAIRLEAD_DATA_DIR || join(projectRoot, '.fairlead'));
}
