import type { BackupCommands } from './messages.ts';
import type { RestoreStore } from './ports.ts';
import type { Restore } from './restore.ts';

/** One restore runs for a database at a time, and a service has few databases. */
const LOOKED_AT = 20;

/** A restore of a service that is under way; null for none. The record alone does not tell: its workflow may be gone. */
export async function findRunningRestore(
  {
    restores,
    backupCommands,
  }: { restores: Pick<RestoreStore, 'list'>; backupCommands: Pick<BackupCommands, 'isUnderWay'> },
  serviceId: string,
): Promise<Restore | null> {
  const { items } = await restores.list([serviceId], { cursor: null, limit: LOOKED_AT });
  for (const restore of items) {
    if (restore.status === 'running' && (await backupCommands.isUnderWay(restore, restore.id))) return restore;
  }
  return null;
}
