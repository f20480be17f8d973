import type { BackupEngine } from '../../../domain/backups/backup.ts';
import { startBackedUpMongodb } from './mongodb.ts';
import { startBackedUpPostgres } from './postgres.ts';
import type { BackedUpServer } from './server.ts';

/** The one table of engines that are backed up. */
export const BACKED_UP_SERVERS: Readonly<Record<BackupEngine, () => Promise<BackedUpServer>>> = {
  postgres: startBackedUpPostgres,
  mongodb: startBackedUpMongodb,
};
