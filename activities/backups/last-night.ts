import type { BackedUpDatabase } from '../../domain/backups/backup.ts';
import type { BackupJob } from '../../domain/backups/messages.ts';
import type { Night } from '../../domain/backups/night.ts';
import { eachItem } from '../../domain/each-item.ts';
import type { BackupsActivityDeps } from './deps.ts';

/** The newest night on record, and its databases. */
export interface LastNight {
  readonly night: Night | null;
  readonly databases: readonly OwnedDatabase[];
}

/** A database and whose it is; nulls for one of no service. */
export type OwnedDatabase = BackedUpDatabase & Pick<BackupJob, 'serviceId' | 'org'>;

/** What is known of databases without asking their servers. */
export async function lastNight(
  { backups }: BackupsActivityDeps,
  before: Night,
  signal: AbortSignal,
): Promise<LastNight> {
  const night = await backups.lastNightBefore(before);
  const databases: OwnedDatabase[] = [];
  if (night === null) return { night, databases };
  for await (const backup of eachItem((page) => backups.list({ night }, page), signal)) {
    const { service, environment, engine, databaseName, serviceId } = backup;
    // Records name no org, and what is made of this is a record.
    databases.push({ service, environment, engine, databaseName, serviceId, org: null });
  }
  return { night, databases };
}
