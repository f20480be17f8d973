import type { MongoConnection } from '../adapters/mongo/connect.ts';
import { countOpenBuilds } from '../adapters/mongo/deploys/open-builds.ts';
import { BACKUP_ENGINES } from '../domain/backups/backup.ts';
import type { BackupStore } from '../domain/backups/ports.ts';
import type { BuildStore } from '../domain/deploys/build-store.ts';
import type { WorkerParts } from './module.ts';

/** Stores that tell the metrics of the worker what goes through them. Where nobody reads these, a store is as it was. */

type Parts = Pick<WorkerParts<unknown>, 'metrics'>;

/** How many builds there are, how they end, and how long their steps take. */
export async function meteredBuilds(
  { metrics }: Parts,
  { db, store }: Pick<MongoConnection, 'db'> & { readonly store: BuildStore },
): Promise<BuildStore> {
  if (metrics === null) return store;
  metrics.reading({
    name: 'builds',
    gauge: 'fairlead_builds_open',
    help: 'Builds that have not ended: queued for a slot, running, or waiting for a decision.',
    labelNames: ['state'],
    read: async () => Object.entries(await countOpenBuilds(db)).map(([state, value]) => ({ labels: { state }, value })),
  });
  const { meterBuilds } = await import('../adapters/metrics/metered-builds.ts');
  return meterBuilds(store, metrics.registry);
}

/** How backups end, and when the newest good one of each engine was made. */
export async function meteredBackups({ metrics }: Parts, store: BackupStore): Promise<BackupStore> {
  if (metrics === null) return store;
  metrics.reading({
    name: 'backups',
    gauge: 'fairlead_backups_newest_completed_timestamp_seconds',
    help: 'When the newest completed backup of an engine began.',
    labelNames: ['engine'],
    read: async () => {
      const newest = BACKUP_ENGINES.map(async (engine) => {
        const { items } = await store.list({ engine, statuses: ['completed'] }, { cursor: null, limit: 1 });
        return items.map(({ startedAt }) => ({ labels: { engine }, value: startedAt.getTime() / 1_000 }));
      });
      return (await Promise.all(newest)).flat();
    },
  });
  const { meterBackups } = await import('../adapters/metrics/metered-backups.ts');
  return meterBackups(store, metrics.registry);
}
