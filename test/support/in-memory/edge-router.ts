import { routeSchema } from '../../../adapters/edge-router/route-files.ts';
import { epochIsOver } from '../../../domain/deploys/epoch.ts';
import type { EdgeRouter, RouteTarget } from '../../../domain/deploys/workload-runtime.ts';
import type { Environment } from '../../../domain/environment.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { targetKey } from '../../../domain/ids.ts';
import { type InMemoryNetwork, probeResult, type Reply } from './network.ts';

export interface InMemoryEdgeOptions {
  /** Where workloads answer. */
  readonly network: InMemoryNetwork;
  readonly domain?: string;
}

/** `target` is null where the route was taken away. */
interface Route {
  readonly epoch: number;
  readonly target: RouteTarget | null;
}

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
  const set = (service: string, environment: Environment, route: Route): void => {
    const key = keyOf(service, environment);
    const { epoch } = routes.get(key) ?? { epoch: 0 };
    if (epoch > route.epoch) throw epochIsOver({ service, environment }, route.epoch);
    routes.set(key, route);
  };
  const url = (service: string, environment: Environment) => `http://${service}.${environment}.${domain}:8000`;
  return {
    url,
    urls: (service, environment) => [
      url(service, environment),
      ...(environment === 'prod' ? [`http://${service}.${domain}:8000`] : []),
    ],
    current: async (service, environment) => routes.get(keyOf(service, environment))?.target ?? null,
    route: async (service, environment, target, epoch) =>
      set(service, environment, { epoch, target: routeSchema.parse(target) }),
    unroute: async (service, environment, epoch) => set(service, environment, { epoch, target: null }),
    async probe(service, environment, path, signal) {
      signal.throwIfAborted();
      const target = routes.get(targetKey(service, environment))?.target ?? null;
      const reply = target === null ? UNKNOWN : await network.get(target.address, path, signal);
      return probeResult(url(service, environment) + path, reply ?? UNREACHABLE);
    },
  };
}
