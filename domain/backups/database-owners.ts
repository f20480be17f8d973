import { databaseName } from '../databases/database-name.ts';
import { ENGINES } from '../databases/engines.ts';
import type { DatabaseRecords, DatabaseServer } from '../databases/ports.ts';
import { type DatabaseRecord, databaseId } from '../databases/record.ts';
import { eachItem } from '../each-item.ts';
import { BACKUP_ENGINES, type BackupEngine } from './backup.ts';
import type { DatabaseInventory, InventoryOwner, KnownDatabase, ServiceDatabases } from './ports.ts';

/** Whose a database is, its record alone says. A name says nothing: a later service of it may be of another org. */
type Records = Pick<DatabaseRecords, 'find'>;

/** The databases of the servers. One that is kept after its service was removed is still of that service and its org. */
export function createDatabaseInventory(
  records: Records,
  servers: Readonly<Partial<Record<BackupEngine, Pick<DatabaseServer, 'list'>>>>,
): DatabaseInventory {
  const ownerOf = (engine: BackupEngine, name: string) => findOwner(records, engine, name);
  return {
    engines: BACKUP_ENGINES.filter((engine) => servers[engine] !== undefined),
    async list(engine, signal) {
      const listed = [];
      for (const { database } of (await servers[engine]?.list(signal)) ?? []) {
        signal.throwIfAborted();
        listed.push({ databaseName: database, owner: await ownerOf(engine, database) });
      }
      return listed;
    },
    ownerOf,
  };
}

/** The databases that a service has in an environment, by their records. */
export function createServiceDatabases(
  records: Records & Pick<DatabaseRecords, 'earlierServiceIds' | 'ofService' | 'list'>,
): ServiceDatabases {
  return {
    async of({ id, name, org }, environment) {
      const found = await Promise.all(
        BACKUP_ENGINES.map(async (engine) => {
          const record = await records.find(databaseId(engine, databaseName({ service: name, environment })));
          if (record === null || record.state !== 'active') return [];
          if (record.serviceId !== id || record.org !== org) return [];
          return [{ engine, databaseName: record.database }];
        }),
      );
      return found.flat();
    },
    async notBackedUp({ id }) {
      const all = await records.ofService(id);
      return all.filter(({ state, engine }) => state === 'active' && ENGINES[engine].notBackedUp !== null);
    },
    async *known(serviceIds) {
      if (serviceIds === null) {
        for await (const record of eachItem((page) => records.list(page))) yield* knownAs(record);
      } else {
        for (const id of serviceIds) for (const record of await records.ofService(id)) yield* knownAs(record);
      }
    },
    recordedUnder: async (serviceIds) => [...serviceIds, ...(await records.earlierServiceIds(serviceIds))],
  };
}

/** Nothing for a login to another service's database, and for one that no service has or that is not backed up. */
function* knownAs(record: DatabaseRecord): Generator<KnownDatabase> {
  const { service, environment, database: databaseName, consumes, state, createdAt } = record;
  const engine = BACKUP_ENGINES.find((each) => each === record.engine);
  if (engine === undefined || consumes !== null || state !== 'active') return;
  yield { service, environment, engine, databaseName, createdAt };
}

async function findOwner(records: Records, engine: BackupEngine, name: string): Promise<InventoryOwner | null> {
  const record = await records.find(databaseId(engine, name));
  if (record === null) return null;
  const { service, environment, serviceId, earlierServiceIds, org } = record;
  return { service, environment, serviceId, earlierServiceIds, org };
}
