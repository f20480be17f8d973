import assert from 'node:assert/strict';
import { it } from 'node:test';
import { MockActivityEnvironment } from '@temporalio/testing';
import { openBackup } from '../../../activities/backups/make-backup.ts';
import { openRestore } from '../../../activities/backups/restore-database.ts';
import type { BackupJob, RestoreJob } from '../../../domain/backups/messages.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

/** What the heartbeats of an activity say that is held until one of them has said how many bytes are done. */
async function bytesTold(activity: () => Promise<void>, hold: (until: Promise<void>) => void): Promise<unknown> {
  const environment = new MockActivityEnvironment({ isLocal: false });
  const told = Promise.withResolvers<void>();
  hold(told.promise);
  let bytes: unknown;
  environment.on('heartbeat', (details: { readonly bytesDone?: number } | undefined) => {
    if (details?.bytesDone === undefined) return;
    bytes = details.bytesDone;
    told.resolve();
  });
  await environment.run(activity);
  return bytes;
}

it('a dump tells Temporal by its heartbeat how many bytes are in the bucket', async () => {
  const { deps, activities, job } = await createBackupsParts();
  const backup: BackupJob = job();
  await openBackup(deps, backup);
  const { put } = deps.archives;
  const hold = (until: Promise<void>) =>
    Object.assign(deps.archives, {
      put: async (...[key, archive, options]: Parameters<typeof put>) => {
        options?.onProgress?.(7);
        await until;
        return await put(key, archive, options);
      },
    });
  assert.equal(await bytesTold(() => activities.dumpDatabase(backup), hold), 7);
});

for (const mode of ['swap', 'in-place'] as const) {
  it(`a restore (${mode}) tells Temporal by its heartbeat how many bytes of the archive are read`, async () => {
    const { deps, activities, job, restoreJob } = await createBackupsParts();
    const backup = job();
    await openBackup(deps, backup);
    await new MockActivityEnvironment().run(() => activities.dumpDatabase(backup));
    const restore: RestoreJob = restoreJob(backup.id, { mode });
    await openRestore(deps, restore);
    const hold = (until: Promise<void>) => void deps.tools.postgres.faults.set('shop_prod', () => until);
    const run = () => (mode === 'swap' ? activities.restoreScratch(restore) : activities.restoreInPlace(restore));
    const { sizeBytes } = (await deps.backups.find(backup.id)) ?? {};
    assert.equal(await bytesTold(run, hold), sizeBytes);
  });
}
