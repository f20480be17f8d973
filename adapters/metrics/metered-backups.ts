import { Counter, type Registry } from 'prom-client';
import type { BackupStatus } from '../../domain/backups/backup.ts';
import type { BackupStore } from '../../domain/backups/ports.ts';

/**
 * A store of backups that counts how they end: those that ran, and those that were recorded as failed or skipped without having run. A
 * backup whose end somebody else had recorded is not counted. Nights that were missed as a whole are not either: nobody ran in them.
 */
export function meterBackups(store: BackupStore, registry: Registry): BackupStore {
  const ended = new Counter({
    ...{ name: 'fairlead_backups_ended_total', registers: [registry], labelNames: ['status'] as const },
    help: 'Backups whose end this process recorded, by status.',
  });
  const count = async (writing: Promise<boolean>, status: BackupStatus | undefined): Promise<boolean> => {
    const written = await writing;
    if (written && status !== undefined && status !== 'running') ended.labels(status).inc();
    return written;
  };
  return {
    ...store,
    insert: (backup) => count(store.insert(backup), backup.status),
    // What loses its archive later has ended before.
    change: (id, from, change) => count(store.change(id, from, change), from === 'running' ? change.status : undefined),
  };
}
