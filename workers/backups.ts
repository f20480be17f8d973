import { createBackupsActivities } from '../activities/backups/index.ts';
import { createMongoDumpTool } from '../adapters/dump-tools/mongo-dump-tool.ts';
import { createPostgresDumpTool } from '../adapters/dump-tools/postgres-dump-tool.ts';
import { backupsWorkerSection } from '../adapters/env/backups.ts';
import { postgresUri } from '../adapters/env/databases.ts';
import { deploysWorkerSection } from '../adapters/env/deploys.ts';
import { mailSection } from '../adapters/env/identity.ts';
import { objectStoreSettings } from '../adapters/env/object-store.ts';
import { mongodbUri, secret } from '../adapters/env/variable-kinds.ts';
import type { ReadSection } from '../adapters/env.ts';
import { createSmtpSender } from '../adapters/mail/smtp-sender.ts';
import { createBackupStore } from '../adapters/mongo/backups/backups.ts';
import { createRestoreStore } from '../adapters/mongo/backups/restores.ts';
import { createDatabaseRecords } from '../adapters/mongo/databases/records.ts';
import { createMongodbServer } from '../adapters/mongodb-server/database-server.ts';
import { createPostgresServer } from '../adapters/postgres/database-server.ts';
import { createEnsurePart } from '../adapters/process/embedded-parts.ts';
import { createS3ObjectStore } from '../adapters/s3/object-store.ts';
import { createBackupCommands } from '../adapters/temporal/backup-commands.ts';
import type { BackupEngine } from '../domain/backups/backup.ts';
import { createDatabaseInventory } from '../domain/backups/database-owners.ts';
import type { DumpTool, RaiseAlarm } from '../domain/backups/ports.ts';
import type { DatabaseServer } from '../domain/databases/ports.ts';
import type { ObjectStore } from '../domain/objects/ports.ts';
import { backupsSchedules } from '../workflows/backups/schedules.ts';
import { composeAudit } from './deploys.ts';
import { defineModule, type WorkerParts } from './module.ts';

const now = () => new Date();

const section = {
  ...deploysWorkerSection,
  ...backupsWorkerSection,
  DB_POSTGRES_ADMIN_URI: secret(postgresUri.optional()),
  DB_MONGODB_ADMIN_URI: secret(mongodbUri.optional()),
  ...mailSection,
};

/** Backups of databases. Their settings: the object store. A dump takes hours: it takes no slot from a deploy. */
export const backups = defineModule({
  name: 'backups',
  section,
  schedules: backupsSchedules(),
  schedulesBy: ({ BACKUP_CRON_HOUR_UTC }) => backupsSchedules(BACKUP_CRON_HOUR_UTC),
  queue: 'own',
  slots: ({ BACKUP_PARALLELISM }) => BACKUP_PARALLELISM + 4,
  async compose(parts) {
    const { env, connect, client, subprocessEnv } = parts;
    const store = objectStoreSettings(env);
    if (store === null) return null;
    const { db } = await connect('builder');
    const ensurePart = createEnsurePart(env.PARTS_ON_NEED);
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
      servers.postgres = startedFirst(createPostgresServer({ adminUri }), whenNeeded);
      tools.postgres = createPostgresDumpTool({ adminUri, env: subprocessEnv, whenNeeded });
    }
    if (env.DB_MONGODB_ADMIN_URI !== undefined) {
      const adminUri = env.DB_MONGODB_ADMIN_URI;
      const whenServed = () => ensurePart('mongodb-tenants');
      const whenNeeded = async () => void (await Promise.all([whenServed(), ensurePart('mongo-tools')]));
      const toolsDir = env.MONGO_TOOLS_DIR ?? null;
      servers.mongodb = startedFirst(createMongodbServer({ adminUri }), whenServed);
      tools.mongodb = createMongoDumpTool({ adminUri, toolsDir, env: subprocessEnv, whenNeeded });
    }
    return createBackupsActivities({
      backups: createBackupStore({ db, now }),
      restores: createRestoreStore({ db, now }),
      inventory: createDatabaseInventory(createDatabaseRecords({ db }), servers),
      tools,
      archives,
      mirror: composeMirror(env),
      commands: createBackupCommands(client),
      audit: composeAudit(parts),
      // The log is what operators of an installation without mail read.
      raiseAlarm: composeAlarms(parts),
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
      },
    });
  },
});

type Parts = WorkerParts<ReadSection<typeof section>>;

/** Null without an off-site object store. */
function composeMirror(env: Parts['env']): ObjectStore | null {
  const { BACKUP_MIRROR_URL: endpoint, BACKUP_MIRROR_BUCKET: bucket, BACKUP_MIRROR_REGION: region } = env;
  const { BACKUP_MIRROR_ACCESS_KEY: accessKey, BACKUP_MIRROR_SECRET_KEY: secretKey } = env;
  if (endpoint === undefined || accessKey === undefined || secretKey === undefined) return null;
  return createS3ObjectStore({ endpoint, bucket, region, accessKey, secretKey });
}

/** A line of the log, and a mail where there is somebody to write to. */
function composeAlarms({ env, logger, opened }: Parts): RaiseAlarm {
  const { PLATFORM_ALERT_EMAIL: to, SMTP_URL: url, MAIL_FROM: from, SMTP_ALLOW_PLAINTEXT: allowPlaintext } = env;
  const mail =
    to === undefined || url === undefined
      ? null
      : opened.adopt(createSmtpSender({ url, from, allowPlaintext }), (sender) => sender.close());
  return async ({ id, subject, text: message }) => {
    logger.error({ alarm: id, message }, subject);
    if (to === undefined) return;
    await mail?.send({
      id,
      to,
      fromName: 'Fairlead',
      subject,
      text: message,
      html: `<pre>${escapeHtml(message)}</pre>`,
    });
  };
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function startedFirst(server: DatabaseServer, whenNeeded: () => Promise<void>): DatabaseServer {
  return {
    ...server,
    async list(signal) {
      await whenNeeded();
      return await server.list(signal);
    },
  };
}
