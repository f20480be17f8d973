import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { BACKUP_STATUSES, type Backup, type BackupStatus, NEXT_STATUSES } from '../../../domain/backups/backup.ts';
import { excludedBy } from '../../../domain/backups/exclude.ts';
import { summarizeHealth } from '../../../domain/backups/health.ts';
import { planMirror } from '../../../domain/backups/mirror.ts';
import { addNights, nightsBetween } from '../../../domain/backups/night.ts';
import { fileName, objectKey } from '../../../domain/backups/object-key.ts';
import {
  backupsToVerify,
  compareFigures,
  type PageOfProofs,
  type PlaceInProofs,
  VERIFICATION_NIGHTS,
} from '../../../domain/backups/verification.ts';
import { backupRecord } from '../../support/backup-record.ts';

/** All of a night, as on one page. */
const proofsOf = (backups: readonly Backup[], night: string): readonly Backup[] =>
  backupsToVerify(backups, night, { after: null, limit: 1_000, now: new Date(`${night}T04:30:00Z`) }).backups;

test('a backup that ended never runs again, and what failed, was skipped or missed has no archive', () => {
  const reached = (from: BackupStatus): ReadonlySet<BackupStatus> =>
    new Set(NEXT_STATUSES[from].flatMap((next) => [next, ...reached(next)]));
  for (const status of BACKUP_STATUSES) assert.ok(!reached(status).has('running'), status);
  for (const status of ['failed', 'skipped', 'missed'] as const) assert.deepEqual([...reached(status)], []);
  assert.deepEqual([...reached('completed')], ['pruned']);
});

test('keys are those of the contract', () => {
  const at = new Date('2026-03-01T02:00:05.123Z');
  const shop = { service: 'shop', environment: 'prod', databaseName: 'shop_prod' } as const;
  assert.equal(
    objectKey({ ...shop, engine: 'postgres', tier: 'monthly' }, at),
    'prod/shop/monthly/shop_prod-2026-03-01T02-00-05-123Z.pgdump',
  );
  const archive = objectKey({ ...shop, engine: 'mongodb', tier: 'manual' }, at);
  assert.equal(archive, 'prod/shop/manual/shop_prod-2026-03-01T02-00-05-123Z.archive.gz');
  assert.equal(fileName(archive), 'shop_prod-2026-03-01T02-00-05-123Z.archive.gz');
});

test('every database name makes a key that object stores take, and different names different keys', () => {
  const at = new Date('2026-03-01T02:00:05.123Z');
  const keyOf = (databaseName: string) =>
    objectKey({ service: null, environment: null, databaseName, engine: 'mongodb', tier: 'daily' }, at);
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, maxLength: 63 }),
      fc.string({ minLength: 1, maxLength: 63 }),
      (one, other) => {
        assert.match(keyOf(one), /^_\/_\/daily\/[A-Za-z0-9!_.-]+\.archive\.gz$/);
        assert.equal(keyOf(one) === keyOf(other), one === other);
      },
    ),
  );
  assert.ok(!keyOf('../../etc').includes('..//') && keyOf('../../etc').split('/').length === 4);
});

test('nights between two nights are neither of them, across months and leap days', () => {
  assert.deepEqual(nightsBetween('2028-02-27', '2028-03-01'), ['2028-02-28', '2028-02-29']);
  assert.deepEqual(nightsBetween('2026-03-01', '2026-03-02'), []);
  assert.deepEqual(nightsBetween('2026-03-02', '2026-03-01'), []);
  assert.equal(nightsBetween('2026-01-01', '2027-01-01').length, 364);
});

const GLOBS: readonly [name: string, patterns: readonly string[], matched: string | null][] = [
  ['shop_prod', [], null],
  ['shop_prod', ['shop_prod'], 'shop_prod'],
  ['shop_prod', ['shop'], null],
  ['shop_prod', ['blog_*', '*_prod'], '*_prod'],
  ['shop_prod', ['shop_????'], 'shop_????'],
  ['shop.prod', ['shop?prod'], 'shop?prod'],
  ['shopXprod', ['shop.prod'], null],
  ['a', ['(a+)+$'], null],
];

for (const [name, patterns, matched] of GLOBS) {
  test(`${name} is left out by ${matched ?? 'none'} of ${JSON.stringify(patterns)}`, () => {
    assert.equal(excludedBy(name, patterns), matched);
  });
}

test('within a week every database has a backup restored for proof, the longest unproven ones first', () => {
  let backups = Array.from({ length: 50 }, (_, index) =>
    backupRecord({ id: `bak_${String(index).padStart(2, '0')}`, databaseName: `db_${index}` }),
  );
  // All were proven on one night, and have a newer backup since.
  const proofNight = '2026-05-03';
  let proven = backups.map((each) => ({
    ...each,
    id: `${each.id}_old`,
    startedAt: new Date('2026-05-01T02:00:00Z'),
    verification: { at: new Date(`${proofNight}T05:00:00Z`), problem: null },
  }));
  const turns = new Set<string>();
  for (let index = 1; index <= VERIFICATION_NIGHTS; index += 1) {
    const night = addNights(proofNight, index);
    const picked = proofsOf([...backups, ...proven], night);
    if (index < VERIFICATION_NIGHTS) assert.equal(picked.length, Math.ceil(50 / VERIFICATION_NIGHTS));
    const ids = new Set(picked.map(({ id }) => id));
    for (const { databaseName } of picked) turns.add(databaseName);
    const verification = { at: new Date(`${night}T05:00:00Z`), problem: null };
    backups = backups.map((each) => (ids.has(each.id) ? { ...each, verification } : each));
    proven = proven.filter(({ databaseName }) => !turns.has(databaseName));
  }
  assert.equal(turns.size, 50);
});

test('a database that was never proven does not wait for its turn, and one whose newest is proven is left alone', () => {
  const never = Array.from({ length: 10 }, (_, index) =>
    backupRecord({ id: `bak_${index}`, databaseName: `db_${index}` }),
  );
  assert.equal(proofsOf(never, '2026-05-05').length, 10);
  const done = backupRecord({ verification: { at: new Date('2026-05-04T05:00:00Z'), problem: null } });
  assert.deepEqual(proofsOf([done], '2026-05-05'), []);
});

test('a database whose last proof failed has its next backup proven the next night, and then waits for its turn again', () => {
  const bad = { code: 'RESTORE_FAILED', message: 'no archive' };
  const proof = (day: number, problem: typeof bad | null) => {
    const at = new Date(`2026-05-0${day}T05:00:00Z`);
    return backupRecord({ id: `bak_${day}`, databaseName: 'bad', startedAt: at, verification: { at, problem } });
  };
  const others = Array.from({ length: 14 }, (_, index) => {
    const older = { at: new Date('2026-05-02T05:00:00Z'), problem: null };
    const fields = { databaseName: `db_${index}`, startedAt: new Date('2026-05-01T02:00:00Z'), verification: older };
    return [
      backupRecord({ ...fields, id: `bak_old_${index}` }),
      backupRecord({ id: `bak_new_${index}`, databaseName: `db_${index}` }),
    ];
  }).flat();
  const next = backupRecord({ id: 'bak_next', databaseName: 'bad', startedAt: new Date('2026-05-05T02:00:00Z') });
  const picked = (backups: readonly ReturnType<typeof proof>[]) =>
    proofsOf([...backups, next, ...others], '2026-05-05').map(({ id }) => id);
  assert.ok(picked([proof(3, null), proof(4, bad)]).includes('bak_next'));
  assert.ok(!picked([proof(3, bad), proof(4, null)]).includes('bak_next'));
});

test('proofs that come to no end take the nights from no other database, however many there are of them', () => {
  // So many have time in a night; the first by name are of somebody whose restores sleep.
  const IN_A_NIGHT = 8;
  const isEndless = (name: string): boolean => name < 'db_10';
  const names = Array.from({ length: 30 }, (_, index) => `db_${String(index).padStart(2, '0')}`);
  let backups: readonly Backup[] = [];
  const proven = new Set<string>();
  for (let night = '2026-05-04', index = 0; index < VERIFICATION_NIGHTS; night = addNights(night, 1), index += 1) {
    const at = new Date(`${night}T04:30:00Z`);
    const made = names.map((databaseName) =>
      backupRecord({ id: `bak_${night}_${databaseName}`, databaseName, startedAt: new Date(`${night}T02:00:00Z`) }),
    );
    backups = [...backups, ...made];
    const picked = new Set(proofsOf(backups, night).slice(0, IN_A_NIGHT));
    for (const { databaseName } of picked) if (!isEndless(databaseName)) proven.add(databaseName);
    backups = backups.map((each) => {
      if (!picked.has(each)) return each;
      return { ...each, triedAt: at, verification: isEndless(each.databaseName) ? null : { at, problem: null } };
    });
  }
  assert.deepEqual([...proven].sort(), names.slice(10));
});

test('pages of proofs give each database one turn, whatever became of those before and whatever is backed up meanwhile', () => {
  const night = '2026-05-12';
  const proofOn = (day: number) => ({ at: new Date(Date.UTC(2026, 4, day, 5)), problem: null });
  // All of them due: half never proven, and half a week ago.
  let backups = Array.from({ length: 40 }, (_, index) => {
    const databaseName = `db_${index}`;
    const old = { startedAt: new Date('2026-05-01T02:00:00Z'), verification: proofOn(1 + (index % 3)) };
    const newest = backupRecord({ id: `bak_${index}`, databaseName, startedAt: new Date('2026-05-12T02:00:00Z') });
    return index % 2 === 0 ? [newest] : [newest, backupRecord({ id: `bak_old_${index}`, databaseName, ...old })];
  }).flat();
  const turns: string[] = [];
  const now = new Date(`${night}T04:30:00Z`);
  for (let after: PlaceInProofs | null = null, page = 0; page === 0 || after !== null; page += 1) {
    const { backups: picked, more }: PageOfProofs<Backup> = backupsToVerify(backups, night, { after, limit: 7, now });
    assert.ok(picked.length <= 7);
    turns.push(...picked.map(({ databaseName }) => databaseName));
    after = more;
    // Of each page one is proven, one fails, of one the proof came to no end, and of the others none began.
    const [good, bad, endless] = picked.map(({ id }) => id);
    const failed = { ...proofOn(12), problem: { code: 'RESTORE_FAILED', message: 'no archive' } };
    backups = backups.map((each) =>
      each.id === good || each.id === bad
        ? { ...each, verification: each.id === good ? proofOn(12) : failed }
        : { ...each, triedAt: each.id === endless ? new Date(Date.UTC(2026, 4, 12, 6)) : each.triedAt },
    );
    // Somebody backs up one that had its turn, and one that waits.
    for (const databaseName of [picked[0]?.databaseName ?? 'db_9', 'db_9']) {
      const fields = { id: `bak_${page}_${databaseName}`, startedAt: new Date(Date.UTC(2026, 4, 12, 6, page)) };
      backups.push(backupRecord({ ...fields, databaseName }));
    }
  }
  assert.deepEqual(turns.toSorted(), Array.from({ length: 40 }, (_, index) => `db_${index}`).sort());
});

test('counts that differ name the table, and never more than one', () => {
  assert.equal(compareFigures({ a: 1, b: 2 }, { b: 2, a: 1 }), null);
  assert.equal(
    compareFigures({ a: 1, b: 2 }, { a: 1, b: 1, c: 0 })?.message,
    'What was restored differs from the dump: b has 1 instead of 2, and 1 more',
  );
  assert.match(compareFigures({ a: 1 }, {})?.message ?? '', /a has no table or collection instead of 1/);
});

const archive = (key: string, bytes = 10) => ({ key, bytes });

test('the mirror gets what it lacks, and loses what retention deleted', () => {
  const plan = planMirror(
    [archive('a'), archive('b')],
    [archive('a'), archive('old')],
    new Map([
      ['a', 10],
      ['b', 10],
    ]),
    new Set(['old']),
  );
  assert.deepEqual(plan, { copy: [archive('b')], remove: ['old'], refused: null });
});

test('a mirror keeps what no record knows: the archives of an installation that was lost with its records', () => {
  const mirror = [archive('lost-1'), archive('lost-2'), archive('of-somebody-else')];
  const plan = planMirror([archive('first')], mirror, new Map([['first', 10]]), new Set());
  assert.deepEqual(plan, { copy: [archive('first')], remove: [], refused: null });
});

test('a mirror of an emptied or half-read bucket removes nothing', () => {
  const mirror = [archive('a'), archive('b'), archive('old')];
  const recorded = new Map([
    ['a', 10],
    ['b', 10],
  ]);
  const emptied = planMirror([], mirror, new Map(), new Set(['old']));
  assert.deepEqual([emptied.copy, emptied.remove], [[], []]);
  assert.match(emptied.refused ?? '', /is empty, and the mirror has 3/);
  for (const source of [[], [archive('a')], [archive('a'), archive('b', 9)]]) {
    const plan = planMirror(source, mirror, recorded, new Set(['old']));
    assert.deepEqual(plan.remove, []);
    assert.deepEqual(plan.copy, []);
    assert.notEqual(plan.refused, null);
  }
});

test('whatever the listings say, the mirror never loses an archive that the bucket or a record has', () => {
  const archives = fc.uniqueArray(
    fc.record({ key: fc.constantFrom<string>('a', 'b', 'c', 'd', 'e'), bytes: fc.constantFrom<number>(1, 2) }),
    { selector: ({ key }) => key },
  );
  fc.assert(
    fc.property(archives, archives, archives, archives, (source, mirror, records, gone) => {
      const recorded = new Map(records.map(({ key, bytes }) => [key, bytes]));
      const ended = new Set(gone.map(({ key }) => key));
      const { copy, remove, refused } = planMirror(source, mirror, recorded, ended);
      for (const key of remove) {
        assert.ok(ended.has(key) && !recorded.has(key) && !source.some((each) => each.key === key));
      }
      if (refused !== null) assert.deepEqual(remove, []);
      for (const each of copy) {
        assert.ok(source.includes(each));
        assert.ok(
          !recorded.has(each.key) || recorded.get(each.key) === each.bytes,
          'nothing that lost bytes is copied',
        );
      }
    }),
  );
});

const NOW = new Date('2026-05-10T12:00:00Z');
const at = (day: number) => new Date(`2026-05-${String(day).padStart(2, '0')}T02:00:00Z`);
const PROOF = { at: new Date('2026-05-08T05:00:00Z'), problem: null };
const AWAY = { code: 'NIGHT_MISSED', message: 'the platform was away' };

const BUSY = { code: 'BACKUP_IN_PROGRESS', message: 'a restore was running for an hour' };

const HEALTH: readonly [what: string, backups: readonly Parameters<typeof backupRecord>[0][], state: string][] = [
  ['a fresh backup with a proof of this week', [{ startedAt: at(10), verification: PROOF }], 'healthy'],
  [
    'a fresh backup, an older one with the proof',
    [{ startedAt: at(10) }, { startedAt: at(7), verification: PROOF }],
    'healthy',
  ],
  ['a fresh backup without any proof', [{ startedAt: at(10) }], 'unproven'],
  ['a fresh backup whose proof failed', [{ startedAt: at(10), verification: { ...PROOF, problem: AWAY } }], 'unproven'],
  [
    'a fresh backup after one whose proof failed, although an earlier one was proven',
    [
      { startedAt: at(10) },
      { startedAt: at(9), verification: { at: at(9), problem: AWAY } },
      { startedAt: at(8), verification: { at: at(8), problem: null } },
    ],
    'unproven',
  ],
  [
    'a fresh backup that was proven after one whose proof failed',
    [
      { startedAt: at(10), verification: PROOF },
      { startedAt: at(7), verification: { at: at(7), problem: AWAY } },
    ],
    'healthy',
  ],
  ['a fresh backup with an old proof', [{ startedAt: at(10), verification: { at: at(1), problem: null } }], 'unproven'],
  ['no backup since two days', [{ startedAt: at(8), verification: PROOF }], 'stale'],
  ['a manual backup alone', [{ startedAt: at(10), night: null, kind: 'manual', verification: PROOF }], 'healthy'],
  ['a backup that runs, for the first time', [{ startedAt: at(10), status: 'running' }], 'stale'],
  [
    'a failed night',
    [
      { startedAt: at(10), status: 'failed', problem: AWAY },
      { startedAt: at(9), verification: PROOF },
    ],
    'failing',
  ],
  ['a missed night', [{ startedAt: at(10), status: 'missed', problem: AWAY }], 'failing'],
  [
    'a failed night before a completed one',
    [
      { startedAt: at(10), verification: PROOF },
      { startedAt: at(9), status: 'failed' },
    ],
    'healthy',
  ],
  [
    'a database that is left out by a pattern',
    [{ startedAt: at(10), status: 'skipped', problem: { code: 'EXCLUDED', message: 'a pattern' } }],
    'healthy',
  ],
  ['a database that was too busy for its backups', [{ startedAt: at(10), status: 'skipped', problem: BUSY }], 'stale'],
  [
    'a database that was too busy for one backup',
    [
      { startedAt: at(10), status: 'skipped', problem: BUSY },
      { startedAt: new Date('2026-05-10T01:30:00Z'), night: null, kind: 'manual', verification: PROOF },
    ],
    'healthy',
  ],
];

for (const [what, backups, state] of HEALTH) {
  test(`${what} is ${state}`, () => {
    const [health] = summarizeHealth(
      backups.map((fields) => backupRecord(fields)),
      NOW,
    );
    assert.equal(health?.state, state);
  });
}

test('health lists each database once, the worst first', () => {
  const rows = summarizeHealth(
    [
      backupRecord({ databaseName: 'a', startedAt: at(10), verification: PROOF }),
      backupRecord({ databaseName: 'b', startedAt: at(10), status: 'failed' }),
      backupRecord({ databaseName: 'a', startedAt: at(9) }),
    ],
    NOW,
  );
  assert.deepEqual(
    rows.map(({ databaseName, state }) => [databaseName, state]),
    [
      ['b', 'failing'],
      ['a', 'healthy'],
    ],
  );
  assert.deepEqual(summarizeHealth([], NOW), []);
});

test('a database that a service has is stale once it is older than 36 hours and no backup is of it', () => {
  const known = (databaseName: string, hours: number) => ({
    ...({ service: 'shop', environment: 'prod', engine: 'postgres', databaseName } as const),
    createdAt: new Date(NOW.getTime() - hours * 3_600_000),
  });
  const backed = backupRecord({ databaseName: 'backed', startedAt: at(10), verification: PROOF });
  const rows = summarizeHealth([backed], NOW, [known('backed', 900), known('new', 36), known('forgotten', 37)]);
  assert.deepEqual(
    rows.map(({ databaseName, state, lastCompletedAt }) => [databaseName, state, lastCompletedAt === null]),
    [
      ['forgotten', 'stale', true],
      ['backed', 'healthy', false],
    ],
  );
});
