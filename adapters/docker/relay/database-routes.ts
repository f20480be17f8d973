import { dirname, join } from 'node:path';
import { DATABASE_ENGINES, type DatabaseEngine, ENGINES } from '../../../domain/databases/engines.ts';
import { DEPENDENCY_DOMAIN } from '../../../domain/deploys/dependency.ts';
import type { WorkloadSpec } from '../../../domain/deploys/workload-runtime.ts';
import type { DependencyRoutes } from './dependency-routes.ts';
import { databaseHost } from './dependency-routes.ts';
import type { PlatformAccess } from './platform-access.ts';

/** Where the proxy to databases listens, beside the one to the platform: see adapters/edge-router/database-proxy.ts. */
export function databaseSocket(platformSocket: string): string {
  // As long as the other names: the path of a Unix socket is bounded.
  return join(dirname(platformSocket), 'data.sock');
}

/**
 * Where a workload finds the server of an engine, by the relay beside it: `postgres.internal:5432`.
 * @param ownPort at which the workload listens: nobody else can listen there in its network
 */
export function relayedAddress(engine: DatabaseEngine, ownPort: number): { host: string; port: number } {
  const { port } = ENGINES[engine];
  return { host: `${engine}.${DEPENDENCY_DOMAIN}`, port: port === ownPort ? port + 1 : port };
}

/** The engine that a relay asks for; null for anything else. */
export function engineOfTunnel(to: string): DatabaseEngine | null {
  return DATABASE_ENGINES.find((engine) => to === tunnelTo(engine)) ?? null;
}

export function tunnelTo(engine: DatabaseEngine): string {
  return `${engine}.${DEPENDENCY_DOMAIN}:${ENGINES[engine].port}`;
}

/** The routes to the servers of a workload's databases, and to no others; the server itself refuses it any other database. */
export function databaseRoutes(
  access: PlatformAccess | null,
  { databases }: Pick<WorkloadSpec, 'databases'>,
): DependencyRoutes {
  if (access === null) return { hosts: [], routes: [] };
  const socket = databaseSocket(access.socket);
  const relayed = databases.filter(({ engine, host }) => host === relayedAddress(engine, 0).host);
  const ways = relayed.map(({ engine, host: name, port }) => {
    const host = databaseHost(DATABASE_ENGINES.indexOf(engine) + 1);
    return { name: `${name}:${host}`, route: { host, port, socket, to: tunnelTo(engine) } };
  });
  return { hosts: ways.map(({ name }) => name), routes: ways.map(({ route }) => route) };
}
