import { createFinalBackupsActivities } from '../activities/databases/back-up-finally.ts';
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
import type { DatabaseRecords, DatabaseServer, FinalBackup } from '../domain/databases/ports.ts';
import { type ReconcileDeps, reconcileUsers } from '../domain/databases/reconcile-users.ts';
import { createWorkloadLogins } from '../domain/deploys/workload-logins.ts';
import { databasesSchedules } from '../workflows/databases/schedules.ts';
import { composeAlarms } from './alarms.ts';
import { composeAudit } from './deploys.ts';
import { defineModule, type WorkerParts } from './module.ts';
import { composeEngines, composeMayConsume, newDatabasePassword } from './service-databases.ts';

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
    for (const engine of used) {
      void wake(servers[engine], reconciling(env, records, db)).catch((err) =>
        logger.warn({ err, engine }, WAKE_FAILED),
      );
    }
    return createDatabasesActivities({
      records,
      servers,
      finalBackup: composeFinalBackup(parts, db),
      rotation: composeRotation(parts, db),
      audit: composeAudit(parts),
      raiseAlarm: await composeAlarms(parts),
      now,
    });
  },
});

/**
 * How many databases are backed up at once before they are dropped, in one worker: a night has places besides, however many
 * services were removed on one day.
 */
const FINAL_BACKUPS_AT_ONCE = 2;

/** Backups before a drop. Their settings: the object store. They take hours, and no place from what `databases` does. */
export const finalBackups = defineModule({
  name: 'final-backups',
  section,
  schedules: [],
  queue: 'own',
  slots: () => FINAL_BACKUPS_AT_ONCE,
  async compose(parts) {
    if (objectStoreSettings(parts.env) === null) return null;
    const { db } = await parts.connect('builder');
    const finalBackup = composeFinalBackup(parts, db);
    return finalBackup && createFinalBackupsActivities({ records: createDatabaseRecords({ db }), finalBackup });
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
    mayConsume: composeMayConsume(db),
    ttlDays: env.ROTATION_TTL_DAYS,
  };
}

const WAKE_FAILED = 'the server of services’ databases does not answer, or its users are not those of the records';
const WAKE_MS = 60_000;
const RECONCILE_MS = 600_000;

/** Null without the keys of stored secrets. */
function reconciling(
  { CONFIG_ENCRYPTION_KEY: keys }: Parts['env'],
  records: DatabaseRecords,
  db: MongoConnection['db'],
): ReconcileDeps | null {
  return keys === undefined ? null : { records, cipher: createSecretCipher(keys), mayConsume: composeMayConsume(db) };
}

/** Starts the part of an embedded stack that serves databases since an earlier start, and has it know their users. */
async function wake(server: DatabaseServer | undefined, deps: ReconcileDeps | null): Promise<void> {
  if (server === undefined) return;
  await server.list(AbortSignal.timeout(WAKE_MS));
  if (deps !== null) await reconcileUsers(deps, server, AbortSignal.timeout(RECONCILE_MS));
}
