import type { BackupEngine } from '../../domain/backups/backup.ts';
import type { DumpTool } from '../../domain/backups/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { BackupsActivityDeps } from './deps.ts';

const REMEDY: Readonly<Record<BackupEngine, string>> = {
  mongodb: 'Set DB_MONGODB_ADMIN_URI: without it no MongoDB database is backed up',
  postgres: 'Set DB_POSTGRES_ADMIN_URI: without it no PostgreSQL database is backed up',
};

/** @throws BACKUPS_NOT_CONFIGURED for an engine that this worker has no tool for */
export function toolOf({ tools }: Pick<BackupsActivityDeps, 'tools'>, engine: BackupEngine): DumpTool {
  const tool = tools[engine];
  if (tool !== undefined) return tool;
  const { code, message } = notConfigured(engine);
  throw new FairleadError(code, message);
}

/** What is missing where an engine has no tool. */
export function notConfigured(engine: BackupEngine) {
  return { code: 'BACKUPS_NOT_CONFIGURED', message: REMEDY[engine] } as const;
}
