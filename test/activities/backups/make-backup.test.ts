import assert from 'node:assert/strict';
import { it } from 'node:test';
import { dumpDatabase, openBackup } from '../../../activities/backups/make-backup.ts';
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
