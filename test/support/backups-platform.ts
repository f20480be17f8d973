import { newId } from '../../adapters/crypto/new-id.ts';
import { createBackupStore } from '../../adapters/mongo/backups/backups.ts';
import { createRestoreStore } from '../../adapters/mongo/backups/restores.ts';
import { createDatabaseRecords } from '../../adapters/mongo/databases/records.ts';
import { createS3ObjectStore } from '../../adapters/s3/object-store.ts';
import { createBackupCommands } from '../../adapters/temporal/backup-commands.ts';
import type { Backup } from '../../domain/backups/backup.ts';
import type { BackupJob, RestoreJob } from '../../domain/backups/messages.ts';
import type { Restore, RestoreMode } from '../../domain/backups/restore.ts';
import { databaseUsers } from '../../domain/databases/database-name.ts';
import { databaseId } from '../../domain/databases/record.ts';
import { silentReporter } from '../../infra/dev/terminal.ts';
import { workflowBundle } from '../../infra/dev/workflow-bundle.ts';
import { databaseRecord } from '../ports/database-records.ts';
import type { BackedUpServer, ServiceDatabase } from './backed-up/server.ts';
import { startMongo } from './start-mongo.ts';
import { startS3 } from './start-s3.ts';
import { startTemporal } from './start-temporal.ts';
import { startWorker, type WorkerProcess } from './start-worker.ts';
import { waitUntil } from './wait-until.ts';

/** A database of a service, in production. */
export interface PlatformDatabase extends ServiceDatabase {
  readonly serviceId: string;
}

export interface BackupsPlatformOptions {
  /** What stands between the worker and the object store, by its address. */
  readonly through?: (endpoint: string) => Promise<string>;
  /** Variables of the worker besides. */
  readonly variables?: Readonly<Record<string, string>>;
}

const BUCKET = 'db-backups';

/**
 * Everything that makes backups, as processes: the server of databases, MinIO, Temporal, the records, and the worker as
 * `workers/all.ts` runs it. The test has the place of the API.
 * @param startServer of the databases that are backed up; it stops with the platform
 */
export async function startBackupsPlatform<S extends BackedUpServer>(
  startServer: () => Promise<S>,
  { through, variables = {} }: BackupsPlatformOptions = {},
) {
  await using undo = new AsyncDisposableStack();
  const mongo = await startMongo();
  undo.defer(mongo.stop);
  const temporal = await startTemporal();
  undo.defer(temporal.stop);
  const server = await startServer();
  undo.defer(server.stop);
  const s3 = await startS3('minio');
  undo.defer(s3.stop);
  const store = s3.settings(BUCKET);
  const bundle = await workflowBundle(process.env, silentReporter);
  const environment = {
    ...{ MONGODB_URI: mongo.uri, TEMPORAL_ADDRESS: temporal.address, WORKFLOW_BUNDLE: bundle, LOG_LEVEL: 'silent' },
    ...server.variables,
    OBJECT_STORE_HOST: (await through?.(s3.endpoint)) ?? s3.endpoint,
    ...{ OBJECT_STORE_ACCESS_KEY: store.accessKey, OBJECT_STORE_SECRET_KEY: store.secretKey },
    BACKUP_BUCKET: BUCKET,
    ...variables,
  };
  const deps = { db: mongo.connection.db, now: () => new Date() };
  const [backups, restores] = [createBackupStore(deps), createRestoreStore(deps)];
  const records = createDatabaseRecords(deps);
  const commands = createBackupCommands(temporal.client);
  let worker: WorkerProcess | null = null;
  undo.defer(async () => void (await worker?.kill('SIGKILL')));
  const asked = {
    org: 'acme',
    environment: 'prod',
    engine: server.engine,
    requestedBy: 'usr_ann',
    requestId: null,
  } as const;
  const running = undo.move();
  return {
    ...{ temporal, server, s3, backups, restores, commands },
    /** The bucket, without anything between. */
    archives: createS3ObjectStore(store),
    store,
    worker: (): WorkerProcess => {
      if (worker === null) throw new Error('no worker runs');
      return worker;
    },
    async startWorker(): Promise<void> {
      worker = await startWorker(environment);
    },
    async killWorker(): Promise<void> {
      const killed = worker;
      worker = null;
      await killed?.kill('SIGKILL');
    },
    /** Provisions a database, as a deploy does. */
    async createDatabase(name: string): Promise<PlatformDatabase> {
      const { service, databaseName } = await server.create(name);
      const serviceId = `svc_${service}`;
      const [user] = databaseUsers(databaseName);
      const login = { user, password: { keyId: 'none', sealed: '' }, issuedAt: new Date() };
      const { engine } = server;
      const place = { id: databaseId(engine, databaseName), engine, database: databaseName, serviceId, service };
      await records.claim(databaseRecord({ ...place, login, createdAt: new Date() }));
      return { service, serviceId, databaseName };
    },
    /** Starts a backup. @returns its id */
    async backUp(of: PlatformDatabase): Promise<string> {
      const id = newId('backup');
      const made = { kind: 'manual', tier: 'manual', night: null, startedAt: new Date().toISOString() } as const;
      const job: BackupJob = { ...asked, ...of, ...made, id };
      await onceFree(() => commands.backUp(job));
      return id;
    },
    /** Starts a restore. @returns its id */
    async restore(of: PlatformDatabase, backupId: string, mode: RestoreMode): Promise<string> {
      const id = newId('restore');
      const safetyBackupId = mode === 'in-place' ? newId('backup') : null;
      const job: RestoreJob = {
        ...{ ...asked, ...of, id, backupId, mode, safetyBackupId },
        startedAt: new Date().toISOString(),
      };
      await onceFree(() => commands.restore(job));
      return id;
    },
    endOfBackup: (id: string, withinMs = 120_000): Promise<Backup> =>
      waitUntil(`the end of ${id}`, () => ended(backups.find(id)), { withinMs, everyMs: 50 }),
    endOfRestore: (id: string, withinMs = 120_000): Promise<Restore> =>
      waitUntil(`the end of ${id}`, () => ended(restores.find(id)), { withinMs, everyMs: 50 }),
    stop: () => running.disposeAsync(),
  };
}

export type BackupsPlatform<S extends BackedUpServer = BackedUpServer> = Awaited<
  ReturnType<typeof startBackupsPlatform<S>>
>;

/** The workflow of what was before ends a moment after its record. */
async function onceFree(begin: () => Promise<void>): Promise<void> {
  const attempt = async (): Promise<boolean> => {
    try {
      await begin();
      return true;
    } catch (error) {
      const { code = '' } = error as { code?: string };
      if (['BACKUP_IN_PROGRESS', 'RESTORE_IN_PROGRESS'].includes(code)) return false;
      throw error;
    }
  };
  await waitUntil('nothing else has the database', attempt);
}

async function ended<T extends Backup | Restore>(found: Promise<T | null>): Promise<T | null> {
  const record = await found;
  return record === null || record.status === 'running' ? null : record;
}
