import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BACKUP_STATUSES, BACKUP_TIERS, groupKey, isVerified } from '../../../domain/backups/backup.ts';
import { addNights, type Night, nightOf, tierOfNight } from '../../../domain/backups/night.ts';
import { DEFAULT_RETENTION, expiredBackups } from '../../../domain/backups/retention.ts';
import { backupRecord } from '../../support/backup-record.ts';

test('a year of nights, the leap day among them, leaves exactly the newest of each tier on every day', () => {
  let kept: ReturnType<typeof nightly>[] = [];
  for (let night = '2027-10-01'; night <= '2028-10-31'; night = addNights(night, 1)) {
    kept.push(nightly(night));
    const expired = new Set(expiredBackups(kept, DEFAULT_RETENTION));
    kept = kept.filter((backup) => !expired.has(backup));
    assert.deepEqual(
      kept.map((backup) => nightOf(backup.startedAt)),
      expectedNights('2027-10-01', night),
      night,
    );
  }
});

/** Written another way than the rule: the newest days, Sundays and firsts that a calendar has until that night. */
function expectedNights(first: Night, last: Night): readonly Night[] {
  const taken: Night[] = [];
  const left = { daily: 7, weekly: 4, monthly: 3 };
  for (let night = last; night >= first; night = addNights(night, -1)) {
    const [, , day] = night.split('-');
    const isSunday = new Date(`${night}T12:00:00Z`).toUTCString().startsWith('Sun');
    const tier = day === '01' ? 'monthly' : isSunday ? 'weekly' : 'daily';
    if (left[tier] > 0) taken.unshift(night);
    left[tier] -= 1;
  }
  return taken;
}

function nightly(night: Night) {
  return backupRecord({ id: `bak_${night}`, tier: tierOfNight(night), startedAt: new Date(`${night}T02:00:00Z`) });
}

test('a month that begins on a Sunday is monthly', () => {
  assert.deepEqual(['2026-02-01', '2026-03-01', '2026-03-08', '2028-02-29', '2026-11-23'].map(tierOfNight), [
    'monthly',
    'monthly',
    'weekly',
    'daily',
    'daily',
  ]);
});

const START = Date.parse('2026-01-01T02:00:00Z');

const backups = fc
  .array(
    fc.record({
      hour: fc.nat(5_000),
      tier: fc.constantFrom(...BACKUP_TIERS),
      status: fc.constantFrom(...BACKUP_STATUSES),
      proof: fc.constantFrom('none', 'proven', 'damaged'),
      service: fc.constantFrom('shop', 'blog'),
      environment: fc.constantFrom('prod' as const, 'uat' as const),
      engine: fc.constantFrom('mongodb' as const, 'postgres' as const),
    }),
    { maxLength: 120 },
  )
  .map((rows) =>
    rows.map(({ hour, proof, ...row }, index) =>
      backupRecord({
        ...row,
        id: `bak_${index}`,
        databaseName: `${row.service}_${row.environment}`,
        startedAt: new Date(START + hour * 3_600_000),
        verification: proof === 'none' ? null : { at: new Date(START), problem: proof === 'proven' ? null : DAMAGED },
      }),
    ),
  );

const DAMAGED = { code: 'RESTORED_COUNTS_DIFFER', message: 'orders has 1 instead of 2' };
const retention = fc.record({
  daily: fc.integer({ min: 1, max: 9 }),
  weekly: fc.integer({ min: 1, max: 6 }),
  monthly: fc.integer({ min: 1, max: 4 }),
});

test('retention deletes no manual backup, none that is not completed, and never the newest verified one', () => {
  fc.assert(
    fc.property(backups, retention, (all, limits) => {
      const expired = expiredBackups(all, limits);
      for (const backup of expired) {
        assert.equal(backup.status, 'completed');
        assert.notEqual(backup.tier, 'manual');
        if (!isVerified(backup)) continue;
        const newer = all.filter(
          (other) => groupKey(other) === groupKey(backup) && isVerified(other) && other !== backup,
        );
        assert.ok(
          newer.some(({ startedAt }) => startedAt >= backup.startedAt),
          'a newer one is verified',
        );
      }
    }),
  );
});

test('of final backups that could not be restored the newest stays, and every one that was or may be', () => {
  const final = (day: number, proof: 'proven' | 'damaged' | 'untried' | 'hangs') =>
    backupRecord({
      ...{ id: `bak_${day}`, kind: 'final', tier: 'manual', startedAt: new Date(Date.UTC(2026, 0, day)) },
      triedAt: proof === 'untried' ? null : new Date(Date.UTC(2026, 0, day)),
      verification:
        proof === 'untried' || proof === 'hangs'
          ? null
          : { at: new Date(), problem: proof === 'proven' ? null : { code: 'RESTORE_FAILED', message: 'no' } },
    });
  const all = [
    final(1, 'damaged'),
    final(2, 'proven'),
    final(3, 'damaged'),
    final(4, 'untried'),
    final(5, 'hangs'),
    final(6, 'damaged'),
  ];
  const other = { ...final(1, 'damaged'), databaseName: 'other' };
  const byHand = { ...final(1, 'damaged'), kind: 'manual' as const };
  const expired = expiredBackups([...all, other, byHand], DEFAULT_RETENTION);
  assert.deepEqual(
    expired.map(({ id, kind }) => [id, kind]),
    [
      ['bak_5', 'final'],
      ['bak_3', 'final'],
      ['bak_1', 'final'],
    ],
  );
});

test('each database keeps the newest completed ones of each tier, whatever other databases have', () => {
  fc.assert(
    fc.property(backups, retention, (all, limits) => {
      const expired = new Set(expiredBackups(all, limits));
      for (const group of Map.groupBy(
        all.filter(({ status }) => status === 'completed'),
        groupKey,
      ).values()) {
        const alone = new Set(expiredBackups(group, limits));
        assert.deepEqual(
          group.filter((backup) => expired.has(backup)),
          group.filter((backup) => alone.has(backup)),
        );
        for (const tier of ['daily', 'weekly', 'monthly'] as const) {
          const members = group.filter((backup) => backup.tier === tier);
          const gone = members.filter((backup) => expired.has(backup));
          assert.ok(members.length - gone.length >= Math.min(members.length, limits[tier]));
          for (const backup of gone) {
            const newer = members.filter(({ startedAt }) => startedAt >= backup.startedAt).length - 1;
            assert.ok(newer >= limits[tier], 'enough newer ones are kept');
          }
        }
      }
    }),
  );
});

test('retention deletes nothing more when it runs again', () => {
  fc.assert(
    fc.property(backups, retention, (all, limits) => {
      const expired = new Set(expiredBackups(all, limits));
      assert.deepEqual(
        expiredBackups(
          all.filter((backup) => !expired.has(backup)),
          limits,
        ),
        [],
      );
    }),
  );
});
