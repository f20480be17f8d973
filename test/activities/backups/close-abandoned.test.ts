import assert from 'node:assert/strict';
import { it } from 'node:test';
import { closeAbandoned, closeEarlierRestores, closeRestore } from '../../../activities/backups/close-abandoned.ts';
import type { BackupsActivityDeps } from '../../../activities/backups/deps.ts';
import { dropKeptCopies } from '../../../activities/backups/drop-kept-copies.ts';
import { dumpDatabase, openBackup } from '../../../activities/backups/make-backup.ts';
import {
  endRestore,
  enter,
  openRestore,
  restoreInPlace,
  restoreScratch,
  swapDatabases,
} from '../../../activities/backups/restore-database.ts';
import type { RestoreJob } from '../../../domain/backups/messages.ts';
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

/** Where the workflow of a restore may be terminated; a swap of these parts is done at once, or not at all. */
const ENDS = [
  { at: 'before its swap', reach: async () => undefined, isDone: false },
  {
    at: 'in its swap, which has changed nothing',
    reach: (deps, restore) => enter(deps, restore, 'swapping'),
    isDone: false,
  },
  {
    at: 'in its swap, which was done',
    reach: (deps, restore) => swapDatabases(deps, restore, signal),
    isDone: true,
  },
] satisfies readonly {
  readonly at: string;
  readonly reach: (deps: BackupsActivityDeps, restore: RestoreJob) => Promise<void>;
  readonly isDone: boolean;
}[];

const CHANGED = { orders: ['3'], people: [] };
const RESTORED = { orders: ['1', '2'], people: ['a'] };
const WRITTEN_SINCE = { orders: ['1', '2', 'since'], people: ['a'] };

for (const { at, reach, isDone } of ENDS) {
  it(`one that was broken off ${at}, ends ${isDone ? 'completed' : 'failed'}, and puts nothing new in place`, async () => {
    const { deps, restore, kept, scratch } = await abandoned();
    await reach(deps, restore);
    for (let again = 0; again < 2; again += 1) await closeRestore(deps, restore.id, signal);
    const { databases } = deps.tools.postgres;
    assert.deepEqual(databases.get('shop_prod'), isDone ? RESTORED : CHANGED);
    assert.deepEqual([databases.has(scratch), databases.has(kept)], [false, isDone]);
    const record = await deps.restores.find(restore.id);
    const ends = isDone ? ['completed', 'done', undefined, kept] : ['failed', record?.phase, 'RESTORE_ABANDONED', null];
    assert.deepEqual([record?.status, record?.phase, record?.problem?.code, record?.keptDatabase], ends);
    assert.equal((record?.keptBytes ?? 0) > 0, isDone, 'and how large it is');
    const told = deps.audit.told().map(({ eventType }) => eventType);
    assert.equal(told.at(-1), isDone ? 'backup.restored' : 'backup.restore_failed');
  });

  for (const mode of ['swap', 'in-place'] as const) {
    it(`one that was broken off ${at}, changes nothing of a later restore (${mode}) and of what was written since`, async () => {
      const { deps, restore, restoreJob, scratch } = await abandoned();
      await reach(deps, restore);
      const later = restoreJob(restore.backupId, { mode });
      await openRestore(deps, later);
      if (mode === 'swap') {
        await restoreScratch(deps, later, signal);
        await swapDatabases(deps, later, signal);
      } else await restoreInPlace(deps, later, signal);
      await endRestore(deps, { job: later, problem: null }, signal);
      const { databases } = deps.tools.postgres;
      databases.set('shop_prod', WRITTEN_SINCE);
      await closeRestore(deps, restore.id, signal);
      assert.deepEqual(databases.get('shop_prod'), WRITTEN_SINCE);
      assert.equal(databases.has(scratch), false);
      assert.equal((await deps.restores.find(restore.id))?.status, isDone ? 'completed' : 'failed');
      assert.equal((await deps.restores.find(later.id))?.status, 'completed');
    });
  }
}

it('one whose swap was done, and what it put in place dropped since, is failed with the reason, and what it kept is on record', async () => {
  const { deps, restore, kept } = await abandoned();
  await swapDatabases(deps, restore, signal);
  deps.tools.postgres.databases.delete('shop_prod');
  const said = await swapDatabases(deps, restore, signal).then(
    () => assert.fail('it is not there'),
    ({ code, message }: { code: string; message: string }) => ({ code, message }),
  );
  assert.match(said.message, /has taken the place of shop_prod, and that is not there any more/);
  for (let again = 0; again < 2; again += 1) {
    assert.deepEqual(await endRestore(deps, { job: restore, problem: said }, signal), {
      status: 'failed',
      problem: said,
    });
  }
  const record = await deps.restores.find(restore.id);
  assert.deepEqual([record?.status, record?.problem, record?.keptDatabase], ['failed', said, kept]);
});

it('one that has ended stays as it ended, whatever a worker says of it that was paused, and nothing is done to its database', async () => {
  const { deps, restore } = await abandoned();
  const problem = { code: 'CANCELLED', message: 'why' };
  await endRestore(deps, { job: restore, problem }, signal);
  const asked: string[] = [];
  const { postgres } = deps.tools;
  const telling = {
    ...postgres,
    endSwap: async () => asked.push('endSwap') > 0,
    reopen: async () => void asked.push('reopen'),
  };
  const late = { job: restore, problem: { code: 'LATE', message: 'later' } };
  const end = await endRestore({ ...deps, tools: { postgres: telling } }, late, signal);
  assert.deepEqual([end, asked], [{ status: 'failed', problem }, []]);
});

it('one in place that was broken off changes nothing of a later restore and of what was written since', async () => {
  const { deps, restore, restoreJob } = await abandoned();
  const inPlace = restoreJob(restore.backupId, { mode: 'in-place' });
  await openRestore(deps, inPlace);
  await enter(deps, inPlace, 'restoring');
  await swapDatabases(deps, restore, signal);
  await endRestore(deps, { job: restore, problem: null }, signal);
  const { databases } = deps.tools.postgres;
  databases.set('shop_prod', WRITTEN_SINCE);
  await closeRestore(deps, inPlace.id, signal);
  assert.deepEqual(databases.get('shop_prod'), WRITTEN_SINCE);
  const ended = await deps.restores.find(inPlace.id);
  assert.deepEqual([ended?.status, ended?.problem?.code], ['failed', 'RESTORE_ABANDONED']);
});

for (const first of ['earlier', 'later'] as const) {
  it(`two that were broken off in their swaps: whichever ends first (${first}), the database stays as it is`, async () => {
    const { deps, restore, restoreJob } = await abandoned();
    await enter(deps, restore, 'swapping');
    const later = restoreJob(restore.backupId);
    await openRestore(deps, later);
    await restoreScratch(deps, later, signal);
    await enter(deps, later, 'swapping');
    const { databases } = deps.tools.postgres;
    databases.set('shop_prod', WRITTEN_SINCE);
    for (const { id } of first === 'earlier' ? [restore, later] : [later, restore]) {
      await closeRestore(deps, id, signal);
      assert.equal((await deps.restores.find(id))?.status, 'failed');
    }
    assert.deepEqual([...databases], [['shop_prod', WRITTEN_SINCE]]);
  });
}

it('one that was broken off is ended before a later restore of its database writes, and by no other', async () => {
  const { deps, restore, restoreJob, scratch } = await abandoned();
  const later = restoreJob(restore.backupId);
  const elsewhere = restoreJob(restore.backupId, { engine: 'mongodb' });
  await closeEarlierRestores(deps, elsewhere, signal);
  assert.equal((await deps.restores.find(restore.id))?.status, 'running');
  const underWay = { isUnderWay: async (_: unknown, id: string) => id === restore.id };
  await closeEarlierRestores({ ...deps, commands: underWay }, later, signal);
  assert.equal((await deps.restores.find(restore.id))?.status, 'running', 'its workflow runs');
  await closeEarlierRestores(deps, later, signal);
  assert.equal((await deps.restores.find(restore.id))?.status, 'failed');
  assert.equal(deps.tools.postgres.databases.has(scratch), false);
});

it('a worker that was paused, and whose restore was ended meanwhile, changes nothing', async () => {
  const { deps, restore, restoreJob } = await abandoned();
  const inPlace = restoreJob(restore.backupId, { mode: 'in-place' });
  await openRestore(deps, inPlace);
  for (const { id } of [restore, inPlace]) await closeRestore(deps, id, signal);
  for (const [write, job] of [
    [restoreScratch, restore],
    [swapDatabases, restore],
    [restoreInPlace, inPlace],
  ] as const) {
    await assert.rejects(write(deps, job, signal), { code: 'CONFLICT', message: /has ended already/ });
  }
  assert.deepEqual([...deps.tools.postgres.databases], [['shop_prod', CHANGED]]);
});

it('what a swap keeps is on record before it is there: killed at any moment, it is dropped one day', async () => {
  const { deps, restore, kept } = await abandoned();
  const { postgres } = deps.tools;
  const seen: (string | null | undefined)[] = [];
  const swap: typeof postgres.swap = async (...given) => {
    seen.push((await deps.restores.find(restore.id))?.keptDatabase);
    await postgres.swap(...given);
    throw new FairleadError('RESTORE_FAILED', 'the connection is gone');
  };
  const tools = { ...deps.tools, postgres: { ...postgres, swap } };
  await assert.rejects(swapDatabases({ ...deps, tools }, restore, signal), { code: 'RESTORE_FAILED' });
  assert.deepEqual(seen, [kept]);
  const problem = { code: 'RESTORE_FAILED', message: 'the connection is gone' };
  await endRestore(deps, { job: restore, problem }, signal);
  const ended = await deps.restores.find(restore.id);
  // What is live is the new database, whatever the worker said.
  assert.deepEqual([ended?.status, ended?.problem, ended?.keptDatabase], ['completed', null, kept]);
  assert.ok(ended?.keptUntil);
  await dropKeptCopies({ ...deps, now: () => new Date(Date.now() + 365 * 86_400_000) }, signal);
  assert.equal(postgres.databases.has(kept), false);
});

it('a restore whose swap changed nothing keeps nothing by its record', async () => {
  const { deps, restore } = await abandoned();
  const { postgres } = deps.tools;
  const swap = () => Promise.reject(new FairleadError('RESTORE_FAILED', 'refused'));
  const tools = { ...deps.tools, postgres: { ...postgres, swap } };
  await assert.rejects(swapDatabases({ ...deps, tools }, restore, signal), { code: 'RESTORE_FAILED' });
  await endRestore(deps, { job: restore, problem: { code: 'RESTORE_FAILED', message: 'refused' } }, signal);
  const failed = await deps.restores.find(restore.id);
  assert.deepEqual([failed?.keptDatabase, failed?.keptUntil, failed?.keptBytes], [null, null, null]);
});

it('one that cannot be ended runs on by its record; one that has ended stays as it is', async () => {
  const { deps, restore } = await abandoned();
  const away = new FairleadError('UNAVAILABLE', 'away', { retryable: true });
  const endSwap = () => Promise.reject(away);
  const tools = { ...deps.tools, postgres: { ...deps.tools.postgres, endSwap } };
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
