import { setTimeout as delay } from 'node:timers/promises';
import type { Backup } from '../../domain/backups/backup.ts';
import type { BackupJob, RestoreJob } from '../../domain/backups/messages.ts';
import { runningBackup, runningRestore } from '../../domain/backups/new-record.ts';
import type { Restore, RestoreMode } from '../../domain/backups/restore.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { Environment } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import { requireArchive, requireDatabase } from './backup-access.ts';
import type { BackupsDeps } from './deps.ts';

/** Proxies end a request after 60 s: the answer comes before. */
const WAIT_MS = 50_000;
const POLL_MS = 500;

export interface Asked {
  readonly requestedBy: string;
  readonly requestId: string;
}

/** Starts a backup of the database of a service. @throws BACKUPS_NOT_CONFIGURED, DATABASE_NOT_FOUND, BACKUP_IN_PROGRESS */
export async function startBackup(
  deps: BackupsDeps,
  service: ServiceRecord,
  { environment, type }: { readonly environment: Environment; readonly type?: Backup['engine'] | undefined },
  asked: Asked,
): Promise<Backup> {
  requireConfigured(deps);
  const database = await requireDatabase(deps, service, environment, type);
  const job: BackupJob = {
    ...{ ...database, ...asked, environment, service: service.name, serviceId: service.id, org: service.org },
    ...{ id: deps.newId('backup'), kind: 'manual', tier: 'manual', night: null },
    startedAt: deps.now().toISOString(),
  };
  await deps.backupCommands.backUp(job);
  // Its workflow writes the same record: whoever asks for it right away finds it.
  const backup = runningBackup(job);
  await deps.backups.insert(backup);
  return backup;
}

/** @returns where the backup is restored. @throws as `startRestore`, but for what else has the database */
export async function requireRestorable(
  deps: BackupsDeps,
  { service, item: backup }: { readonly service: ServiceRecord; readonly item: Backup },
): Promise<Environment> {
  requireConfigured(deps);
  requireArchive(backup);
  const { environment, engine, databaseName } = backup;
  if (environment === null) throw new FairleadError('NOT_RESTORABLE', `${backup.id} is of no environment`);
  const databases = await deps.serviceDatabases.of(service, environment);
  if (databases.some((each) => each.engine === engine && each.databaseName === databaseName)) return environment;
  const message = `${service.name} has no ${engine} database ${databaseName} any more: deploy it, or download the archive`;
  throw new FairleadError('DATABASE_NOT_FOUND', message);
}

/** Starts a restore of a backup into the database it was made of. @throws as `startBackup`; NOT_RESTORABLE; DATABASE_NOT_FOUND for one that the service does not have now */
export async function startRestore(
  deps: BackupsDeps,
  {
    service,
    item: backup,
    mode,
  }: { readonly service: ServiceRecord; readonly item: Backup; readonly mode: RestoreMode },
  asked: Asked,
): Promise<Restore> {
  const environment = await requireRestorable(deps, { service, item: backup });
  const { engine, databaseName } = backup;
  const job: RestoreJob = {
    ...{ ...asked, environment, engine, databaseName, mode, backupId: backup.id },
    ...{ service: service.name, serviceId: service.id, org: service.org },
    id: deps.newId('restore'),
    safetyBackupId: mode === 'in-place' ? deps.newId('backup') : null,
    startedAt: deps.now().toISOString(),
  };
  await deps.backupCommands.restore(job);
  const restore = runningRestore(job);
  await deps.restores.insert(restore);
  return restore;
}

function requireConfigured({ hasObjectStore }: BackupsDeps): void {
  if (hasObjectStore) return;
  throw new FairleadError('BACKUPS_NOT_CONFIGURED', 'Backups need an object store: set OBJECT_STORE_HOST');
}

/** The backup when it has ended, or as it is after 50 seconds, or when the client goes. */
export async function awaitBackup({ backups }: BackupsDeps, started: Backup, gone: AbortSignal): Promise<Backup> {
  const until = performance.now() + WAIT_MS;
  let backup = started;
  while (backup.status === 'running' && performance.now() < until && !gone.aborted) {
    await delay(POLL_MS, undefined, { signal: gone }).catch(() => undefined);
    backup = (await backups.find(started.id)) ?? backup;
  }
  return backup;
}
