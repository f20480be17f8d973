import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { planNight } from '../../../activities/backups/plan-night.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { BACKUPS_WORKFLOWS } from '../../../domain/backups/messages.ts';
import { addNights, nightOf } from '../../../domain/backups/night.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { NIGHT_HOURS } from '../../../workflows/backups/night-limit.ts';
import { backupRecord } from '../../support/backup-record.ts';
import type { BackupsParts } from '../../support/in-memory/backups-parts.ts';
import { startBackups, type TestBackups } from './harness.ts';

const ALL = { cursor: null, limit: 200 };
const HOUR_MS = 3_600_000;

describe('a night that cannot tell, plan or end', { timeout: 300_000 }, () => {
  let temporal: TestBackups;
  let parts: BackupsParts;
  before(async () => {
    temporal = await startBackups();
  });
  after(() => temporal.stop());
  beforeEach(async () => {
    parts = await temporal.reset();
  });

  const night = () => temporal.run<unknown>(BACKUPS_WORKFLOWS.nightlyBackups).then(withoutNight);
  const away = () => {
    throw new FairleadError('UNAVAILABLE', 'MongoDB does not answer', { retryable: true });
  };
  /** As after an outage: the last night on record is one of days ago. */
  const missNights = async () => {
    const last = addNights(nightOf(await temporal.env.currentTimeMs()), -3);
    await parts.deps.backups.insert(backupRecord({ night: last }));
  };
  const refuseMails = () =>
    Object.assign(parts.deps, {
      raiseAlarm: async () => {
        throw new FairleadError('UNAVAILABLE', 'The mail server refused the mail (535)', { retryable: false });
      },
    });

  it('makes its backups after nights that were missed, although no mail tells of them', async () => {
    await missNights();
    refuseMails();
    assert.deepEqual(await night(), { completed: 2, failed: 0, skipped: 0 });
  });

  it('tells of nights that were missed with all else that it tells, once', async () => {
    await missNights();
    parts.deps.tools.mongodb.faults.set('shop_prod', async () => {
      throw new FairleadError('DUMP_FAILED', 'mongodump: no');
    });
    assert.deepEqual(await night(), { completed: 1, failed: 1, skipped: 0 });
    const [alarm, ...others] = parts.alarms.values();
    assert.match(alarm?.text ?? '', /No backup was made on .*: the platform was away\n.*mongodump: no/);
    assert.deepEqual(others, []);
  });

  it('keeps its result, also of proofs, mirrors and kept databases, where the mail server refuses the mail', async () => {
    const broken = new FairleadError('DUMP_FAILED', 'mongodump: no');
    parts.deps.tools.mongodb.faults.set('shop_prod', () => Promise.reject(broken));
    refuseMails();
    assert.deepEqual(await night(), { completed: 1, failed: 1, skipped: 0 });
    const [key = ''] = parts.deps.archives.keys();
    parts.deps.archives.damage(key, Buffer.from('rotten'));
    assert.deepEqual(await temporal.run(BACKUPS_WORKFLOWS.verifyBackups), { verified: 0, failed: 1 });
    await temporal.run(BACKUPS_WORKFLOWS.mirrorBackups);
    await parts.deps.archives.delete(key);
    const mirrored = await temporal.run<{ refused: string | null }>(BACKUPS_WORKFLOWS.mirrorBackups);
    assert.match(mirrored.refused ?? '', /The bucket/);
  });

  it('says that it made no backup where the databases could not be looked for', async () => {
    temporal.current.before = {
      planNight: () => {
        throw new FairleadError('VALIDATION_FAILED', 'no');
      },
    };
    assert.deepEqual(await night(), { completed: 0, failed: 1, skipped: 0 });
    const [alarm] = parts.alarms.values();
    assert.match(alarm?.text ?? '', /No backup was made, as the databases could not be looked for: no/);
  });

  it('says that it verified no backup where they could not be listed, with all else that it tells', async () => {
    const fail = () => {
      throw new FairleadError('VALIDATION_FAILED', 'no');
    };
    temporal.current.before = { listBackupsToVerify: fail, reportStale: fail };
    assert.deepEqual(await temporal.run(BACKUPS_WORKFLOWS.verifyBackups), { verified: 0, failed: 0 });
    const [alarm] = parts.alarms.values();
    assert.match(alarm?.text ?? '', /No backup was verified, as they could not be listed: no/);
    assert.match(alarm?.text ?? '', /Whether nights back up every database is not known: no/);
  });

  /** A night whose backup of MongoDB is tried shortly before its end, and whose record cannot be written. */
  const waitForEver = async (faults: TestBackups['current']['before'] = {}) => {
    const broken = new FairleadError('DUMP_FAILED', 'mongodump: no');
    parts.deps.tools.mongodb.faults.set('shop_prod', () => Promise.reject(broken));
    temporal.current.before = { failBackup: away, ...faults };
    const begun = await temporal.env.currentTimeMs();
    const begunAt = new Date(begun - (NIGHT_HOURS - 0.1) * HOUR_MS).toISOString();
    const { jobs } = await planNight(parts.deps, nightOf(begun), AbortSignal.timeout(60_000));
    const left = { night: nightOf(begun), begunAt, jobs, more: null, parallelism: 2 };
    const tally = { completed: 0, failed: 0, skipped: 0 };
    const ended = await temporal.run<unknown>(BACKUPS_WORKFLOWS.nightlyBackups, [{ ...left, tally }]);
    assert.deepEqual(withoutNight(ended), { completed: 1, failed: 1, skipped: 0 });
    const hours = ((await temporal.env.currentTimeMs()) - Date.parse(begunAt)) / HOUR_MS;
    assert.ok(hours < 20, `${hours} hours`);
    // It would have the database also in the next test.
    await temporal.env.client.workflow.getHandle('backup/shop/prod/mongodb').terminate();
  };

  it('ends within its run although a backup of it does not, and names that one', async () => {
    await waitForEver();
    const [alarm] = parts.alarms.values();
    const line = /shop\/prod \(mongodb\): its backup has not ended; backup\/shop\/prod\/mongodb in Temporal says why/;
    assert.match(alarm?.text ?? '', line);
    const { items } = await parts.deps.backups.list({ statuses: ['running'] }, ALL);
    assert.deepEqual(
      items.map(({ engine }) => engine),
      ['mongodb'],
    );
  });

  /** What is left of a night that is nearly over. */
  const nearlyOver = async () => {
    const begun = await temporal.env.currentTimeMs();
    return { night: nightOf(begun), begunAt: new Date(begun - (NIGHT_HOURS - 0.1) * HOUR_MS).toISOString() };
  };
  /** Runs it to its end. @returns its result; it may take what is left of the time of a run */
  const runOut = async (workflowType: string, left: object): Promise<unknown> => {
    const options = { workflowId: `late-${workflowType}-${newId('restore')}`, taskQueue: TASK_QUEUE, args: [left] };
    const handle = await temporal.env.client.workflow.start(workflowType, options);
    const result = await handle.result();
    const { startTime, closeTime } = await handle.describe();
    // By the server's own times: it goes ahead while nobody waits.
    const hours = ((closeTime?.getTime() ?? Number.POSITIVE_INFINITY) - startTime.getTime()) / HOUR_MS;
    assert.ok(NIGHT_HOURS - 0.1 + hours < 20, `${hours} hours`);
    return result;
  };

  it('ends within its run although a proof that begins late does not, and says so', async () => {
    const backup = backupRecord();
    await parts.deps.backups.insert(backup);
    const details = { retryAfterSeconds: 4 * 3_600 };
    temporal.current.before = {
      verifyBackup: () => {
        throw new FairleadError('UNAVAILABLE', 'PostgreSQL does not answer', { retryable: true, details });
      },
    };
    const proofs = { backupIds: [backup.id], more: null, timeoutMs: 24 * HOUR_MS, problems: [] };
    const left = { ...(await nearlyOver()), ...proofs, tally: { verified: 0, failed: 0 } };
    assert.deepEqual(await runOut(BACKUPS_WORKFLOWS.verifyBackups, left), { verified: 0, failed: 1 });
    assert.match([...parts.alarms.values()][0]?.text ?? '', /bak_\w+: It could not be verified/);
  });

  it('ends within its run although what comes after its last page cannot be listed, and nobody can be told', async () => {
    temporal.current.before = { planNight: away, listBackupsToVerify: away, reportNight: away };
    const more = { engine: 'postgres', databaseName: 'a' };
    const none = { jobs: [], parallelism: 2, tally: { completed: 0, failed: 0, skipped: 0 } };
    await runOut(BACKUPS_WORKFLOWS.nightlyBackups, { ...(await nearlyOver()), ...none, more });
    const begun = await nearlyOver();
    const place = { isDue: true, triedAt: '', database: 'a', since: begun.begunAt, left: 1 };
    const proofs = { backupIds: [], more: place, timeoutMs: HOUR_MS, tally: { verified: 0, failed: 0 }, problems: [] };
    await runOut(BACKUPS_WORKFLOWS.verifyBackups, { ...begun, ...proofs });
  });

  it('ends within its run although a backup of it does not, and nobody can be told', async () => {
    await waitForEver({ reportNight: away });
  });
});

function withoutNight(result: unknown): unknown {
  const { night: _, ...tally } = result as { night: string };
  return tally;
}
