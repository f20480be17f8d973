import assert from 'node:assert/strict';
import { it } from 'node:test';
import { closeAbandoned, closeRestore } from '../../../activities/backups/close-abandoned.ts';
import { dumpDatabase, openBackup } from '../../../activities/backups/make-backup.ts';
import { enter, openRestore, restoreScratch } from '../../../activities/backups/restore-database.ts';
import { runningRestore } from '../../../domain/backups/new-record.ts';
import { scratchName } from '../../../domain/backups/restore.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

const signal = AbortSignal.timeout(60_000);

/** A restore that was brought as far as its new database, and whose workflow is gone. */
async function abandoned() {
  const parts = await createBackupsParts();
  const { deps } = parts;
  const backup = parts.job();
  await openBackup(deps, backup);
  await dumpDatabase(deps, backup, signal);
  deps.tools.postgres.databases.set('shop_prod', { orders: ['3'], people: [] });
  const restore = parts.restoreJob(backup.id);
  await openRestore(deps, restore);
  await restoreScratch(deps, restore, signal);
  return { ...parts, restore, scratch: scratchName('restore', restore.id), kept: scratchName('kept', restore.id) };
}

it('a restore whose workflow is gone is found, and nothing is done to its database', async () => {
  const { deps, restore, scratch } = await abandoned();
  const { id, service, environment, engine, databaseName, startedAt } = restore;
  assert.deepEqual(await closeAbandoned(deps, signal), [{ id, service, environment, engine, databaseName, startedAt }]);
  assert.equal((await deps.restores.find(id))?.status, 'running');
  assert.ok(deps.tools.postgres.databases.has(scratch));
});

it('a restore whose workflow is gone is failed, and the database stays as it is', async () => {
  const { deps, restore, scratch } = await abandoned();
  await closeRestore(deps, restore.id, signal);
  const record = await deps.restores.find(restore.id);
  assert.deepEqual([record?.status, record?.problem?.code], ['failed', 'RESTORE_ABANDONED']);
  assert.ok(record?.finishedAt);
  const { databases } = deps.tools.postgres;
  assert.deepEqual([databases.has(scratch), databases.get('shop_prod')], [false, { orders: ['3'], people: [] }]);
  const told = deps.audit.told().at(-1);
  assert.deepEqual([told?.eventType, told?.orgSlug], ['backup.restore_failed', 'acme']);
});

it('a swap that began is brought to its end', async () => {
  const { deps, restore, kept } = await abandoned();
  await enter(deps, restore, 'swapping');
  await closeRestore(deps, restore.id, signal);
  const record = await deps.restores.find(restore.id);
  assert.deepEqual([record?.status, record?.keptDatabase], ['completed', kept]);
  assert.deepEqual(deps.tools.postgres.databases.get('shop_prod')?.orders, ['1', '2']);
  assert.ok(deps.tools.postgres.databases.has(kept));
});

it('one that cannot be ended runs on by its record; one that has ended stays as it is', async () => {
  const { deps, restore } = await abandoned();
  const away = new FairleadError('UNAVAILABLE', 'away', { retryable: true });
  const reopen = () => Promise.reject(away);
  const tools = { ...deps.tools, postgres: { ...deps.tools.postgres, reopen } };
  await assert.rejects(closeRestore({ ...deps, tools }, restore.id, signal), (error) => error === away);
  assert.equal((await deps.restores.find(restore.id))?.status, 'running');
  await closeRestore(deps, restore.id, signal);
  const ended = await deps.restores.find(restore.id);
  assert.equal(ended?.status, 'failed');
  await closeRestore(deps, restore.id, signal);
  await closeRestore(deps, 'rst_nobody', signal);
  assert.deepEqual(await deps.restores.find(restore.id), ended);
});

it('one that runs is left alone', async () => {
  const { deps } = await abandoned();
  assert.deepEqual(await closeAbandoned({ ...deps, commands: { isUnderWay: async () => true } }, signal), []);
});

it('a backup whose workflow is gone is told to the ledger of its org as failed', async () => {
  const { deps, job } = await createBackupsParts();
  const lost = job();
  await openBackup(deps, lost);
  await closeAbandoned(deps, signal);
  const told = deps.audit.told().map(({ eventType, orgSlug }) => [eventType, orgSlug]);
  assert.deepEqual(told, [['backup.failed', 'acme']]);
});

it('the backup before a restore in place runs as long as the restore does', async () => {
  const { deps, job, restoreJob } = await createBackupsParts();
  const safety = job({ kind: 'safety' });
  const restore = { ...restoreJob('bak_any'), mode: 'in-place', safetyBackupId: safety.id } as const;
  await deps.restores.insert(runningRestore(restore));
  await openBackup(deps, safety);
  // As the memo of the workflow says it, which is that of the restore.
  const isUnderWay = async (_: unknown, id: string) => id === restore.id;
  await closeAbandoned({ ...deps, commands: { isUnderWay } }, signal);
  assert.equal((await deps.backups.find(safety.id))?.status, 'running');
  await closeAbandoned(deps, signal);
  assert.equal((await deps.backups.find(safety.id))?.status, 'failed');
});
