import { dirname, join } from 'node:path';
import { dependencyTunnel, isRelayed } from '../../../domain/deploys/dependency.ts';
import type { WorkloadSpec } from '../../../domain/deploys/workload-runtime.ts';
import type { PlatformAccess } from './platform-access.ts';
import type { RelayRoute } from './relay-route.ts';

/** Loopback addresses of which each dependency of a workload has one: nothing else in its network uses them. */
const ADDRESSES = '127.78';

/** How the names of dependencies lead out of a workload's network. */
export interface DependencyRoutes {
  /** Lines of its hosts file, as the engine takes them: `shop.prod.internal:127.78.0.1`. */
  readonly hosts: readonly string[];
  readonly routes: readonly RelayRoute[];
}

/** Where the proxy to dependencies listens, beside the one to the platform: see adapters/edge-router/dependency-proxy.ts. */
export function dependencySocket(platformSocket: string): string {
  // As long as the other one's name: the path of a Unix socket is bounded.
  return join(dirname(platformSocket), 'edge.sock');
}

/** The address of the n-th database, from 1: dependencies never come so far. */
export function databaseHost(index: number): string {
  return `${ADDRESSES}.255.${index}`;
}

/** True for an address at which a relay, and not the workload, listens. */
export function isDependencyAddress(host: string): boolean {
  return host.startsWith(`${ADDRESSES}.`);
}

/**
 * The routes to the dependencies of a workload: an address for each, and behind it a tunnel to this one service in the
 * workload's own environment. Whatever is sent there, it reaches no other.
 */
export function dependencyRoutes(
  access: PlatformAccess | null,
  { dependencies, environment, port: ownPort }: Pick<WorkloadSpec, 'dependencies' | 'environment' | 'port'>,
): DependencyRoutes {
  if (access === null) return { hosts: [], routes: [] };
  const socket = dependencySocket(access.socket);
  const ways = dependencies.flatMap((dependency, index) => {
    const { hostname, port, host: name } = new URL(dependency.url);
    const to = dependencyTunnel(dependency.serviceId, name);
    // One that was resolved on another set-up has an address that needs no relay.
    const isOurs = isRelayed(dependency, environment) && Number(port) !== ownPort;
    const host = `${ADDRESSES}.${(index + 1) >> 8}.${(index + 1) & 255}`;
    return isOurs ? [{ name: `${hostname}:${host}`, route: { host, port: Number(port), socket, to } }] : [];
  });
  return { hosts: ways.map(({ name }) => name), routes: ways.map(({ route }) => route) };
}
