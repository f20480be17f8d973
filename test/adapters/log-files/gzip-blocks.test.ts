import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { compressFile, openCompressed } from '../../../adapters/log-files/gzip-blocks.ts';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-gzip-'));
});
after(() => rm(folder, { recursive: true, force: true }));

async function compressed(name: string, text: Buffer): Promise<string> {
  await writeFile(join(folder, name), text);
  const path = join(folder, `${name}.gz`);
  await compressFile(join(folder, name), path);
  return path;
}

async function read(path: string, from: number, length: number): Promise<Buffer | null> {
  await using handle = await open(path, 'r');
  return (await (await openCompressed(handle))?.read(from, length)) ?? null;
}

/** Lines of 1.5 MB with a piece in the middle that cannot be compressed. */
const TEXT = Buffer.concat([
  Buffer.from(Array.from({ length: 10_000 }, (_, line) => `line ${line} of a log\n`).join('')),
  randomBytes(600_000),
  Buffer.from('the end of a line that is long \n'.repeat(20_000)),
]);

describe('compressed log files', () => {
  it('are what gunzip takes, and can be read from anywhere', async () => {
    const path = await compressed('text', TEXT);
    assert.deepEqual(execFileSync('gzip', ['-dc', path], { maxBuffer: 10_000_000 }), TEXT);
    await using handle = await open(path, 'r');
    const opened = await openCompressed(handle);
    assert.equal(opened?.bytes, TEXT.length);
    const edge = 256 * 1024;
    for (const [from, length] of [
      [0, 10],
      [edge - 3, 6],
      [edge, edge],
      [edge - 1, 2 * edge + 2],
      [TEXT.length - 5, 100],
      [TEXT.length, 5],
      [0, TEXT.length + 1],
    ] as const) {
      assert.deepEqual(await opened?.read(from, length), TEXT.subarray(from, from + length), `${length} from ${from}`);
    }
  });

  it('of nothing are empty, and readable for their owner alone', async () => {
    const path = await compressed('nothing', Buffer.alloc(0));
    assert.deepEqual(await read(path, 0, 10), Buffer.alloc(0));
    assert.equal(execFileSync('gzip', ['-dc', path]).length, 0);
  });

  it('that somebody else wrote, or that are cut, are none of ours', async () => {
    const whole = await readFile(await compressed('cut', TEXT));
    const path = join(folder, 'other.gz');
    const others = [gzipSync(TEXT), Buffer.alloc(0), Buffer.from('text'), randomBytes(5_000)];
    for (const bytes of [...others, whole.subarray(0, -1), whole.subarray(1), whole.subarray(0, 100)]) {
      await writeFile(path, bytes);
      assert.equal(await read(path, 0, 10), null, `${bytes.length} bytes`);
    }
  });

  it('with a damaged block lose what is in it: it reads as empty lines, and places behind it stay', async () => {
    const path = await compressed('damaged', TEXT);
    await using handle = await open(path, 'r+');
    await handle.write(Buffer.alloc(50, 7), 0, 50, 200);
    const text = await read(path, 0, TEXT.length);
    const edge = 256 * 1024;
    assert.deepEqual(text?.subarray(0, edge), Buffer.alloc(edge, '\n'));
    assert.deepEqual(text?.subarray(edge), TEXT.subarray(edge));
  });
});
