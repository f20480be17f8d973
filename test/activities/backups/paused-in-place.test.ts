import assert from 'node:assert/strict';
import { it } from 'node:test';
import { closeRestore } from '../../../activities/backups/close-abandoned.ts';
import { dumpDatabase, openBackup } from '../../../activities/backups/make-backup.ts';
import { openRestore, restoreInPlace } from '../../../activities/backups/restore-database.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

const signal = AbortSignal.timeout(60_000);
const CHANGED = { orders: ['3'], people: [] };
const WRITTEN_SINCE = { orders: ['3', 'since'], people: [] };

/** A restore in place that is on record, of a database that was changed since its backup. */
async function begun() {
  const parts = await createBackupsParts();
  const { deps } = parts;
  const backup = parts.job();
  await openBackup(deps, backup);
  await dumpDatabase(deps, backup, signal);
  deps.tools.postgres.databases.set('shop_prod', CHANGED);
  const inPlace = parts.restoreJob(backup.id, { mode: 'in-place' });
  await openRestore(deps, inPlace);
  return { deps, inPlace };
}

it('a worker that was paused just before it restores in place, and whose restore was ended meanwhile, changes nothing', async () => {
  const { deps, inPlace } = await begun();
  const { postgres } = deps.tools;
  const restorePaused: typeof postgres.restoreInPlace = async (...given) => {
    await closeRestore(deps, inPlace.id, signal);
    postgres.databases.set('shop_prod', WRITTEN_SINCE);
    await postgres.restoreInPlace(...given);
  };
  const tools = { ...deps.tools, postgres: { ...postgres, restoreInPlace: restorePaused } };
  await assert.rejects(restoreInPlace({ ...deps, tools }, inPlace, signal), { code: 'CONFLICT' });
  assert.deepEqual([...postgres.databases], [['shop_prod', WRITTEN_SINCE]]);
});

it('a worker that goes on while its restore is being ended, and its server was asked already, changes nothing', async () => {
  const { deps, inPlace } = await begun();
  const { postgres } = deps.tools;
  const refusals: unknown[] = [];
  const reopen: typeof postgres.reopen = async (...given) => {
    await postgres.reopen(...given);
    await restoreInPlace(deps, inPlace, signal).catch((error) => refusals.push(error.code));
  };
  await closeRestore({ ...deps, tools: { ...deps.tools, postgres: { ...postgres, reopen } } }, inPlace.id, signal);
  assert.deepEqual(refusals, ['CONFLICT']);
  assert.deepEqual([...postgres.databases], [['shop_prod', CHANGED]]);
  assert.equal((await deps.restores.find(inPlace.id))?.status, 'failed');
});
