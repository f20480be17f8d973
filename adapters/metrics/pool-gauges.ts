import { Gauge, type Registry } from 'prom-client';
import type { PoolSizes } from '../mongo/pool-sizes.ts';

/** Gauges of the pools of this process, read when somebody asks. A second pool of a database counts with the first. */
export function createPoolGauges(registry: Registry): (database: string, read: () => PoolSizes) => void {
  const pools = new Map<string, (() => PoolSizes)[]>();
  const gauge = (name: string, help: string, sizeOf: (sizes: PoolSizes) => number): void => {
    new Gauge({
      ...{ name, help, registers: [registry], labelNames: ['database'] as const },
      collect() {
        for (const [database, reads] of pools) {
          this.labels(database).set(reads.reduce((sum, read) => sum + sizeOf(read()), 0));
        }
      },
    });
  };
  gauge('fairlead_mongodb_pool_connections', 'Connections to the database that are open.', ({ open }) => open);
  gauge('fairlead_mongodb_pool_checked_out', 'Connections that a call uses now.', ({ checkedOut }) => checkedOut);
  gauge('fairlead_mongodb_pool_waiting', 'Calls that wait for a connection.', ({ waiting }) => waiting);
  gauge('fairlead_mongodb_pool_max', 'Connections that there may be to one server.', ({ most }) => most);
  return (database, read) => pools.set(database, [...(pools.get(database) ?? []), read]);
}
