import { routeSchema } from '../../../adapters/edge-router/route-files.ts';
import type { EdgeRouter } from '../../../domain/deploys/ports.ts';
import type { Environment } from '../../../domain/environment.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { targetKey } from '../../../domain/ids.ts';
import { type InMemoryNetwork, probeResult, type Reply } from './network.ts';

export interface InMemoryEdgeOptions {
  /** Where workloads answer. */
  readonly network: InMemoryNetwork;
  readonly domain?: string;
}

type Route = NonNullable<Awaited<ReturnType<EdgeRouter['current']>>>;

const HOST_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const UNKNOWN: Reply = { status: 404, body: '' };
const UNREACHABLE: Reply = { status: 502, body: '' };

/** Public routes of this process. */
export function createInMemoryEdgeRouter({ network, domain = 'localhost' }: InMemoryEdgeOptions): EdgeRouter {
  const routes = new Map<string, Route>();
  const keyOf = (service: string, environment: Environment): string => {
    if (HOST_LABEL.test(service)) return targetKey(service, environment);
    throw new FairleadError('VALIDATION_FAILED', `${JSON.stringify(service)} cannot be a host name`);
  };
  const url = (service: string, environment: Environment) => `http://${service}.${environment}.${domain}:8000`;
  return {
    url,
    current: async (service, environment) => routes.get(keyOf(service, environment)) ?? null,
    route: async (service, environment, target) =>
      void routes.set(keyOf(service, environment), routeSchema.parse(target)),
    unroute: async (service, environment) => void routes.delete(keyOf(service, environment)),
    async probe(service, environment, path, signal) {
      signal.throwIfAborted();
      const route = routes.get(targetKey(service, environment));
      const reply = route === undefined ? UNKNOWN : await network.get(route.address, path, signal);
      return probeResult(url(service, environment) + path, reply ?? UNREACHABLE);
    },
  };
}
