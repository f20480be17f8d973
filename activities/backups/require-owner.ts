import type { BackupJob } from '../../domain/backups/messages.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { BackupsActivityDeps } from './deps.ts';

/**
 * Asks once more whose the database is, as jobs wait: its service may be removed meanwhile, its database dropped, and one of
 * the same name made for another org.
 * @throws DATABASE_NOT_FOUND when it does not belong to the service and org of the job
 */
export async function requireOwner(
  { inventory }: Pick<BackupsActivityDeps, 'inventory'>,
  { engine, databaseName, serviceId, org }: Pick<BackupJob, 'engine' | 'databaseName' | 'serviceId' | 'org'>,
): Promise<void> {
  const owner = await inventory.ownerOf(engine, databaseName);
  if ((owner?.serviceId ?? null) === serviceId && (owner?.org ?? null) === org) return;
  const whose = serviceId === null ? 'belongs to a service by now' : 'does not belong to the service any more';
  throw new FairleadError('DATABASE_NOT_FOUND', `The database ${databaseName} (${engine}) ${whose}: nothing was done`);
}
