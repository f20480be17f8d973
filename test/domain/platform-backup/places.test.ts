import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partName, platformParts } from '../../../domain/platform-backup/parts.ts';
import { backupFolder, expiredPlatformBackups, listedBackups } from '../../../domain/platform-backup/places.ts';
import { SERVICE_ROWS } from '../../../domain/services.ts';

const DAY_MS = 86_400_000;
const RETENTION = { daily: 2, weekly: 1, monthly: 1 };

const at = (day: number) => new Date(Date.UTC(2026, 4, day, 2, 15));
const idOf = (number: number) => `pbk_${String(number).padStart(20, '0')}`;

/** Objects of a backup of that day. */
function objects(day: number, tier: 'manual' | 'daily' | 'weekly' | 'monthly', isComplete = true) {
  const folder = backupFolder({ id: idOf(day), tier, startedAt: at(day).toISOString() });
  const files = ['database-idp-0.sealed', ...(isComplete ? ['manifest.json'] : [])];
  return files.map((file) => ({ key: `${folder}${file}`, modifiedAt: at(day) }));
}

const expired = (listed: ReturnType<typeof objects>[], leftBefore = new Date(0)) =>
  expiredPlatformBackups(listedBackups(listed.flat()), RETENTION, leftBefore)
    .map(({ id }) => id)
    .sort();

test('backups are listed newest first whatever their tier, complete with their manifest alone, and nothing else is one', () => {
  const strange = [
    { key: 'daily/notes.txt', modifiedAt: at(1) },
    { key: 'other/x-pbk_1/manifest.json', modifiedAt: at(1) },
  ];
  const listed = listedBackups([
    ...objects(1, 'weekly'),
    ...objects(3, 'daily', false),
    ...objects(2, 'manual'),
    ...strange,
  ]);
  assert.deepEqual(
    listed.map(({ id, tier, isComplete }) => [id, tier, isComplete]),
    [
      [idOf(3), 'daily', false],
      [idOf(2), 'manual', true],
      [idOf(1), 'weekly', true],
    ],
  );
  assert.match(listed[0]?.folder ?? '', /^daily\/2026-05-03T02-15-00-000Z-pbk_0+3\/$/);
});

test('of each tier so many complete ones are kept, all manual ones, and the newest of all', () => {
  const days = [1, 2, 3, 4].map((day) => objects(day, 'daily'));
  assert.deepEqual(expired(days), [idOf(1), idOf(2)]);
  assert.deepEqual(expired([1, 2, 3].map((day) => objects(day, 'manual'))), []);
  assert.deepEqual(expired([objects(1, 'weekly'), objects(2, 'weekly'), ...days.slice(2)]), [idOf(1)]);
  const none = { daily: 0, weekly: 0, monthly: 0 };
  const left = expiredPlatformBackups(listedBackups(days.flat()), none, new Date(0));
  assert.equal(
    left.some(({ id }) => id === idOf(4)),
    false,
    'the newest stays, whatever the settings say',
  );
});

test('a half-written one counts for nothing, and goes once nobody can be at work on it', () => {
  const half = objects(4, 'daily', false);
  const whole = [1, 2].map((day) => objects(day, 'daily'));
  assert.deepEqual(expired([...whole, half]), [], 'the half one takes no place of a whole one');
  assert.deepEqual(expired([...whole, half], new Date(at(4).getTime() + DAY_MS)), [idOf(4)]);
});

test('every database of the table of services is a part, and who is referred to is read last', () => {
  const names = platformParts().map(partName);
  for (const { name, database } of SERVICE_ROWS)
    assert.equal(names.includes(`database/${name}`), database !== null, name);
  assert.equal(names[0], 'database/builder');
  assert.deepEqual(names.slice(-3), ['folder/audit-outbox', 'database/idp', 'database/audit-ledger']);
});
