import { readFileSync, statSync } from 'node:fs';
import { FairleadError } from '../../domain/errors.ts';
import type { HostTarget } from './host-name.ts';
import { type Route, routeFile, routeSchema } from './route-files.ts';

/** Looks a route up; a file that has not changed is not read again. */
export type FindRoute = (target: HostTarget) => Route | null;

/**
 * Reads routes from their files. A look at the file's identity for each request costs some microseconds and is what
 * makes a switch take effect at once, in every router process, without a message.
 */
export function createRouteCache(directory: string): FindRoute {
  const known = new Map<string, { identity: string; route: Route }>();
  return ({ service, environment }) => {
    const path = routeFile(directory, service, environment);
    const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
    if (stat === undefined) {
      known.delete(path);
      return null;
    }
    const identity = `${stat.ino}:${stat.mtimeNs}:${stat.size}`;
    const cached = known.get(path);
    if (cached?.identity === identity) return cached.route;
    const route = parse(path);
    known.set(path, { identity, route });
    return route;
  };
}

function parse(path: string): Route {
  try {
    return routeSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (cause) {
    throw new FairleadError('INTERNAL', `${path} is not a route`, { cause });
  }
}
