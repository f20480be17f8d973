// The workflow library looks for it when it is first imported.
import '../workflow-model/async-local-storage.ts';
import { parentPort, workerData } from 'node:worker_threads';
import type { EdgeRouter } from '../../../domain/deploys/workload-runtime.ts';
import { playOrder } from './play-order.ts';

export interface OrdersToPlay {
  readonly seeds: readonly number[];
  /** Takes the comparison of epochs out of the router. */
  readonly isCareless: boolean;
}

export interface PlayedOrders {
  /** The first seed whose order violated something; null when none did. */
  readonly seed: number | null;
  readonly violations: readonly string[];
  /** How builds and workflows ended in all orders, such as `rollback completed`: how often. */
  readonly ends: Readonly<Record<string, number>>;
}

const careless = (edge: EdgeRouter): EdgeRouter => ({
  ...edge,
  route: (service, environment, target) => edge.route(service, environment, target, 1),
  unroute: (service, environment) => edge.unroute(service, environment, 1),
});

async function playOrders({ seeds, isCareless }: OrdersToPlay): Promise<PlayedOrders> {
  const ends: Record<string, number> = {};
  for (const seed of seeds) {
    const played = await playOrder(seed, isCareless ? careless : undefined);
    for (const name of played.ends) ends[name] = (ends[name] ?? 0) + 1;
    const { violations } = played;
    if (violations.length > 0) return { seed, violations, ends };
  }
  return { seed: null, violations: [], ends };
}

parentPort?.postMessage(await playOrders(workerData as OrdersToPlay));
