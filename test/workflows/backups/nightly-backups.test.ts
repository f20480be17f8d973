import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { planNight } from '../../../activities/backups/plan-night.ts';
import { enter, restoreScratch } from '../../../activities/backups/restore-database.ts';
import type { BackupEngine } from '../../../domain/backups/backup.ts';
import { BACKUPS_WORKFLOWS, backupWorkflowId } from '../../../domain/backups/messages.ts';
import { addNights, type Night, tierOfNight } from '../../../domain/backups/night.ts';
import { DEFAULT_RETENTION } from '../../../domain/backups/retention.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { NightTally } from '../../../workflows/backups/nightly-backups.ts';
import type { BackupsParts } from '../../support/in-memory/backups-parts.ts';
import { startBackups, type TestBackups } from './harness.ts';

const DAY_MS = 86_400_000;
const ALL = { cursor: null, limit: 200 };

describe('the nights of backups', { timeout: 590_000 }, () => {
  let temporal: TestBackups;
  let parts: BackupsParts;
  before(async () => {
    temporal = await startBackups();
  });
  after(() => temporal.stop());
  beforeEach(async () => {
    parts = await temporal.reset();
  });

  /** The server may be a day or more ahead of the last call: it skips whatever nobody waits for. */
  let tonight: Night = '';
  const night = async (): Promise<NightTally> => {
    const result = await temporal.run<NightTally & { night: Night }>(BACKUPS_WORKFLOWS.nightlyBackups);
    const { night: of, ...tally } = result;
    tonight = of;
    return tally;
  };
  const skipNights = (count: number) => temporal.env.sleep(count * DAY_MS);
  /** `<engine> <database> <status>` of a night. */
  const recordsOf = async (of: string): Promise<string[]> => {
    const { items } = await parts.deps.backups.list({ night: of }, ALL);
    return items.map(({ engine, databaseName, status }) => `${engine} ${databaseName} ${status}`).sort();
  };

  it('back up every database of both engines, of services and of none', async () => {
    parts.add('mongodb', 'legacy', { notes: ['x'] }, null);
    assert.deepEqual(await night(), { completed: 3, failed: 0, skipped: 0 });
    assert.deepEqual(await recordsOf(tonight), [
      'mongodb legacy completed',
      'mongodb shop_prod completed',
      'postgres shop_prod completed',
    ]);
    const tier = tierOfNight(tonight);
    const folders = parts.deps.archives.keys().map((key) => key.slice(0, key.lastIndexOf('/')));
    assert.deepEqual(folders, [`_/_/${tier}`, `prod/shop/${tier}`, `prod/shop/${tier}`]);
    assert.equal(parts.alarms.size, 0);
  });

  it('that are run twice leave one record and one archive of each database', async () => {
    await night();
    const keys = parts.deps.archives.keys();
    const { jobs } = await planNight(parts.deps, tonight, AbortSignal.timeout(60_000));
    const again = { night: tonight, jobs, parallelism: 2, tally: { completed: 0, failed: 0, skipped: 0 } };
    const { completed } = await temporal.run<NightTally>(BACKUPS_WORKFLOWS.nightlyBackups, [again]);
    assert.equal(completed, 2);
    assert.deepEqual(parts.deps.archives.keys(), keys);
    assert.equal((await recordsOf(tonight)).length, 2);
  });

  it('with one database that fails back up the others, and raise one alarm that names it', async () => {
    for (let index = 0; index < 10; index += 1) parts.add('postgres', `db_${index}`, { t: ['1'] }, null);
    parts.deps.tools.postgres.faults.set('db_4', async () => {
      throw new FairleadError('DUMP_FAILED', 'pg_dump: error: permission denied for table t');
    });
    assert.deepEqual(await night(), { completed: 11, failed: 1, skipped: 0 });
    const alarms = [...parts.alarms.values()];
    assert.equal(alarms.length, 1);
    assert.match(alarms[0]?.text ?? '', /db_4 \(postgres\): pg_dump: error: permission denied/);
    const events = parts.deps.audit.told().map(({ eventType }) => eventType);
    assert.equal(events.filter((type) => type === 'backup.completed').length, 11);
    assert.deepEqual(events.filter((type) => type !== 'backup.completed').sort(), [
      'backup.backups_alarm',
      'backup.failed',
    ]);
  });

  it('with a server that cannot be listed count one failure, fail what was known there, and back up the other engine', async () => {
    await night();
    await skipNights(1);
    parts.away.add('mongodb');
    assert.deepEqual(await night(), { completed: 1, failed: 1, skipped: 0 });
    assert.deepEqual(await recordsOf(tonight), ['mongodb shop_prod failed', 'postgres shop_prod completed']);
  });

  it('with a server that no night could list yet raise an alarm, although no database of it is known', async () => {
    parts.away.add('mongodb');
    assert.deepEqual(await night(), { completed: 1, failed: 1, skipped: 0 });
    const [alarm] = parts.alarms.values();
    assert.match(alarm?.text ?? '', /The databases of mongodb could not be listed: mongodb does not answer/);
  });

  it('leave out what BACKUP_EXCLUDE_PATTERNS names, and say so on record', async () => {
    parts.deps.settings.excludePatterns = ['*_cache'];
    parts.add('postgres', 'shop_cache', {}, null);
    parts.add('postgres', 'fairlead_kept_0123456789abcdefghjk', {}, null);
    assert.deepEqual(await night(), { completed: 2, failed: 0, skipped: 1 });
    const { items } = await parts.deps.backups.list({ statuses: ['skipped'] }, ALL);
    assert.deepEqual(
      items.map(({ databaseName, problem }) => [databaseName, problem?.message]),
      [['shop_cache', 'BACKUP_EXCLUDE_PATTERNS leaves it out: *_cache']],
    );
    assert.equal(parts.alarms.size, 0);
  });

  it('do nothing where backups are off or no server is configured', async () => {
    parts.deps.settings.isEnabled = false;
    assert.deepEqual(await night(), { completed: 0, failed: 0, skipped: 0 });
    parts.deps.settings.isEnabled = true;
    parts.deps.inventory.engines = [];
    assert.deepEqual(await night(), { completed: 0, failed: 0, skipped: 0 });
    assert.deepEqual(await recordsOf(tonight), []);
  });

  const reasonsOf = async (of: string) =>
    (await parts.deps.backups.list({ night: of }, ALL)).items.map(({ problem }) => problem?.code);

  /** What alarms tell of nights, below the line that says which night told it. */
  const alarmsOf = (nights: readonly Night[]) =>
    [...parts.alarms.values()]
      .map(({ text }) => text.slice(text.indexOf('\n')))
      .filter((text) => nights.some((each) => text.includes(each)));

  it('that are switched off are on record as skipped, raise no alarm, and are not missed when they are on again', async () => {
    await night();
    parts.deps.settings.isEnabled = false;
    const off: Night[] = [];
    for (let index = 0; index < 3; index += 1) {
      await skipNights(1);
      assert.deepEqual(await night(), { completed: 0, failed: 0, skipped: 2 });
      off.push(tonight);
    }
    // The server may have skipped a night that nobody ran: an alarm may tell that one, and no other.
    assert.deepEqual(alarmsOf(off), []);
    parts.deps.settings.isEnabled = true;
    await skipNights(1);
    await night();
    for (const each of off) {
      assert.deepEqual(await recordsOf(each), ['mongodb shop_prod skipped', 'postgres shop_prod skipped'], each);
      assert.deepEqual(await reasonsOf(each), ['BACKUPS_DISABLED', 'BACKUPS_DISABLED']);
    }
    assert.deepEqual(alarmsOf(off), []);
  });

  it('of an engine whose address was removed are on record as skipped, and raise an alarm that says what to set', async () => {
    parts.add('postgres', 'legacy', { notes: ['x'] }, null);
    parts.add('postgres', 'old_cache', { notes: ['x'] }, null);
    parts.deps.settings.excludePatterns = ['*_cache'];
    await night();
    parts.deps.inventory.engines = ['mongodb'];
    // The service was removed meanwhile, and its database with it.
    parts.listed.postgres.splice(0, 1);
    await skipNights(1);
    assert.deepEqual(await night(), { completed: 1, failed: 0, skipped: 2 });
    const expected = ['mongodb shop_prod completed', 'postgres legacy skipped', 'postgres old_cache skipped'];
    assert.deepEqual(await recordsOf(tonight), expected);
    const alarm = [...parts.alarms.values()].at(-1);
    assert.match(alarm?.text ?? '', /legacy \(postgres\): Set DB_POSTGRES_ADMIN_URI/);
    assert.doesNotMatch(alarm?.text ?? '', /old_cache/);
    await skipNights(1);
    await night();
    assert.ok((await recordsOf(tonight)).includes('postgres legacy skipped'), 'the night after as well');
  });

  it('wait for a backup by hand that runs, and make their own after it', async () => {
    const held = Promise.withResolvers<void>();
    const { faults } = parts.deps.tools.postgres;
    faults.set('shop_prod', () => held.promise);
    const byHand = parts.job();
    await temporal.commands.backUp(byHand);
    parts.deps.tools.mongodb.faults.set('shop_prod', async () => held.resolve());
    assert.deepEqual(await night(), { completed: 2, failed: 0, skipped: 0 });
    assert.equal((await parts.deps.backups.find(byHand.id))?.status, 'completed');
    assert.equal(parts.deps.archives.keys().filter((key) => key.endsWith('.pgdump')).length, 2);
  });

  it('put the nights of an outage on record as missed, and raise an alarm', async () => {
    await night();
    const last = tonight;
    await skipNights(4);
    await night();
    for (let each = addNights(last, 1); each < tonight; each = addNights(each, 1)) {
      assert.deepEqual(await recordsOf(each), ['mongodb shop_prod missed', 'postgres shop_prod missed'], each);
    }
    assert.deepEqual(await recordsOf(tonight), ['mongodb shop_prod completed', 'postgres shop_prod completed']);
    assert.match([...parts.alarms.values()][0]?.text ?? '', /No backup was made on .*the platform was away/);
  });

  it('end a record of which no workflow runs any more', async () => {
    const lost = parts.job();
    await parts.activities.openBackup(lost);
    await night();
    const record = await parts.deps.backups.find(lost.id);
    assert.deepEqual([record?.status, record?.problem?.code], ['failed', 'BACKUP_ABANDONED']);
  });

  /** A restore whose workflow is gone in the middle of its swap; ending it fails while the test says so. */
  const abandonSwap = async (engine: BackupEngine): Promise<string> => {
    await night();
    const { items } = await parts.deps.backups.list({ engine, statuses: ['completed'] }, ALL);
    const job = parts.restoreJob(items[0]?.id ?? '', { engine });
    await parts.activities.openRestore(job);
    await restoreScratch(parts.deps, job, AbortSignal.timeout(60_000));
    await enter(parts.deps, job, 'swapping');
    await skipNights(1);
    return job.id;
  };
  const away = () => {
    throw new FairleadError('UNAVAILABLE', 'The server does not answer', { retryable: true });
  };

  it('end a swap that was broken off before it was done, and back up what is live', async () => {
    const id = await abandonSwap('mongodb');
    parts.deps.tools.mongodb.databases.set('shop_prod', { since: ['1'] });
    assert.deepEqual(await night(), { completed: 2, failed: 0, skipped: 0 });
    const restore = await parts.deps.restores.find(id);
    assert.deepEqual([restore?.status, restore?.problem?.code], ['failed', 'RESTORE_ABANDONED']);
    const { items } = await parts.deps.backups.list({ engine: 'mongodb', night: tonight }, ALL);
    assert.deepEqual((await parts.deps.backups.find(items[0]?.id ?? ''))?.figures, { since: 1 });
    assert.ok(![...parts.alarms.values()].some(({ text }) => text.includes('broken off')));
  });

  it('are not stopped by a restore that cannot be ended: the alarm names it', async () => {
    const id = await abandonSwap('postgres');
    Object.assign(parts.deps.tools.postgres, {
      endSwap: async () => {
        throw new FairleadError('INTERNAL', 'The PostgreSQL server of databases answered with error 0A000.');
      },
    });
    assert.deepEqual(await night(), { completed: 2, failed: 0, skipped: 0 });
    const alarm = [...parts.alarms.values()].at(-1);
    assert.match(alarm?.text ?? '', new RegExp(`the restore ${id}, which was broken off, has not ended`));
  });

  it('begin although what was broken off cannot be looked for, and say so', async () => {
    temporal.current.before = { closeAbandoned: away };
    assert.deepEqual(await night(), { completed: 2, failed: 0, skipped: 0 });
    const alarm = [...parts.alarms.values()].at(-1);
    assert.match(alarm?.text ?? '', /Backups and restores that were broken off may be open still: .*does not answer/);
  });

  /** Of one database, that was backed up in these nights: what retention keeps is on record, in the bucket, and nothing else. */
  async function hasArchivesOf(made: readonly Night[]): Promise<void> {
    const kept = (['daily', 'weekly', 'monthly'] as const).flatMap((tier) => {
      const ofTier = made.filter((each) => tierOfNight(each) === tier).slice(-DEFAULT_RETENTION[tier]);
      return ofTier.map((each) => `${tier} ${each}`);
    });
    const { items } = await parts.deps.backups.list({ statuses: ['completed'] }, ALL);
    const after = `after ${made.at(-1)}`;
    assert.deepEqual(items.map(({ tier, night: of }) => `${tier} ${of}`).sort(), kept.toSorted(), after);
    assert.deepEqual(items.map(({ objectKey }) => objectKey).sort(), parts.deps.archives.keys().toSorted(), after);
  }

  it('of a whole year, an outage in it, leave a record of every night, and after each the archives of the contract', async () => {
    parts.listed.mongodb.length = 0;
    const made: Night[] = [];
    for (let index = 0; index < 366; index += 1) {
      if (index === 100) await skipNights(9);
      await night();
      made.push(tonight);
      await hasArchivesOf(made);
      await skipNights(1);
    }
    const [first = ''] = made;
    assert.ok(tonight >= addNights(first, 374), 'a year and nine nights');
    assert.equal(new Set(made).size, 366);
    for (let each = first; each <= tonight; each = addNights(each, 1)) {
      // The server may skip months at once: of an outage the last 31 nights get a record.
      const isLongAgo = !made.some((later) => later >= each && later <= addNights(each, 31));
      const status = made.includes(each) ? 'postgres shop_prod (completed|pruned)' : 'postgres shop_prod missed';
      assert.match((await recordsOf(each)).join(), new RegExp(`^${isLongAgo ? '' : status}$`), each);
    }
  });

  it('verify a sample, so that every database is restored for proof within a week', async () => {
    for (let index = 0; index < 12; index += 1) parts.add('postgres', `db_${index}`, { t: ['1'] }, null);
    await night();
    assert.deepEqual(await temporal.run(BACKUPS_WORKFLOWS.verifyBackups), { verified: 14, failed: 0 });
    assert.deepEqual(await temporal.run(BACKUPS_WORKFLOWS.verifyBackups), { verified: 0, failed: 0 });
    let verified = 0;
    for (let index = 0; index < 7; index += 1) {
      await skipNights(1);
      await night();
      verified += (await temporal.run<{ verified: number }>(BACKUPS_WORKFLOWS.verifyBackups)).verified;
    }
    assert.ok(verified >= 14 && verified <= 21, `${verified} of 14 databases`);
    assert.deepEqual(
      [...parts.deps.tools.postgres.databases.keys()].filter((name) => name.startsWith('fairlead_')),
      [],
    );
  });

  it('that do not run any more are told of by the proof of backups: it is not the nights that would tell', async () => {
    await night();
    await temporal.run(BACKUPS_WORKFLOWS.verifyBackups);
    assert.equal(parts.alarms.size, 0);
    await skipNights(3);
    await temporal.run(BACKUPS_WORKFLOWS.verifyBackups);
    const [alarm, ...others] = parts.alarms.values();
    assert.match(
      alarm?.text ?? '',
      /shop\/prod \(mongodb\): no backup since .*\n.*shop\/prod \(postgres\): no backup since/,
    );
    assert.deepEqual(others, []);
    await night();
    await temporal.run(BACKUPS_WORKFLOWS.verifyBackups);
    assert.deepEqual(
      [...parts.alarms.keys()].filter((id) => id.startsWith('backup.stale_alarm')),
      [alarm?.id],
    );
  });

  it('verify although it is not known whether they run, and say so', async () => {
    await night();
    temporal.current.before = { reportStale: away };
    assert.deepEqual(await temporal.run(BACKUPS_WORKFLOWS.verifyBackups), { verified: 2, failed: 0 });
    const [alarm] = parts.alarms.values();
    assert.match(alarm?.text ?? '', /Whether nights back up every database is not known: .*does not answer/);
  });

  it('raise an alarm for a backup that does not restore, and go on with the others', async () => {
    await night();
    const [key = ''] = parts.deps.archives.keys().filter((each) => each.endsWith('.pgdump'));
    parts.deps.archives.damage(key, Buffer.from('rotten'));
    assert.deepEqual(await temporal.run(BACKUPS_WORKFLOWS.verifyBackups), { verified: 1, failed: 1 });
    const { items } = await parts.deps.backups.list({ engine: 'postgres' }, ALL);
    assert.equal(items[0]?.verification?.problem?.code, 'NOT_RESTORABLE');
    const [alarm] = parts.alarms.values();
    assert.match(alarm?.subject ?? '', /could not be restored/);
    assert.match(alarm?.text ?? '', new RegExp(items[0]?.id ?? 'none'));
  });

  it('copy the archives to the off-site bucket, and refuse to follow a bucket that lost some', async () => {
    await night();
    const { archives, mirror } = parts.deps;
    const mirrorNight = () => temporal.run<unknown>(BACKUPS_WORKFLOWS.mirrorBackups);
    assert.deepEqual(await mirrorNight(), { copied: 2, removed: 0, refused: null, failed: [], failures: 0 });
    assert.deepEqual(mirror.keys(), archives.keys());
    const before = mirror.keys();
    for (const key of archives.keys()) await archives.delete(key);
    const refused = (await mirrorNight()) as { removed: number; refused: string };
    assert.equal(refused.removed, 0);
    assert.match(refused.refused, /The bucket is empty, and the mirror has 2 archives/);
    assert.deepEqual(mirror.keys(), before);
    assert.match([...parts.alarms.values()][0]?.text ?? '', /docs\/backups\.md/);
  });

  it('copy nothing while the listing of the bucket breaks off, and raise an alarm', async () => {
    await night();
    const { archives, mirror } = parts.deps;
    await temporal.run(BACKUPS_WORKFLOWS.mirrorBackups);
    const before = mirror.keys();
    Object.assign(archives, {
      list: async function* () {
        yield { key: before[0] ?? '', bytes: 1, etag: 'x', modifiedAt: new Date() };
        throw new FairleadError('OBJECT_STORE_REFUSED', 'The object store refused the platform (AccessDenied)');
      },
    });
    assert.equal(await temporal.run(BACKUPS_WORKFLOWS.mirrorBackups), null);
    assert.deepEqual(mirror.keys(), before);
    assert.match([...parts.alarms.values()].at(-1)?.text ?? '', /AccessDenied/);
  });

  it('back up many databases a few at a time', async () => {
    for (let index = 0; index < 48; index += 1) parts.add('mongodb', `many_${index}`, { t: ['1'] }, null);
    let running = 0;
    let most = 0;
    for (const name of parts.deps.tools.mongodb.databases.keys()) {
      parts.deps.tools.mongodb.faults.set(name, async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
      });
    }
    assert.deepEqual(await night(), { completed: 50, failed: 0, skipped: 0 });
    assert.ok(most <= parts.deps.settings.parallelism, `${most} at once`);
    const engines: readonly BackupEngine[] = (await parts.deps.backups.list({}, ALL)).items.map(({ engine }) => engine);
    assert.equal(engines.length, 50);
  });

  it('carry however many databases there are a page at a time, and leave none out', async () => {
    parts.deps.settings.nightPage = 3;
    for (const name of ['a', 'b', 'c', 'z']) {
      parts.add('mongodb', `${name}_many`, { t: ['1'] }, null);
      parts.add('postgres', `${name}_many`, { t: ['1'] }, null);
    }
    parts.deps.settings.excludePatterns = ['b_*'];
    assert.deepEqual(await night(), { completed: 8, failed: 0, skipped: 2 });
    const records = await recordsOf(tonight);
    assert.equal(new Set(records).size, 10);
    assert.equal(records.filter((line) => line.endsWith('skipped')).length, 2);
    assert.equal(parts.alarms.size, 0);
  });

  it('have a record of each database also where its server goes away between two pages, which counts as one failure', async () => {
    for (const name of ['a', 'b', 'c', 'z']) parts.add('postgres', `${name}_many`, { t: ['1'] }, null);
    await night();
    await skipNights(1);
    parts.deps.settings.nightPage = 3;
    let plans = 0;
    temporal.current.before = {
      planNight: () => {
        plans += 1;
        if (plans > 1) parts.away.add('postgres');
      },
    };
    const tally = await night();
    assert.deepEqual(tally, { completed: 3, failed: 1, skipped: 0 });
    assert.deepEqual((await recordsOf(tonight)).map((line) => line.split(' ').at(-1)).sort(), [
      ...['completed', 'completed', 'completed', 'failed', 'failed', 'failed'],
    ]);
    assert.match([...parts.alarms.values()].at(-1)?.text ?? '', /c_many .*could not be listed/);
  });

  it('end and say so where the databases of a later page could not even be looked for', async () => {
    parts.deps.settings.nightPage = 1;
    let plans = 0;
    temporal.current.before = {
      planNight: () => {
        plans += 1;
        if (plans > 1) throw new FairleadError('VALIDATION_FAILED', 'no');
      },
    };
    assert.deepEqual(await night(), { completed: 1, failed: 0, skipped: 0 });
    assert.match(
      [...parts.alarms.values()].at(-1)?.text ?? '',
      /databases after shop_prod \(mongodb\) were not looked for/,
    );
  });

  // The last one: the server skips no time any more, or more than it should, once a workflow was terminated at work.
  it('are not stopped by a swap that takes hours to end: its database is skipped with the reason', async () => {
    const id = await abandonSwap('mongodb');
    temporal.current.before = { closeRestore: away };
    assert.deepEqual(await night(), { completed: 1, failed: 0, skipped: 1 });
    assert.deepEqual(await recordsOf(tonight), ['mongodb shop_prod skipped', 'postgres shop_prod completed']);
    const { items } = await parts.deps.backups.list({ statuses: ['skipped'] }, ALL);
    assert.equal(items[0]?.problem?.code, 'RESTORE_IN_PROGRESS');
    assert.match(items[0]?.problem?.message ?? '', new RegExp(`The restore ${id} was broken off`));
    const alarm = [...parts.alarms.values()].at(-1);
    assert.match(alarm?.text ?? '', new RegExp(`shop/prod \\(mongodb\\): the restore ${id}, .* has not ended`));
    // It has the workflow of its database: nobody else gets at that meanwhile.
    const manual = parts.job({ engine: 'mongodb' });
    assert.equal(await temporal.commands.isUnderWay(manual, id), true);
    await temporal.env.client.workflow.getHandle(backupWorkflowId(manual)).terminate();
    temporal.current.before = {};
    await skipNights(1);
    assert.deepEqual(await night(), { completed: 2, failed: 0, skipped: 0 });
    assert.equal((await parts.deps.restores.find(id))?.status, 'failed');
  });
});
