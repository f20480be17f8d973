import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { EdgeRouter } from '../../domain/deploys/ports.ts';
import type { Environment } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import { probeHttp } from '../http-probe/probe-http.ts';

/**
 * The public routes of this machine as files: one for each service and environment, written whole and renamed into
 * place. The router looks at the file for every request (`edge-server.ts`), so the rename is the switch: atomic, and
 * in force when it returns.
 */

export interface RouteFilesOptions {
  readonly routesDirectory: string;
  readonly domain: string;
  /** Port the router listens on, on the loopback interface. */
  readonly port: number;
}

export const routeSchema = z.strictObject({ workloadId: z.string().min(1), address: z.url({ protocol: /^http$/ }) });

export type Route = z.infer<typeof routeSchema>;

/** File of a route. The names are DNS labels: they cannot leave the directory. */
export function routeFile(directory: string, service: string, environment: Environment): string {
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(service)) {
    throw new FairleadError('VALIDATION_FAILED', `${JSON.stringify(service)} cannot be a host name`);
  }
  return join(directory, `${service}.${environment}.json`);
}

export function createEdgeRouter({ routesDirectory, domain, port }: RouteFilesOptions): EdgeRouter {
  const file = (service: string, environment: Environment) => routeFile(routesDirectory, service, environment);
  const url = (service: string, environment: Environment) => `http://${service}.${environment}.${domain}:${port}`;
  return {
    url,
    current: async (service, environment) => await readRoute(file(service, environment)),
    async route(service, environment, target) {
      await mkdir(routesDirectory, { recursive: true });
      await replaceFile(file(service, environment), JSON.stringify(routeSchema.parse(target)));
    },
    unroute: async (service, environment) => await rm(file(service, environment), { force: true }),
    probe: (service, environment, path, signal) =>
      probeHttp({ address: `http://127.0.0.1:${port}`, path, publicUrl: url(service, environment) }, signal),
  };
}

async function readRoute(path: string): Promise<Route | null> {
  try {
    return routeSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(temporary, path);
}
