import { createBackupsActivities } from '../activities/backups/index.ts';
import { createMongoDumpTool } from '../adapters/dump-tools/mongo-dump-tool.ts';
import { createPostgresDumpTool } from '../adapters/dump-tools/postgres-dump-tool.ts';
import { backupsWorkerSection } from '../adapters/env/backups.ts';
import { postgresUri } from '../adapters/env/databases.ts';
import { deploysWorkerSection } from '../adapters/env/deploys.ts';
import { objectStoreSettings } from '../adapters/env/object-store.ts';
import { mongodbUri, secret } from '../adapters/env/variable-kinds.ts';
import type { ReadSection } from '../adapters/env.ts';
import { createBackupStore } from '../adapters/mongo/backups/backups.ts';
import { createRestoreStore } from '../adapters/mongo/backups/restores.ts';
import { followDatabaseClock } from '../adapters/mongo/database-clock.ts';
import { createDatabaseRecords } from '../adapters/mongo/databases/records.ts';
import { createMongodbServer } from '../adapters/mongodb-server/database-server.ts';
import { createPostgresServer } from '../adapters/postgres/database-server.ts';
import { createEnsurePart } from '../adapters/process/embedded-parts.ts';
import { createS3ObjectStore } from '../adapters/s3/object-store.ts';
import { createBackupCommands } from '../adapters/temporal/backup-commands.ts';
import type { BackupEngine } from '../domain/backups/backup.ts';
import { createDatabaseInventory, createServiceDatabases } from '../domain/backups/database-owners.ts';
import { ASKED_BACKUPS } from '../domain/backups/messages.ts';
import type { DumpTool } from '../domain/backups/ports.ts';
import type { DatabaseServer } from '../domain/databases/ports.ts';
import type { ObjectStore } from '../domain/objects/ports.ts';
import { backupsSchedules } from '../workflows/backups/schedules.ts';
import { composeAlarms } from './alarms.ts';
import { composeAudit } from './deploys.ts';
import { meteredBackups } from './metered-stores.ts';
import { defineModule, type WorkerParts } from './module.ts';

const section = {
  ...deploysWorkerSection,
  ...backupsWorkerSection,
  DB_POSTGRES_ADMIN_URI: secret(postgresUri.optional()),
  DB_MONGODB_ADMIN_URI: secret(mongodbUri.optional()),
};

/** What runs at once besides the dumps of a night: its proofs and its mirror, which take hours, and records and listings. */
const BESIDES = 4;

/** Backups of databases. Their settings: the object store. A dump takes hours: it takes no slot from a deploy. */
export const backups = defineModule({
  name: 'backups',
  section,
  schedules: backupsSchedules(),
  schedulesBy: ({ BACKUP_CRON_HOUR_UTC }) => backupsSchedules(BACKUP_CRON_HOUR_UTC),
  queue: 'own',
  slots: ({ BACKUP_PARALLELISM }) => BACKUP_PARALLELISM + BESIDES,
  // Backups by hand and restores take no slot from a night, however many are asked for.
  moreQueues: [{ name: ASKED_BACKUPS, slots: ({ BACKUP_PARALLELISM }) => BACKUP_PARALLELISM + 1 }],
  async compose(parts) {
    const { env, connect, client, subprocessEnv, logger, opened } = parts;
    const store = objectStoreSettings(env);
    if (store === null) return null;
    const { db } = await connect('builder');
    const onFailure = (err: unknown) => logger.warn({ err }, "the database's time cannot be read");
    // Until when a replaced database is kept, and which upload is too old to go on, is decided by one clock, whichever worker asks.
    const { now } = opened.adopt(await followDatabaseClock({ db, onFailure }), ({ close }) => close());
    const ensurePart = createEnsurePart(env.PARTS_ON_NEED);
    const databaseRecords = createDatabaseRecords({ db });
    // A server of the embedded stack has the databases of services alone.
    const isListed = async (engine: BackupEngine, part: string) =>
      !env.PARTS_ON_NEED.includes(part) || (await databaseRecords.usedEngines()).includes(engine);
    const archives = createS3ObjectStore({
      ...store,
      bucket: env.BACKUP_BUCKET,
      whenNeeded: () => ensurePart('object-store'),
    });
    const servers: { -readonly [E in BackupEngine]?: DatabaseServer } = {};
    const tools: { -readonly [E in BackupEngine]?: DumpTool } = {};
    if (env.DB_POSTGRES_ADMIN_URI !== undefined) {
      const adminUri = env.DB_POSTGRES_ADMIN_URI;
      const whenNeeded = () => ensurePart('postgres');
      const isUsed = () => isListed('postgres', 'postgres');
      servers.postgres = listedWhenUsed(createPostgresServer({ adminUri }), { whenNeeded, isUsed });
      tools.postgres = createPostgresDumpTool({ adminUri, env: subprocessEnv, whenNeeded });
    }
    if (env.DB_MONGODB_ADMIN_URI !== undefined) {
      const adminUri = env.DB_MONGODB_ADMIN_URI;
      const whenServed = () => ensurePart('mongodb-tenants');
      const whenNeeded = async () => void (await Promise.all([whenServed(), ensurePart('mongo-tools')]));
      const toolsDir = env.MONGO_TOOLS_DIR ?? null;
      const isUsed = () => isListed('mongodb', 'mongodb-tenants');
      servers.mongodb = listedWhenUsed(createMongodbServer({ adminUri }), { whenNeeded: whenServed, isUsed });
      tools.mongodb = createMongoDumpTool({ adminUri, toolsDir, env: subprocessEnv, whenNeeded });
    }
    return createBackupsActivities({
      backups: await meteredBackups(parts, createBackupStore({ db, now })),
      restores: createRestoreStore({ db, now }),
      inventory: createDatabaseInventory(databaseRecords, servers),
      serviceDatabases: createServiceDatabases(databaseRecords),
      tools,
      archives,
      mirror: composeMirror(env),
      commands: createBackupCommands(client),
      audit: composeAudit(parts),
      // The log is what operators of an installation without mail read.
      raiseAlarm: await composeAlarms(parts),
      now,
      settings: {
        isEnabled: env.BACKUP_ENABLED,
        hourUtc: env.BACKUP_CRON_HOUR_UTC,
        dumpTimeoutMs: env.BACKUP_DUMP_TIMEOUT_MS,
        retention: {
          daily: env.BACKUP_RETENTION_DAILY,
          weekly: env.BACKUP_RETENTION_WEEKLY,
          monthly: env.BACKUP_RETENTION_MONTHLY,
        },
        excludePatterns: env.BACKUP_EXCLUDE_PATTERNS,
        parallelism: env.BACKUP_PARALLELISM,
        nightPage: NIGHT_PAGE,
        keptDays: env.DATABASE_GRACE_DAYS,
      },
    });
  },
});

const NIGHT_PAGE = 500;

type Parts = WorkerParts<ReadSection<typeof section>>;

/** Null without an off-site object store. */
function composeMirror(env: Parts['env']): ObjectStore | null {
  const { BACKUP_MIRROR_URL: endpoint, BACKUP_MIRROR_BUCKET: bucket, BACKUP_MIRROR_REGION: region } = env;
  const { BACKUP_MIRROR_ACCESS_KEY: accessKey, BACKUP_MIRROR_SECRET_KEY: secretKey } = env;
  if (endpoint === undefined || accessKey === undefined || secretKey === undefined) return null;
  return createS3ObjectStore({ endpoint, bucket, region, accessKey, secretKey });
}

/** A server that nobody uses is not started for its list. */
function listedWhenUsed(
  server: DatabaseServer,
  { whenNeeded, isUsed }: { readonly whenNeeded: () => Promise<void>; readonly isUsed: () => Promise<boolean> },
): DatabaseServer {
  return {
    ...server,
    async list(signal) {
      if (!(await isUsed())) return [];
      await whenNeeded();
      return await server.list(signal);
    },
  };
}
