import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { pruneBackups } from '../../../activities/platform-backup/end-backup.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { writeManifest } from '../../../domain/platform-backup/manifest.ts';
import { chunks } from '../../ports/archive-store.ts';
import { makePlatformBackup } from '../../support/in-memory/make-platform-backup.ts';
import { createPlatformBackupParts, type PlatformBackupParts } from '../../support/in-memory/platform-backup-parts.ts';

const DAY_MS = 86_400_000;
const signal = AbortSignal.timeout(60_000);

describe('retention of backups of the platform', () => {
  let parts: PlatformBackupParts;
  beforeEach(async () => {
    parts = await createPlatformBackupParts();
    Object.assign(parts.deps.settings, { retention: { daily: 2, weekly: 1, monthly: 1 } });
  });

  const at = (day: number) => new Date(Date.UTC(2026, 4, day, 2, 15));
  /** Daily backups of these days of May, made on them. */
  async function made(...days: readonly number[]): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const day of days) {
      parts.clock.now = at(day);
      ids.push(await makePlatformBackup(parts, { startedAt: at(day) }));
    }
    return ids;
  }
  const put = async (key: string, content: Uint8Array | string) =>
    void (await parts.store.put(key, chunks(Buffer.from(content))));
  const keysOf = (text: string) => parts.store.keys().filter((key) => key.includes(text));
  const folderOf = (id: string) => keysOf(`${id}/manifest.json`)[0]?.replace('manifest.json', '') ?? '';
  async function contentOf(key: string): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of await parts.store.get(key)) pieces.push(piece);
    return Buffer.concat(pieces);
  }
  async function copy(from: string, to: string): Promise<void> {
    for (const key of keysOf(from)) await put(key.replace(from, to), await contentOf(key));
  }
  const alarm = () => {
    const { length, [length - 1]: last } = [...parts.alarms.values()];
    return last?.text ?? '';
  };
  const prune = () => pruneBackups(parts.deps, signal);

  it('keeps the newest so many, and raises no alarm', async () => {
    const [first = '', ...others] = await made(1, 2, 3);
    assert.equal(await prune(), 1);
    assert.deepEqual(keysOf(first), []);
    for (const id of others) assert.notEqual(folderOf(id), '', id);
    assert.equal(parts.alarms.size, 0);
  });

  it('deletes no backup for folders that anybody put there, leaves those, and names each in an alarm', async () => {
    const ids = await made(1, 2);
    const [old = '', newest = ''] = ids;
    const elsewhere = `daily/2099-01-01T02-15-00-000Z-${newId('platformBackup')}/`;
    const fakes = Array.from(
      { length: 4 },
      (_, day) => `daily/2099-02-0${day + 1}T02-15-00-000Z-${newId('platformBackup')}/`,
    );
    for (const fake of fakes) await put(`${fake}manifest.json`, '{}');
    await copy(folderOf(old), elsewhere);
    const deep = `daily/2099-03-01T02-15-00-000Z-${newId('platformBackup')}/`;
    await put(
      `${deep}manifest.json`,
      `{"mac":"${'0'.repeat(64)}","deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    );
    const before = parts.store.keys();
    assert.equal(await prune(), 0);
    assert.deepEqual(parts.store.keys(), before);
    for (const fake of [...fakes, elsewhere, deep]) assert.ok(alarm().includes(fake), fake);
    for (const id of ids) assert.equal(alarm().includes(`${folderOf(id)}: `), false);
    assert.match(alarm(), new RegExp(`Its manifest is that of daily/2026-05-01T02-15-00-000Z-${old}`));
    assert.equal(parts.deps.audit.told().filter(({ eventType }) => eventType === 'platform.backup_alarm').length, 1);
    await prune();
    assert.equal(parts.alarms.size, 1, 'once a night');
    const [third = ''] = await made(3);
    assert.equal(await prune(), 1, 'retention goes on beside them');
    assert.deepEqual([folderOf(old), folderOf(newest) === '', folderOf(third) === ''], ['', false, false]);
  });

  it('counts one of a newer version or format, and none whose manifest was changed', async () => {
    const [changed = '', kept = ''] = await made(1, 2);
    const key = `${folderOf(changed)}manifest.json`;
    await put(key, (await contentOf(key)).toString().replace('"version": "0.3.0"', '"version": "0.1.0"'));
    const manifestKey = parts.deps.recovery?.manifestKey ?? Buffer.alloc(0);
    const newer = { format: 2, version: '9.0.0', tier: 'daily', completedAt: null, unknown: [1] };
    for (const day of [3, 4]) {
      const content = { ...newer, id: newId('platformBackup'), startedAt: at(day).toISOString(), parts: [] };
      const folder = `daily/${content.startedAt.replaceAll(/[:.]/g, '-')}-${content.id}/`;
      await put(`${folder}manifest.json`, writeManifest(content as never, manifestKey));
    }
    assert.equal(await prune(), 1);
    assert.deepEqual(keysOf(kept), []);
    assert.notEqual(folderOf(changed), '');
    assert.match(alarm(), new RegExp(`${changed}/: Its manifest was changed`));
  });

  it('tells of a backup that lost a file or a part of one, which counts for nothing and stays', async () => {
    const [whole = '', cut = '', missing = ''] = await made(1, 2, 3);
    const [first = ''] = keysOf(`${cut}/database-idp`);
    await put(first, 'short');
    await parts.store.delete(keysOf(`${missing}/folder-archives`)[0] ?? '');
    assert.equal(await prune(), 0);
    for (const id of [whole, cut, missing]) assert.notEqual(folderOf(id), '', id);
    assert.match(alarm(), new RegExp(`${cut}/ has lost database/idp: 5 bytes instead of \\d+ bytes`));
    assert.match(alarm(), new RegExp(`${missing}/ has lost folder/archives: no file instead of \\d+ bytes`));
  });

  it('deletes what has no manifest once nobody can be at work on it', async () => {
    await made(1);
    const left = `daily/2026-05-01T03-15-00-000Z-${newId('platformBackup')}/`;
    await put(`${left}database-idp-0.sealed`, 'x');
    assert.equal(await prune(), 0);
    parts.clock.now = new Date(at(1).getTime() + DAY_MS);
    assert.equal(await prune(), 1);
    assert.deepEqual(keysOf(left), []);
    assert.equal(parts.alarms.size, 0);
  });
});
