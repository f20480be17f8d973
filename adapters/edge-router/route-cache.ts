import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { RouteTarget } from '../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { HostTarget } from './host-name.ts';
import { newestNumber, numberedFile, parseRoute, routeFolder } from './route-files.ts';

/** Looks a route up; a file that is still in force is not read again. */
export type FindRoute = (target: HostTarget) => RouteTarget | null;

interface KnownRoute {
  readonly number: number;
  /** Of the file that was read: another file of the same number is another route. */
  readonly identity: string;
  readonly target: RouteTarget | null;
}

/**
 * Reads routes from their files. Asking whether the known file is there, and the next one is not, costs some microseconds
 * for each request and is what makes a switch take effect at once, in every router process, without a message.
 */
export function createRouteCache(directory: string): FindRoute {
  const known = new Map<string, KnownRoute>();
  return (host) => {
    const folder = routeFolder(directory, host);
    const cached = known.get(folder);
    if (cached !== undefined && isInForce(folder, cached)) return cached.target;
    const read = readNewest(folder);
    if (read === null) known.delete(folder);
    else known.set(folder, read);
    return read?.target ?? null;
  };
}

function isInForce(folder: string, { number, identity }: KnownRoute): boolean {
  return identityOf(numberedFile(folder, number)) === identity && !existsSync(numberedFile(folder, number + 1));
}

function identityOf(path: string): string | null {
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat === undefined ? null : `${stat.ino}:${stat.mtimeNs}:${stat.size}`;
}

/** Null where no route was ever set. */
function readNewest(folder: string): KnownRoute | null {
  for (;;) {
    const number = existsSync(folder) ? newestNumber(readdirSync(folder)) : 0;
    const path = numberedFile(folder, number);
    const identity = identityOf(path);
    const target = identity === null ? undefined : readTarget(path);
    if (identity !== null && target !== undefined && identityOf(path) === identity) return { number, identity, target };
    if (number === 0 && !existsSync(folder)) return null;
    // Replaced while it was read; or the folder was made, and its first route is not there yet.
    if (number === 0 && newestNumber(readdirSync(folder)) === 0) return null;
  }
}

/** Undefined when it has just been replaced. */
function readTarget(path: string): RouteTarget | null | undefined {
  try {
    return parseRoute(readFileSync(path, 'utf8')).target;
  } catch (cause) {
    if (!existsSync(path)) return undefined;
    throw new FairleadError('INTERNAL', `${path} is not a route`, { cause });
  }
}
