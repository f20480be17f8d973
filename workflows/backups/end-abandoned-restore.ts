import { CancellationScope, setCurrentDetails } from '@temporalio/workflow';
import type { AbandonedRestore } from '../../activities/backups/close-abandoned.ts';
import { targetName } from '../../domain/backups/backup.ts';
import { closeRestore } from './activity-proxies.ts';

/**
 * Ends a restore whose workflow is gone; it has the id of the backups and restores of its database, so that nothing else
 * reads or writes that meanwhile. Half of a swap would leave no database in its place, so a cancellation ends it no sooner.
 */
export async function endAbandonedRestore(restore: AbandonedRestore): Promise<void> {
  setCurrentDetails(
    `end of the restore ${restore.id} of **${targetName(restore)}** (${restore.engine}), which was broken off`,
  );
  await CancellationScope.nonCancellable(() => closeRestore(restore.id));
}
