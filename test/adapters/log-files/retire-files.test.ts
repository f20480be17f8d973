import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { compressFile } from '../../../adapters/log-files/gzip-blocks.ts';
import type { LogFolder } from '../../../adapters/log-files/log-folder.ts';
import { retireFiles } from '../../../adapters/log-files/retire-files.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { waitUntil } from '../../support/wait-until.ts';

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'fairlead-retire-'));
});
after(() => rm(root, { recursive: true, force: true }));

const ROTATION = { fileBytes: 1_000, retain: 3, quotaBytes: 1_000_000 };

/** A log of so many files, the last of which is written. */
async function logOf(files: number, text = (number: number) => Buffer.from(`file ${number}\n`)): Promise<LogFolder> {
  const path = await mkdtemp(join(root, 'log-'));
  for (let number = 1; number <= files; number += 1) await writeFile(join(path, `${number}.log`), text(number));
  return { path, extension: 'log' };
}

const namesOf = async ({ path }: LogFolder) => (await readdir(path)).sort();

describe('rotated files', () => {
  it('are compressed, and only the newest are kept; the one that is written stays as it is', async () => {
    const folder = await logOf(6);
    const bytes = await retireFiles(folder, ROTATION);
    const names = await namesOf(folder);
    assert.deepEqual(names, ['3.log.gz', '4.log.gz', '5.log.gz', '6.log']);
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder.path, name))).size));
    assert.equal(
      bytes,
      sizes.reduce((sum, size) => sum + size, 0),
    );
    assert.equal(gunzipSync(await readFile(join(folder.path, '4.log.gz'))).toString(), 'file 4\n');
    const before = await stat(join(folder.path, '4.log.gz'));
    await retireFiles(folder, ROTATION);
    assert.equal((await stat(join(folder.path, '4.log.gz'))).mtimeMs, before.mtimeMs, 'nothing is done twice');
  });

  it('are whole whenever their writer was killed, at each step of compressing one', async () => {
    const steps: readonly ((folder: LogFolder) => Promise<void>)[] = [
      // A beginning of the compressed file.
      ({ path }) => writeFile(join(path, '1.log.gz.partial'), 'abc'),
      // All of it, without its name.
      ({ path }) => compressFile(join(path, '1.log'), join(path, '1.log.gz.partial')),
      // With its name, and the plain one still there.
      ({ path }) => compressFile(join(path, '1.log'), join(path, '1.log.gz')),
      async ({ path }) => {
        await compressFile(join(path, '1.log'), join(path, '1.log.gz'));
        await copyFile(join(path, '1.log.gz'), join(path, '1.log.gz.partial'));
        await rm(join(path, '1.log'));
      },
    ];
    for (const [step, leave] of steps.entries()) {
      const folder = await logOf(2);
      await leave(folder);
      await retireFiles(folder, ROTATION);
      assert.deepEqual(await namesOf(folder), ['1.log.gz', '2.log'], `step ${step}`);
      assert.equal(gunzipSync(await readFile(join(folder.path, '1.log.gz'))).toString(), 'file 1\n', `step ${step}`);
    }
  });

  it('a writer that was paused in the middle of compressing takes nothing from the next one', async () => {
    const folder = await logOf(2);
    const plain = await readFile(join(folder.path, '1.log'));
    let isPaused = false;
    let begin = 0;
    const goOn = Promise.withResolvers<void>();
    // Asked at the beginning, and then before the compressed file gets its name.
    const paused = retireFiles(folder, ROTATION, async () => {
      begin += 1;
      if (begin < 2) return;
      isPaused = true;
      await goOn.promise;
      throw new FairleadError('CONFLICT', 'taken over');
    });
    await waitUntil('the old one is paused', () => isPaused);
    const [attempt = ''] = (await namesOf(folder)).filter((name) => name.endsWith('.partial'));
    assert.notEqual(attempt, '1.log.gz.partial', 'a name of its own');
    // What the next one has of its own attempt when it is killed.
    const name = '1.log.gz.00000000-0000-4000-8000-000000000000.partial';
    await writeFile(join(folder.path, name), 'abc');
    goOn.resolve();
    await assert.rejects(paused, { code: 'CONFLICT' });
    assert.deepEqual(await namesOf(folder), ['1.log', name, '2.log']);
    assert.deepEqual(await readFile(join(folder.path, '1.log')), plain);
    await retireFiles(folder, ROTATION);
    assert.deepEqual(await namesOf(folder), ['1.log.gz', '2.log']);
  });

  it('a writer that is refused removes no plain file, and none for the quota', async () => {
    for (const refusedAt of [1, 2, 3, 4]) {
      const folder = await logOf(3, () => randomBytes(10_000));
      let asked = 0;
      const requireWriter = async () => {
        asked += 1;
        if (asked >= refusedAt) throw new FairleadError('CONFLICT', 'taken over');
      };
      await assert.rejects(retireFiles(folder, { ...ROTATION, quotaBytes: 1 }, requireWriter), { code: 'CONFLICT' });
      const names = await namesOf(folder);
      assert.equal(names.includes('1.log'), refusedAt < 4, `${refusedAt}: ${names}`);
      assert.equal(names.includes('1.log.gz'), refusedAt > 2, `${refusedAt}: ${names}`);
      assert.ok(names.includes('2.log'));
    }
  });

  it('beyond the quota go, the oldest first, and never the one that is written', async () => {
    const folder = await logOf(4, () => randomBytes(10_000));
    const bytes = await retireFiles(folder, { ...ROTATION, quotaBytes: 25_000 });
    assert.deepEqual(await namesOf(folder), ['3.log.gz', '4.log']);
    assert.ok(bytes <= 25_000);
    await retireFiles(folder, { ...ROTATION, quotaBytes: 10 });
    assert.deepEqual(await namesOf(folder), ['4.log']);
  });

  it('what is none of the log stays: other names, folders, and beginnings of them', async () => {
    const folder = await logOf(1);
    for (const name of ['notes.txt', '1.jsonl.partial', 'x.log.gz.partial']) {
      await writeFile(join(folder.path, name), 'x');
    }
    await retireFiles(folder, ROTATION);
    assert.deepEqual(await namesOf(folder), ['1.jsonl.partial', '1.log', 'notes.txt', 'x.log.gz.partial']);
    assert.equal(await retireFiles({ ...folder, path: join(root, 'none') }, ROTATION), 0);
  });
});
