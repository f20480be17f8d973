import { createDatabasesActivities } from '../activities/databases/index.ts';
import type { RotationDeps } from '../activities/databases/rotate-login.ts';
import { newId } from '../adapters/crypto/new-id.ts';
import { createSecretCipher } from '../adapters/crypto/secret-cipher.ts';
import { databasesWorkerSection } from '../adapters/env/databases.ts';
import { configSection } from '../adapters/env/deploys.ts';
import { objectStoreSection, objectStoreSettings } from '../adapters/env/object-store.ts';
import { platformSocketSection } from '../adapters/env/platform.ts';
import type { ReadSection } from '../adapters/env.ts';
import { createBackupStore } from '../adapters/mongo/backups/backups.ts';
import { createBuilderIndexes } from '../adapters/mongo/builder-database.ts';
import type { MongoConnection } from '../adapters/mongo/connect.ts';
import { createDatabaseRecords } from '../adapters/mongo/databases/records.ts';
import { createBuildStore } from '../adapters/mongo/deploys/builds.ts';
import { createEpochStore } from '../adapters/mongo/deploys/epochs.ts';
import { createReleaseStore } from '../adapters/mongo/deploys/releases.ts';
import { createBackupCommands } from '../adapters/temporal/backup-commands.ts';
import { createFinalBackup } from '../adapters/temporal/final-backup.ts';
import { createRestartCommands } from '../adapters/temporal/restart-commands.ts';
import { DATABASE_ENGINES } from '../domain/databases/engines.ts';
import type { DatabaseServer, FinalBackup } from '../domain/databases/ports.ts';
import { createWorkloadLogins } from '../domain/deploys/workload-logins.ts';
import { databasesSchedules } from '../workflows/databases/schedules.ts';
import { composeAlarms } from './alarms.ts';
import { composeAudit } from './deploys.ts';
import { defineModule, type WorkerParts } from './module.ts';
import { composeEngines, newDatabasePassword } from './service-databases.ts';

const section = { ...databasesWorkerSection, ...configSection, ...platformSocketSection, ...objectStoreSection };

type Parts = WorkerParts<ReadSection<typeof section>>;

const now = () => new Date();

/** What becomes of databases beside deploys. Its settings: the administrator's address of at least one server. */
export const databases = defineModule({
  name: 'databases',
  section,
  schedules: databasesSchedules,
  queue: 'own',
  slots: () => 4,
  async compose(parts) {
    const { env, connect, logger } = parts;
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
    return createDatabasesActivities({
      records,
      servers,
      finalBackup: composeFinalBackup(parts, db),
      rotation: composeRotation(parts, db),
      audit: composeAudit(parts),
      raiseAlarm: composeAlarms(parts),
      now,
    });
  },
});

/** Null without an object store: then a database is dropped without one. */
function composeFinalBackup({ env, client }: Parts, db: MongoConnection['db']): FinalBackup | null {
  if (objectStoreSettings(env) === null) return null;
  const backups = createBackupStore({ db, now });
  return createFinalBackup({ backups, commands: createBackupCommands(client), now });
}

/** Null without the keys of stored secrets: then no database has a login. */
function composeRotation({ env, client }: Parts, db: MongoConnection['db']): RotationDeps | null {
  if (env.CONFIG_ENCRYPTION_KEY === undefined) return null;
  return {
    cipher: createSecretCipher(env.CONFIG_ENCRYPTION_KEY),
    newPassword: newDatabasePassword,
    newId,
    workloads: createWorkloadLogins({
      releases: createReleaseStore({ db }),
      builds: createBuildStore({ db, now }),
      epochs: createEpochStore({ db }),
      commands: createRestartCommands(client),
      now,
    }),
    ttlDays: env.ROTATION_TTL_DAYS,
  };
}

const WAKE_FAILED = 'the server of services’ databases does not answer';

/** Starts the part of an embedded stack that serves databases since an earlier start. */
async function wake(server: DatabaseServer | undefined, onError: (error: unknown) => void): Promise<void> {
  await server?.list(AbortSignal.timeout(60_000)).catch(onError);
}
