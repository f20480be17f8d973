import type { Backup, BackupEngine } from '../../domain/backups/backup.ts';
import type { Restore } from '../../domain/backups/restore.ts';
import type { ServiceRecord } from '../../domain/catalog/service.ts';
import type { Environment } from '../../domain/environment.ts';
import { FairleadError } from '../../domain/errors.ts';
import { requireService } from '../catalog/access.ts';
import type { Caller } from '../http/caller.ts';
import type { BackupsDeps } from './deps.ts';

/** What is asked for, and the service that it is of. */
export interface OfService<T> {
  readonly service: ServiceRecord;
  readonly item: T;
}

/** A backup of a service that the caller may use. @throws SERVICE_NOT_FOUND; BACKUP_NOT_FOUND also for one of another service */
export async function requireBackup(
  { services, backups, serviceDatabases }: BackupsDeps,
  caller: Caller,
  { id, backupId }: { readonly id: string; readonly backupId: string },
): Promise<OfService<Backup>> {
  const service = await requireService(services, caller, id);
  const backup = await backups.find(backupId);
  // By id: a later service of the same name has nothing of an earlier one, unless it has got its database back.
  const under: readonly (string | null)[] = await serviceDatabases.recordedUnder([service.id]);
  if (backup !== null && under.includes(backup.serviceId)) return { service, item: backup };
  throw new FairleadError('BACKUP_NOT_FOUND', `${service.name} has no backup ${backupId}`);
}

/** A restore of a service that the caller may use. @throws as {@link requireBackup} */
export async function requireRestore(
  { services, restores, serviceDatabases }: BackupsDeps,
  caller: Caller,
  { id, restoreId }: { readonly id: string; readonly restoreId: string },
): Promise<OfService<Restore>> {
  const service = await requireService(services, caller, id);
  const restore = await restores.find(restoreId);
  const under = await serviceDatabases.recordedUnder([service.id]);
  if (restore !== null && under.includes(restore.serviceId)) return { service, item: restore };
  throw new FairleadError('RESTORE_NOT_FOUND', `${service.name} has no restore ${restoreId}`);
}

/** Who names an environment means what is of it, and of no other. @throws the given code */
export function requireEnvironment(
  item: Backup | Restore,
  environment: Environment | undefined,
  code: 'NOT_RESTORABLE' | 'CONFLICT',
): void {
  if (environment === undefined || environment === item.environment) return;
  const kind = 'backupId' in item ? 'restore' : 'backup';
  const message = `${item.id} is a ${kind} of ${item.environment}, not of ${environment}: name ${item.environment}, or another ${kind}`;
  throw new FairleadError(code, message, { details: { environment: item.environment } });
}

/** @throws NOT_RESTORABLE */
export function requireArchive(backup: Backup): string {
  if (backup.status === 'completed' && backup.objectKey !== null) return backup.objectKey;
  const message = `The backup ${backup.id} is ${backup.status}: only a completed one can be downloaded or restored`;
  throw new FairleadError('NOT_RESTORABLE', message, { details: { status: backup.status } });
}

/**
 * The database of a service that is backed up: of the engine that is asked for, else the document database, unless the
 * service has only the relational one (spec 2, "Database backups").
 * @throws DATABASE_NOT_FOUND
 */
export async function requireDatabase(
  { serviceDatabases }: BackupsDeps,
  service: ServiceRecord,
  environment: Environment,
  type: BackupEngine | undefined,
): Promise<{ readonly engine: BackupEngine; readonly databaseName: string }> {
  const databases = await serviceDatabases.of(service, environment);
  const ofEngine = (engine: BackupEngine) => databases.find((each) => each.engine === engine);
  const found = type === undefined ? (ofEngine('mongodb') ?? ofEngine('postgres')) : ofEngine(type);
  if (found !== undefined) return found;
  const what = type === undefined ? 'database that is backed up' : `${type} database`;
  const remedy = 'declare it in spec.databases and deploy';
  throw new FairleadError('DATABASE_NOT_FOUND', `${service.name} has no ${what} in ${environment}: ${remedy}`);
}
