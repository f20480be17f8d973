import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProvenManifest } from '../../../domain/platform-backup/manifest.ts';
import { partName, platformParts } from '../../../domain/platform-backup/parts.ts';
import {
  backupFolder,
  expiredPlatformBackups,
  type GenuineBackup,
  genuineBackup,
  leftFolders,
  listedFolders,
  newestFirst,
} from '../../../domain/platform-backup/places.ts';
import { SERVICE_ROWS } from '../../../domain/services.ts';

const DAY_MS = 86_400_000;
const RETENTION = { daily: 2, weekly: 1, monthly: 1 };

const at = (day: number) => new Date(Date.UTC(2026, 4, day, 2, 15));
const idOf = (number: number) => `pbk_${String(number).padStart(20, '0')}`;

type Tier = 'manual' | 'daily' | 'weekly' | 'monthly';

const manifestOf = (day: number, tier: Tier): ProvenManifest => ({
  ...{ format: 1, version: '0.3.0', id: idOf(day), tier, startedAt: at(day).toISOString() },
  parts: [{ name: 'database/idp', file: 'database-idp-0.sealed', bytes: 7 }],
});

/** Objects of a backup of that day. */
function objects(day: number, tier: Tier, isComplete = true) {
  const folder = backupFolder(manifestOf(day, tier));
  const files = ['database-idp-0.sealed', ...(isComplete ? ['manifest.json'] : [])];
  return files.map((file) => ({ key: `${folder}${file}`, bytes: 7, modifiedAt: at(day) }));
}

const genuine = (day: number, tier: Tier) => {
  const [listed] = listedFolders(objects(day, tier));
  assert.ok(listed !== undefined);
  return genuineBackup(listed, manifestOf(day, tier));
};

const expired = (backups: readonly GenuineBackup[], retention = RETENTION) =>
  expiredPlatformBackups([...backups].sort(newestFirst), retention)
    .map(({ manifest: { id } }) => id)
    .sort();

test('folders are listed with what is in them, complete with their manifest alone, and nothing else is one', () => {
  const strange = ['daily/notes.txt', 'other/x-pbk_1/manifest.json'].map((key) => ({
    key,
    bytes: 1,
    modifiedAt: at(1),
  }));
  const listed = listedFolders([...objects(1, 'weekly'), ...objects(3, 'daily', false), ...strange]);
  assert.deepEqual(
    listed.map(({ id, isComplete, objects: { size } }) => [id, isComplete, size]),
    [
      [idOf(1), true, 2],
      [idOf(3), false, 1],
    ],
  );
  assert.match(listed[1]?.folder ?? '', /^daily\/2026-05-03T02-15-00-000Z-pbk_0+3\/$/);
});

test('a manifest makes a backup of its own folder alone, and tells what that has lost', () => {
  const [listed] = listedFolders(objects(1, 'daily'));
  assert.ok(listed !== undefined);
  assert.deepEqual(genuineBackup(listed, manifestOf(1, 'daily')).lost, []);
  for (const other of [manifestOf(2, 'daily'), manifestOf(1, 'weekly'), { ...manifestOf(1, 'daily'), id: idOf(2) }])
    assert.throws(() => genuineBackup(listed, other), { code: 'NOT_RESTORABLE', message: /is that of (daily|weekly)/ });
  const longer = [{ name: 'database/idp', file: 'database-idp-0.sealed', bytes: 8 }];
  const { lost } = genuineBackup(listed, { ...manifestOf(1, 'daily'), parts: longer });
  assert.deepEqual(lost, ['database/idp: 7 bytes instead of 8 bytes']);
});

test('of each tier so many are kept, all manual ones, and the newest of all; one that lost something counts for nothing', () => {
  const days = [1, 2, 3, 4].map((day) => genuine(day, 'daily'));
  assert.deepEqual(expired(days), [idOf(1), idOf(2)]);
  assert.deepEqual(expired([1, 2, 3].map((day) => genuine(day, 'manual'))), []);
  assert.deepEqual(expired([genuine(1, 'weekly'), genuine(2, 'weekly'), ...days.slice(2)]), [idOf(1)]);
  const none = { daily: 0, weekly: 0, monthly: 0 };
  assert.equal(expired(days, none).includes(idOf(4)), false, 'the newest stays, whatever the settings say');
  const broken = { ...genuine(5, 'daily'), lost: ['database/idp'] };
  assert.deepEqual(expired([...days, broken], none), [idOf(1), idOf(2), idOf(3)], 'the newest that is whole');
});

test('a half-written one goes once nobody can be at work on it', () => {
  const listed = listedFolders([...objects(1, 'daily'), ...objects(4, 'daily', false)]);
  const left = (before: Date) => leftFolders(listed, before).map(({ id }) => id);
  assert.deepEqual(left(at(4)), []);
  assert.deepEqual(left(new Date(at(4).getTime() + DAY_MS)), [idOf(4)]);
});

test('every database of the table of services is a part, and who is referred to is read last', () => {
  const names = platformParts().map(partName);
  for (const { name, database } of SERVICE_ROWS)
    assert.equal(names.includes(`database/${name}`), database !== null, name);
  assert.equal(names[0], 'database/builder');
  assert.deepEqual(names.slice(-3), ['folder/audit-outbox', 'database/idp', 'database/audit-ledger']);
});
