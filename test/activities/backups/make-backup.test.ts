import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dumpDatabase, failBackup, openBackup } from '../../../activities/backups/make-backup.ts';
import {
  openRestore,
  restoreInPlace,
  restoreScratch,
  swapDatabases,
} from '../../../activities/backups/restore-database.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

for (const [engine, message] of [
  ['mongodb', /no tool for MongoDB/],
  ['postgres', /Set DB_POSTGRES_ADMIN_URI/],
] as const) {
  it(`a worker without a tool for ${engine} says what is missing, and uploads nothing`, async () => {
    const { deps, job } = await createBackupsParts();
    const backup = job({ engine });
    const without = { ...deps, tools: {} };
    await openBackup(without, backup);
    const dumping = dumpDatabase(without, backup, AbortSignal.timeout(10_000));
    await assert.rejects(dumping, { code: 'BACKUPS_NOT_CONFIGURED', message });
    assert.deepEqual([deps.archives.keys(), deps.archives.incomplete()], [[], []]);
  });
}

it('a dump that ends after its backup was given up deletes the archive that it uploaded', async () => {
  const { deps, job } = await createBackupsParts();
  const backup = job();
  await openBackup(deps, backup);
  const problem = { code: 'STEP_DEADLINE_EXCEEDED', message: 'too long' };
  deps.tools.postgres.faults.set(backup.databaseName, async () => {
    await deps.backups.change(backup.id, 'running', { status: 'failed', problem });
  });
  await assert.rejects(dumpDatabase(deps, backup, AbortSignal.timeout(10_000)), { code: 'CONFLICT' });
  assert.deepEqual(deps.archives.keys(), []);
  assert.equal((await deps.backups.find(backup.id))?.status, 'failed');
});

const LATER = { service: 'shop', environment: 'prod', serviceId: 'svc_later', org: 'rivals' } as const;
for (const [what, owner] of [
  ['another service', LATER],
  ['no service', null],
] as const) {
  it(`a database that belongs to ${what} by now is neither dumped nor written over by jobs of its earlier one`, async () => {
    const { deps, job, restoreJob, listed } = await createBackupsParts();
    const [made, waiting] = [job(), job()];
    for (const one of [made, waiting]) await openBackup(deps, one);
    await dumpDatabase(deps, made, AbortSignal.timeout(10_000));
    const keys = deps.archives.keys();
    const restore = restoreJob(made.id, { mode: 'in-place' });
    listed.postgres.splice(0, 1, { databaseName: 'shop_prod', owner });
    const content = structuredClone(deps.tools.postgres.databases.get('shop_prod'));
    await assert.rejects(dumpDatabase(deps, waiting, AbortSignal.timeout(10_000)), { code: 'DATABASE_NOT_FOUND' });
    for (const write of [openRestore, restoreScratch, swapDatabases, restoreInPlace]) {
      await assert.rejects(write(deps, restore, AbortSignal.timeout(10_000)), { code: 'DATABASE_NOT_FOUND' });
    }
    assert.deepEqual(deps.archives.keys(), keys);
    assert.deepEqual(deps.tools.postgres.databases.get('shop_prod'), content);
  });
}

it('a dump during which its database went to another service is no backup, and leaves no archive', async () => {
  const { deps, job, listed } = await createBackupsParts();
  const backup = job();
  await openBackup(deps, backup);
  deps.tools.postgres.faults.set(backup.databaseName, async () => {
    listed.postgres.splice(0, 1, { databaseName: 'shop_prod', owner: LATER });
  });
  await assert.rejects(dumpDatabase(deps, backup, AbortSignal.timeout(10_000)), { code: 'DATABASE_NOT_FOUND' });
  assert.equal((await deps.backups.find(backup.id))?.status, 'running');
  await failBackup(deps, { job: backup, problem: { code: 'DATABASE_NOT_FOUND', message: 'gone' } });
  assert.deepEqual(deps.archives.keys(), []);
});
