import type { BackupEngine } from '../../domain/backups/backup.ts';
import type { DumpTool } from '../../domain/backups/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { BackupsActivityDeps } from './deps.ts';

/** @throws BACKUPS_NOT_CONFIGURED for an engine without an address for its administration */
export function toolOf({ tools }: Pick<BackupsActivityDeps, 'tools'>, engine: BackupEngine): DumpTool {
  const tool = tools[engine];
  if (tool !== undefined) return tool;
  const variable = engine === 'mongodb' ? 'DB_MONGODB_ADMIN_URI' : 'DB_POSTGRES_ADMIN_URI';
  throw new FairleadError('BACKUPS_NOT_CONFIGURED', `Set ${variable}: without it no ${engine} database is backed up`);
}
