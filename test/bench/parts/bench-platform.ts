import { BACKUP_ENGINES, type BackupEngine } from '../../../domain/backups/backup.ts';
import { type BackupsPlatform, startBackupsPlatform } from '../../support/backups-platform.ts';
import { startBenchMongodb } from './bench-mongodb.ts';
import { startBenchPostgres } from './bench-postgres.ts';
import type { BenchServer } from './bench-server.ts';

const SERVERS: Readonly<Record<BackupEngine, () => Promise<BenchServer>>> = {
  postgres: startBenchPostgres,
  mongodb: startBenchMongodb,
};

/** Starts all that a bench of backups needs, with the engine that its first argument names: by default PostgreSQL. */
export async function startBenchPlatform(): Promise<BackupsPlatform<BenchServer>> {
  const [given = 'postgres'] = process.argv.slice(2);
  const engine = BACKUP_ENGINES.find((one) => one === given);
  if (engine === undefined) throw new Error(`${given} is no engine: one of ${BACKUP_ENGINES.join(', ')}`);
  const platform = await startBackupsPlatform(SERVERS[engine]);
  console.log(`server: ${platform.server.title}`);
  return platform;
}
