import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { reportStale } from '../../../activities/backups/report-stale.ts';
import type { Backup } from '../../../domain/backups/backup.ts';
import { backupRecord } from '../../support/backup-record.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

const TONIGHT = '2026-05-04';
const FRESH = new Date('2026-05-04T02:00:00.000Z');
const OLD = new Date('2026-05-02T02:00:00.000Z');
const excluded = { code: 'EXCLUDED', message: 'BACKUP_EXCLUDE_PATTERNS leaves it out: *' };
const failed = { code: 'DUMP_FAILED', message: 'out of memory' };
const unmade = { objectKey: null, sizeBytes: null } as const;

/** At 04:30, when the night of today has begun. */
async function parts() {
  const made = await createBackupsParts();
  made.clock.now = new Date(`${TONIGHT}T04:30:00.000Z`);
  const write = (...records: Partial<Backup>[]) =>
    Promise.all(
      records.map((fields, index) => made.deps.backups.insert(backupRecord({ id: `bak_${index}`, ...fields }))),
    );
  const report = () => reportStale(made.deps, TONIGHT, AbortSignal.timeout(10_000));
  return { ...made, write, report, text: () => [...made.alarms.values()][0]?.text ?? null };
}

describe('databases that no night backs up any more raise an alarm', () => {
  it('once a night, with how long it is, and in the ledger', async () => {
    const { write, report, alarms, deps, text } = await parts();
    await write({ startedAt: OLD });
    for (let again = 0; again < 2; again += 1) await report();
    assert.deepEqual([...alarms.keys()], [`backup.stale_alarm/${TONIGHT}`]);
    assert.match(text() ?? '', /shop\/prod \(postgres\): no backup since 2026-05-02T02:00:00.000Z/);
    assert.match(text() ?? '', /nightly-backups is paused/);
    const events = deps.audit.told().map(({ eventType }) => eventType);
    assert.deepEqual([...new Set(events)], ['backup.stale_alarm']);
  });

  it('where a service has one that was never backed up', async () => {
    const { known, report, alarms, text } = await parts();
    const database = { service: 'shop', environment: 'prod', engine: 'postgres', databaseName: 'shop_prod' } as const;
    known.push({ ...database, createdAt: FRESH });
    await report();
    assert.equal(alarms.size, 0, 'its first night is to come');
    known.splice(0, 1, { ...database, createdAt: OLD });
    await report();
    assert.match(text() ?? '', /shop\/prod \(postgres\): no backup at all/);
  });

  it('where the newest night that has begun is by a later hour of the one before', async () => {
    const { write, report, alarms, deps } = await parts();
    deps.settings.hourUtc = 20;
    // The night of the 3rd, which told of it.
    await write(
      { startedAt: new Date('2026-05-01T20:00:00.000Z'), night: '2026-05-01' },
      {
        ...unmade,
        startedAt: new Date('2026-05-03T20:00:00.000Z'),
        night: '2026-05-03',
        status: 'failed',
        problem: failed,
      },
    );
    await report();
    assert.equal(alarms.size, 0);
  });

  const QUIET: readonly (readonly [why: string, records: readonly Partial<Backup>[]])[] = [
    ['one that is fresh', [{ startedAt: FRESH }]],
    ['a manual one that is fresh', [{ startedAt: FRESH, night: null, kind: 'manual', tier: 'manual' }]],
    [
      'one that tonight has told of',
      [{ startedAt: OLD }, { ...unmade, startedAt: FRESH, night: TONIGHT, status: 'failed', problem: failed }],
    ],
    ['one that runs', [{ startedAt: OLD }, { ...unmade, startedAt: FRESH, night: TONIGHT, status: 'running' }]],
    [
      'one that is left out',
      [{ ...unmade, startedAt: OLD, night: '2026-05-02', status: 'skipped', problem: excluded }],
    ],
  ];
  for (const [why, records] of QUIET) {
    it(`but not ${why}`, async () => {
      const { write, report, alarms } = await parts();
      await write(...records);
      await report();
      assert.equal(alarms.size, 0);
    });
  }

  it('but not one of a removed service that was dropped, nor while nights are switched off', async () => {
    const { write, report, alarms, listed, deps } = await parts();
    await write({ startedAt: OLD });
    deps.settings.isEnabled = false;
    await report();
    deps.settings.isEnabled = true;
    listed.postgres.length = 0;
    await report();
    assert.equal(alarms.size, 0);
  });
});
