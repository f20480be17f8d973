import { parentPort, workerData } from 'node:worker_threads';
import type { EdgeRouter } from '../../../domain/deploys/ports.ts';
import { playOrder } from './play-order.ts';

export interface OrdersToPlay {
  readonly first: number;
  readonly end: number;
  /** Takes the comparison of epochs out of the router. */
  readonly isCareless: boolean;
}

export interface PlayedOrders {
  /** The first seed whose order violated something; null when none did. */
  readonly seed: number | null;
  readonly violations: readonly string[];
}

const careless = (edge: EdgeRouter): EdgeRouter => ({
  ...edge,
  route: (service, environment, target) => edge.route(service, environment, target, 1),
  unroute: (service, environment) => edge.unroute(service, environment, 1),
});

async function playOrders({ first, end, isCareless }: OrdersToPlay): Promise<PlayedOrders> {
  for (let seed = first; seed < end; seed += 1) {
    const violations = await playOrder(seed, isCareless ? careless : undefined);
    if (violations.length > 0) return { seed, violations };
  }
  return { seed: null, violations: [] };
}

parentPort?.postMessage(await playOrders(workerData as OrdersToPlay));
