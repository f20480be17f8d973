import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { mirrorArchives } from '../../../activities/backups/mirror-archives.ts';
import type { Backup } from '../../../domain/backups/backup.ts';
import { objectStoreUnreachable } from '../../../domain/objects/object-errors.ts';
import { backupRecord } from '../../support/backup-record.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';

const { signal } = new AbortController();
const CONTENT = Buffer.from('an archive');
const STORED = { sizeBytes: CONTENT.length, sha256: createHash('sha256').update(CONTENT).digest('hex') };

async function* stream(content: Buffer): AsyncGenerator<Buffer> {
  yield content;
}

/** Parts whose bucket has so many archives, which are on record. */
async function partsWith(count: number) {
  const { deps } = await createBackupsParts();
  const backups: Backup[] = [];
  for (let day = 1; day <= count; day += 1) {
    const startedAt = new Date(Date.UTC(2026, 4, day, 2));
    const backup = backupRecord({ id: `bak_${day}`, startedAt, ...STORED });
    await deps.archives.put(backup.objectKey ?? '', stream(CONTENT));
    await deps.backups.insert(backup);
    backups.push(backup);
  }
  return { deps, backups, keys: backups.map(({ objectKey }) => objectKey ?? '') };
}

test('what retention deleted, and what a failed backup left, leaves the mirror as well', async () => {
  const { deps, backups, keys } = await partsWith(3);
  const failed = backupRecord({ id: 'bak_failed', startedAt: new Date('2026-05-09T02:00:00Z'), status: 'running' });
  await deps.backups.insert(failed);
  await deps.archives.put(failed.objectKey ?? '', stream(CONTENT));
  await mirrorArchives(deps, signal);
  assert.equal(deps.mirror.keys().length, 4);
  await deps.backups.change('bak_failed', 'running', { status: 'failed', objectKey: null });
  await deps.backups.change(backups[0]?.id ?? '', 'completed', { status: 'pruned', objectKey: null });
  for (const key of [failed.objectKey ?? '', keys[0] ?? '']) await deps.archives.delete(key);
  const run = await mirrorArchives(deps, signal);
  assert.deepEqual(run, { copied: 0, removed: 2, refused: null, failed: [], failures: 0 });
  assert.deepEqual(deps.mirror.keys(), keys.slice(1));
});

test('a new installation on the mirror of one that was lost removes nothing of it', async () => {
  const lost = await partsWith(3);
  const { deps } = await partsWith(0);
  for (const key of [...lost.keys, 'photos/of-somebody-else.jpg']) await deps.mirror.put(key, stream(CONTENT));
  const first = backupRecord({ startedAt: new Date('2026-06-01T02:00:00Z'), ...STORED });
  await deps.archives.put(first.objectKey ?? '', stream(CONTENT));
  await deps.backups.insert(first);
  const run = await mirrorArchives(deps, signal);
  assert.deepEqual(run, { copied: 1, removed: 0, refused: null, failed: [], failures: 0 });
  assert.equal(deps.mirror.keys().length, 5);
});

test('an archive that cannot be read keeps no other from its copy', async () => {
  const { deps, keys } = await partsWith(4);
  const bad = keys[1] ?? '';
  const archives = breaking(deps.archives, (key) => key === bad);
  const run = await mirrorArchives({ ...deps, archives }, signal);
  assert.deepEqual(run, { copied: 3, removed: 0, refused: null, failed: [bad], failures: 1 });
  assert.deepEqual(
    deps.mirror.keys(),
    keys.filter((key) => key !== bad),
  );
});

test('archives that are not what was uploaded any more have no copy, and keep no other from its own', async () => {
  const { deps, keys } = await partsWith(5);
  const bad = keys.slice(0, 4);
  for (const key of bad) deps.archives.damage(key, Buffer.from('an ARCHIVE'));
  for (let again = 0; again < 2; again += 1) {
    await deps.mirror.delete(keys[4] ?? '');
    const run = await mirrorArchives(deps, signal);
    assert.deepEqual(run, { copied: 1, removed: 0, refused: null, failed: bad, failures: 4 });
    assert.deepEqual(deps.mirror.keys(), keys.slice(4));
  }
});

test('archives that could not be copied are counted, and a hundred of them named: more travel through no workflow', async () => {
  const { deps } = await partsWith(250);
  let asked = 0;
  const archives = breaking(deps.archives, () => {
    asked += 1;
    return asked % 2 === 0;
  });
  const { copied, failed, failures } = (await mirrorArchives({ ...deps, archives }, signal)) ?? {};
  assert.deepEqual([copied, failed?.length, failures], [125, 100, 125]);
});

test('a bucket that is away is not asked for each archive', async () => {
  const { deps } = await partsWith(9);
  let asked = 0;
  const archives = breaking(deps.archives, () => {
    asked += 1;
    return true;
  });
  await assert.rejects(mirrorArchives({ ...deps, archives }, signal), { code: 'OBJECT_STORE_UNREACHABLE' });
  assert.equal(asked, 3);
});

type Archives = Awaited<ReturnType<typeof partsWith>>['deps']['archives'];

/** A bucket of which some objects cannot be read. */
function breaking(archives: Archives, breaks: (key: string) => boolean): Archives {
  const get: Archives['get'] = async (key, options) => {
    if (breaks(key)) throw objectStoreUnreachable('cannot serve now (503 SlowDownRead)');
    return archives.get(key, options);
  };
  return { ...archives, get };
}

test('what killed uploads left is removed once no dump can be at it any more, also without an off-site bucket', async () => {
  const { deps, clock } = await createBackupsParts();
  const without = { ...deps, mirror: null };
  const { archives, settings } = deps;
  archives.leaveIncomplete('prod/shop/daily/shop_prod-1.pgdump');
  clock.now = new Date(clock.now.getTime() + settings.dumpTimeoutMs);
  archives.leaveIncomplete('prod/shop/daily/shop_prod-2.pgdump');
  clock.now = new Date(clock.now.getTime() + settings.dumpTimeoutMs + 1);
  assert.equal(await mirrorArchives(without, AbortSignal.timeout(10_000)), null);
  assert.deepEqual(archives.incomplete(), ['prod/shop/daily/shop_prod-2.pgdump']);
});
