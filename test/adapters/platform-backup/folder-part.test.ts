import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { readFolder, writeFolder } from '../../../adapters/platform-backup/folder-part.ts';
import { describingFrame, endFrame, FRAMES } from '../../../adapters/platform-backup/frames.ts';
import { chunks, readAll } from '../../ports/archive-store.ts';

describe('a folder of the platform', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'fairlead-folder-'));
  });
  after(() => rm(root, { recursive: true, force: true }));
  const archiveOf = (folder: string) => readAll(readFolder(folder, AbortSignal.timeout(60_000)));

  it('comes back with its files, and without what is half-written', async () => {
    const [from, to] = [join(root, 'from'), join(root, 'to')];
    await mkdir(join(from, 'deep', 'er'), { recursive: true });
    const files = { a: '', 'b.tar.gz': 'x'.repeat(300_000), 'deep/er/c': 'events\n' };
    for (const [name, text] of Object.entries(files)) await writeFile(join(from, name), text);
    await writeFile(join(from, 'd.partial'), 'half');
    await writeFolder(to, chunks(await archiveOf(from)));
    for (const [name, text] of Object.entries(files)) {
      assert.equal(await readFile(join(to, name), 'utf8'), text);
      assert.equal((await stat(join(to, name))).mode & 0o777, 0o600);
    }
    assert.deepEqual((await readdir(to)).sort(), ['a', 'b.tar.gz', 'deep']);
    // Over what a restore that was cut off has left there.
    await writeFile(join(to, 'a.partial'), 'half of it');
    await writeFolder(to, chunks(await archiveOf(from)));
    assert.deepEqual((await readdir(to)).sort(), ['a', 'b.tar.gz', 'deep']);
  });

  it('that is not there is an empty one', async () => {
    await writeFolder(join(root, 'made'), chunks(await archiveOf(join(root, 'none'))));
    assert.deepEqual(await readdir(join(root, 'made')), []);
  });

  it('is written nowhere else, whatever its archive names, nor what is cut off', async () => {
    for (const name of ['../outside', '/outside', 'a/../../outside', 'a//b', '']) {
      const frames = [describingFrame(FRAMES.collection, { name, options: {} }), endFrame([{ name, count: 0 }])];
      await assert.rejects(writeFolder(join(root, 'in'), chunks(...frames.flat())), { code: 'NOT_RESTORABLE' }, name);
    }
    assert.equal((await readdir(root)).includes('outside'), false);
    const whole = await archiveOf(join(root, 'from'));
    await assert.rejects(writeFolder(join(root, 'in'), chunks(whole.subarray(0, 200_000))), { code: 'NOT_RESTORABLE' });
  });
});
