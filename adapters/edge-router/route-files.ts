import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { DeployTarget } from '../../domain/deploys/build-store.ts';
import { epochIsOver } from '../../domain/deploys/epoch.ts';
import type { EdgeRouter } from '../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';
import { probeHttp } from '../http-probe/probe-http.ts';

/**
 * The public routes of this machine as files. Each service and environment has a folder, whose file with the highest
 * number is the route in force; the router looks for it at every request (`route-cache.ts`), so that a switch is in force
 * when it returns. A writer links the number after the one it read, which fails when another writer was faster: of two
 * that compared their epochs with the same route, one reads again. So comparing and writing are one act, whoever is
 * paused or killed in between.
 */

export interface RouteFilesOptions {
  readonly routesDirectory: string;
  readonly domain: string;
  /** Of public addresses. The router listens on it on the loopback interface, unless `innerUrl` says where else. */
  readonly port: number;
  /** Where the platform itself reaches the router, on whatever machine that is. */
  readonly innerUrl?: string | undefined;
}

export const routeSchema = z.strictObject({
  serviceId: z.string().min(1).optional(),
  workloadId: z.string().min(1),
  address: z.url({ protocol: /^http$/ }),
});

/** `target` is null where the route was taken away: its epoch still refuses older ones. */
const storedSchema = z.object({ epoch: z.number(), target: routeSchema.nullable() });

export type StoredRoute = z.infer<typeof storedSchema>;

/** Of routes that version 0.1 set, and where none was set. */
const NO_EPOCH = 0;

const NUMBERED = /^(\d+)\.json$/;

/** Folder of a route. The names are DNS labels: they cannot leave the directory. */
export function routeFolder(directory: string, { service, environment }: DeployTarget): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(service)) {
    throw new FairleadError('VALIDATION_FAILED', `${JSON.stringify(service)} cannot be a host name`);
  }
  return join(directory, `${service}.${environment}`);
}

/** The highest number of the files in a route's folder; 0 without one. */
export function newestNumber(names: readonly string[]): number {
  return Math.max(0, ...names.map((name) => Number(NUMBERED.exec(name)?.[1] ?? 0)));
}

/** File of that number; 0 is the one of version 0.1, beside the folder. */
export function numberedFile(folder: string, number: number): string {
  return number === 0 ? `${folder}.json` : join(folder, `${number}.json`);
}

/** @throws ZodError for what is no route */
export function parseRoute(text: string): StoredRoute {
  const stored = parseJson(text);
  const old = routeSchema.safeParse(stored);
  return old.success ? { epoch: NO_EPOCH, target: old.data } : storedSchema.parse(stored);
}

export function createEdgeRouter({ routesDirectory, domain, port, innerUrl }: RouteFilesOptions): EdgeRouter {
  const address = innerUrl ?? `http://127.0.0.1:${port}`;
  const url: EdgeRouter['url'] = (service, environment) => `http://${service}.${environment}.${domain}:${port}`;
  const bare = (service: string): string => `http://${service}.${domain}:${port}`;
  const set = async (target: DeployTarget, route: StoredRoute) =>
    await replaceRoute(routeFolder(routesDirectory, target), target, route);
  return {
    url,
    urls: (service, environment) => [url(service, environment), ...(environment === 'prod' ? [bare(service)] : [])],
    async current(service, environment) {
      const { text } = await readNewest(routeFolder(routesDirectory, { service, environment }));
      return text === null ? null : parseRoute(text).target;
    },
    route: async (service, environment, target, epoch) =>
      await set({ service, environment }, { epoch, target: routeSchema.parse(target) }),
    unroute: (service, environment, epoch) => set({ service, environment }, { epoch, target: null }),
    probe: (service, environment, path, signal) =>
      probeHttp({ address, path, publicUrl: url(service, environment) }, signal),
  };
}

/** @throws CONFLICT when the route in force is of a newer epoch */
async function replaceRoute(folder: string, target: DeployTarget, route: StoredRoute): Promise<void> {
  await mkdir(folder, { recursive: true });
  const temporary = join(folder, `${randomUUID()}.tmp`);
  await writeDurably(temporary, JSON.stringify(route));
  try {
    while (!(await tryToReplace(folder, target, { route, temporary })));
  } finally {
    await rm(temporary, { force: true });
  }
}

/** False when another writer was faster. */
async function tryToReplace(
  folder: string,
  target: DeployTarget,
  { route, temporary }: { readonly route: StoredRoute; readonly temporary: string },
): Promise<boolean> {
  const { number, text } = await readNewest(folder);
  if (epochOf(text) > route.epoch) throw epochIsOver(target, route.epoch);
  const own = numberedFile(folder, number + 1);
  try {
    await link(temporary, own);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
  if (newestNumber(await readdir(folder)) !== number + 1) {
    // The number was free again because others are far beyond it.
    await rm(own, { force: true });
    return false;
  }
  await removeOlder(folder, number + 1);
  return true;
}

/** The lowest number first: a router that knows one of them sees it vanish before the number after it does. */
async function removeOlder(folder: string, number: number): Promise<void> {
  const numbers = (await readdir(folder)).map((name) => newestNumber([name])).filter((one) => one > 0 && one < number);
  for (const one of [0, ...numbers.sort((a, b) => a - b)]) await rm(numberedFile(folder, one), { force: true });
}

/** A file that cannot be read is replaced by whatever comes. */
function epochOf(text: string | null): number {
  if (text === null) return NO_EPOCH;
  try {
    return parseRoute(text).epoch;
  } catch {
    return NO_EPOCH;
  }
}

async function readNewest(folder: string): Promise<{ readonly number: number; readonly text: string | null }> {
  for (;;) {
    const number = newestNumber(await namesIn(folder));
    try {
      return { number, text: await readFile(numberedFile(folder, number), 'utf8') };
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
      // Replaced while it was looked for; or there is none.
      if (newestNumber(await namesIn(folder)) === number) return { number, text: null };
    }
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
