import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createFinalBackup } from '../../../adapters/temporal/final-backup.ts';
import type { BackupJob } from '../../../domain/backups/messages.ts';
import { runningBackup } from '../../../domain/backups/new-record.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { databaseRecord } from '../../ports/database-records.ts';
import { createInMemoryBackupStore } from '../../support/in-memory/backup-stores.ts';

const signal = AbortSignal.timeout(30_000);
const UNTIL = new Date('2026-02-01T00:00:00Z');
const kept = () => databaseRecord({ state: 'kept', dropAfter: UNTIL });

type End = 'completed' | 'failed' | 'not restorable' | 'unproven';

/** A workflow of backups that ends each at once as `end` says. */
function use(end: End) {
  const backups = createInMemoryBackupStore();
  const jobs: BackupJob[] = [];
  const finalBackup = createFinalBackup({
    ...{ backups, now: () => UNTIL, pollMs: 1 },
    commands: {
      isUnderWay: async () => false,
      async backUp(job) {
        jobs.push(job);
        await backups.insert(runningBackup(job));
        const problem = end === 'failed' ? { code: 'DUMP_FAILED', message: 'the disk is full' } : null;
        const objectKey = end === 'failed' ? null : 'prod/shop/manual/x.pgdump';
        const status = end === 'failed' ? 'failed' : 'completed';
        await backups.change(job.id, 'running', { status, finishedAt: UNTIL, problem, objectKey });
        if (end === 'failed' || end === 'unproven') return;
        await backups.beginVerification(job.id, 'scratch', UNTIL);
        const found =
          end === 'completed' ? null : { code: 'RESTORED_COUNTS_DIFFER', message: 'orders has 1 instead of 2' };
        await backups.setVerification(job.id, 'scratch', { at: UNTIL, problem: found });
      },
    },
  });
  return { finalBackup, jobs };
}

it('is one that nothing prunes, made once for a time to drop the database', async () => {
  const { finalBackup, jobs } = use('completed');
  const record = kept();
  assert.deepEqual(await finalBackup.find(record), { kind: 'not made' });
  for (const _ of [1, 2]) {
    await finalBackup.make(record, signal);
    const objectKey = 'prod/shop/manual/x.pgdump';
    assert.deepEqual(await finalBackup.find(record), { kind: 'stored', backupId: jobs[0]?.id, objectKey });
  }
  assert.deepEqual(
    jobs.map(({ kind, tier, org, serviceId, databaseName }) => [kind, tier, org, serviceId, databaseName]),
    [['final', 'manual', 'acme', record.serviceId, record.database]],
  );
});

it('that failed says why, and is another one at a later time', async () => {
  const { finalBackup, jobs } = use('failed');
  const record = kept();
  for (const _ of [1, 2]) {
    await finalBackup.make(record, signal);
    const reason = `The final backup ${jobs[0]?.id} failed: the disk is full`;
    assert.deepEqual(await finalBackup.find(record), { kind: 'failed', reason });
  }
  assert.equal(jobs.length, 1);
  await finalBackup.make({ ...record, dropAfter: new Date('2026-02-02T00:00:00Z') }, signal);
  assert.notEqual(jobs[0]?.id, jobs[1]?.id);
});

it('that cannot be restored is none to drop a database by', async () => {
  const { finalBackup, jobs } = use('not restorable');
  const record = kept();
  await finalBackup.make(record, signal);
  const reason = `The final backup ${jobs[0]?.id} cannot be restored: orders has 1 instead of 2`;
  assert.deepEqual(await finalBackup.find(record), { kind: 'failed', reason });
});

it('that nobody could restore for proof is not made, and says so to whoever waits', async () => {
  const { finalBackup, jobs } = use('unproven');
  const record = kept();
  await assert.rejects(finalBackup.make(record, signal), { code: 'RESTORE_FAILED', message: /for proof/ });
  assert.deepEqual(await finalBackup.find(record), { kind: 'not made' });
  assert.equal(jobs.length, 1);
});

it('joins the one that runs, and passes on what else has the database', async () => {
  const backups = createInMemoryBackupStore();
  const record = kept();
  let asked = 0;
  const finalBackup = createFinalBackup({
    ...{ backups, now: () => UNTIL, pollMs: 1 },
    commands: {
      isUnderWay: async () => false,
      async backUp() {
        asked += 1;
        throw new FairleadError('BACKUP_IN_PROGRESS', 'the night backs it up');
      },
    },
  });
  await assert.rejects(finalBackup.make(record, signal), { code: 'BACKUP_IN_PROGRESS' });
  const gone = AbortSignal.abort(new Error('stopped'));
  await assert.rejects(finalBackup.make(record, gone), /stopped/);
  assert.equal(asked, 1);
});

it('is none of an engine that is not backed up', async () => {
  const { finalBackup, jobs } = use('completed');
  const cache = { ...kept(), engine: 'redis' } as const;
  await finalBackup.make(cache, signal);
  assert.deepEqual(await finalBackup.find(cache), { kind: 'not backed up' });
  assert.deepEqual(jobs, []);
});
