import { createDatabasesActivities } from '../activities/databases/index.ts';
import { databasesSection } from '../adapters/env/databases.ts';
import { configSection } from '../adapters/env/deploys.ts';
import { platformSocketSection } from '../adapters/env/platform.ts';
import { createBuilderIndexes } from '../adapters/mongo/builder-database.ts';
import { createDatabaseRecords } from '../adapters/mongo/databases/records.ts';
import { DATABASE_ENGINES } from '../domain/databases/engines.ts';
import type { DatabaseServer } from '../domain/databases/ports.ts';
import { defineModule } from './module.ts';
import { composeEngines } from './service-databases.ts';

/** What becomes of databases beside deploys. Its settings: the administrator's address of at least one server. */
export const databases = defineModule({
  name: 'databases',
  section: { ...databasesSection, ...configSection, ...platformSocketSection },
  schedules: [],
  queue: 'own',
  slots: () => 2,
  async compose({ env, connect, logger }) {
    const engines = composeEngines(env);
    if (Object.keys(engines).length === 0) return null;
    const { db } = await connect('builder');
    await createBuilderIndexes(db);
    const records = createDatabaseRecords({ db });
    const servers = Object.fromEntries(
      DATABASE_ENGINES.flatMap((engine) => {
        const setup = engines[engine];
        return setup === undefined ? [] : [[engine, setup.server] as const];
      }),
    );
    // Workloads that run already need it; nobody waits for it here.
    const used = await records.usedEngines();
    for (const engine of used) void wake(servers[engine], (error) => logger.warn({ err: error, engine }, WAKE_FAILED));
    return createDatabasesActivities({ records, servers, finalBackup: null });
  },
});

const WAKE_FAILED = 'the server of services’ databases does not answer';

/** Starts the part of an embedded stack that serves databases since an earlier start. */
async function wake(server: DatabaseServer | undefined, onError: (error: unknown) => void): Promise<void> {
  await server?.list(AbortSignal.timeout(60_000)).catch(onError);
}
