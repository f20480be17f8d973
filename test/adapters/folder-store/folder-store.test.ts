import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createFolderStore } from '../../../adapters/folder-store/folder-store.ts';
import type { BackupPlace } from '../../../domain/platform-backup/ports.ts';
import { chunks, readAll } from '../../ports/archive-store.ts';

/** The user that containers of no user run as. */
const NOBODY = 65_534;

describe('a folder in the place of a bucket', () => {
  let folder: string;
  let store: BackupPlace;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-store-'));
    store = createFolderStore(folder);
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const keys = async (prefix = '') => {
    const found: string[] = [];
    for await (const { key } of store.list(prefix)) found.push(key);
    return found;
  };

  it('keeps what it was given, and says what that is', async () => {
    const content = randomBytes(100_000);
    const stored = await store.put('daily/a/b.sealed', chunks(content.subarray(0, 7), content.subarray(7)));
    assert.deepEqual([stored.bytes, stored.sha256], [100_000, createHash('sha256').update(content).digest('hex')]);
    const found = await store.head('daily/a/b.sealed');
    assert.deepEqual([found?.bytes, found?.etag], [100_000, stored.etag]);
    assert.deepEqual(await readAll(await store.get('daily/a/b.sealed')), content);
    assert.equal(await store.head('daily/a'), null);
    assert.equal(await store.head('daily/a/b.sealed/c'), null);
    await assert.rejects(store.get('daily/none'), { code: 'OBJECT_NOT_FOUND' });
  });

  it('keeps what was there where the new content breaks off, and nothing half-written', async () => {
    await store.put('kept', chunks(Buffer.from('before')));
    const broken = new Error('the database went away');
    async function* breaking(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw broken;
    }
    await assert.rejects(store.put('kept', breaking()), (error) => error === broken);
    const stop = new AbortController();
    const aborted = store.put('kept', chunks(Buffer.from('x')), {
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    await assert.rejects(aborted, { name: 'AbortError' });
    assert.equal((await readAll(await store.get('kept'))).toString(), 'before');
    assert.deepEqual(
      (await readdir(folder)).filter((name) => name.includes('partial')),
      [],
    );
  });

  it('lists by prefix in the order of keys, without what a killed process left, which goes with time', async () => {
    for (const key of ['manual/b/2', 'manual/b/1', 'manual/a']) await store.put(key, chunks(Buffer.from(key)));
    await mkdir(join(folder, 'manual', 'c'));
    const left = join(folder, 'manual', 'c', 'x.0011223344ff.partial');
    await writeFile(left, 'half');
    assert.deepEqual(await keys('manual/'), ['manual/a', 'manual/b/1', 'manual/b/2']);
    assert.deepEqual(await keys('manual/b'), ['manual/b/1', 'manual/b/2']);
    assert.equal(await store.abortIncomplete('', new Date(Date.now() - 60_000)), 0);
    await utimes(left, new Date(0), new Date(0));
    assert.equal(await store.abortIncomplete('', new Date(Date.now() - 60_000)), 1);
    await store.delete('manual/b/1');
    await store.delete('manual/b/2');
    await store.delete('manual/b/2');
    assert.deepEqual((await readdir(join(folder, 'manual'))).sort(), ['a']);
  });

  it('may be the root of a disk, whose lost+found nobody but root reads', async () => {
    const disk = await mkdtemp(join(tmpdir(), 'fairlead-disk-'));
    const isRoot = process.getuid?.() === 0;
    await mkdir(join(disk, 'lost+found'), { mode: isRoot ? 0o700 : 0 });
    await mkdir(join(disk, 'photos'));
    await writeFile(join(disk, 'photos', 'x.partial'), 'of somebody else');
    if (isRoot) await chown(disk, NOBODY, NOBODY);
    try {
      if (isRoot) process.seteuid?.(NOBODY);
      const place = createFolderStore(`${disk}/`);
      await place.put('daily/a/b.sealed', chunks(Buffer.from('x')));
      const listed = async (prefix: string): Promise<readonly string[]> => {
        const keys: string[] = [];
        for await (const { key } of place.list(prefix)) keys.push(key);
        return keys;
      };
      assert.deepEqual([await listed(''), await listed('daily/a/')], [['daily/a/b.sealed'], ['daily/a/b.sealed']]);
      assert.equal(await place.abortIncomplete('', new Date(Date.now() + 60_000)), 0);
      await chmod(join(disk, 'daily'), 0o500);
      const refused = { code: 'OBJECT_STORE_REFUSED', message: /daily.* may not be used \(EACCES\): give the user/ };
      await assert.rejects(place.put('daily/c/d', chunks(Buffer.from('x'))), refused);
      await chmod(join(disk, 'daily'), 0o700);
      await place.delete('daily/a/b.sealed');
      assert.deepEqual((await readdir(disk)).sort(), ['lost+found', 'photos']);
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(join(disk, 'lost+found'), 0o700);
      await rm(disk, { recursive: true, force: true });
    }
  });

  it('is never made: a folder that is not there is a disk that is not mounted', async () => {
    const unmounted = createFolderStore(join(folder, 'none'));
    await assert.rejects(unmounted.ensureBucket(), { code: 'OBJECT_STORE_UNREACHABLE', message: /mount its disk/ });
    await assert.rejects(unmounted.put('a', chunks(Buffer.from('x'))), { code: 'OBJECT_STORE_UNREACHABLE' });
    await assert.rejects(unmounted.list('')[Symbol.asyncIterator]().next(), { code: 'OBJECT_STORE_UNREACHABLE' });
    assert.equal((await readdir(folder)).includes('none'), false);
  });

  it('takes no key that leads out of it', async () => {
    for (const key of ['../x', 'a/../../x', '/x', '']) {
      await assert.rejects(
        async () => await store.put(key, chunks(Buffer.from('x'))),
        { code: 'VALIDATION_FAILED' },
        key,
      );
    }
  });
});
