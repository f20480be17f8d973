import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, it } from 'node:test';
import { underLock } from '../../../cli/login/file-lock.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairlead-lock-'));
  path = join(folder, 'deep', 'x.lock');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('work under one lock never overlaps, and the lock is gone afterwards', async () => {
  let inside = 0;
  let most = 0;
  const work = () =>
    underLock(path, async () => {
      inside += 1;
      most = Math.max(most, inside);
      await new Promise((done) => setTimeout(done, 5));
      inside -= 1;
    });
  await Promise.all(Array.from({ length: 8 }, work));
  assert.deepEqual([most, existsSync(path)], [1, false]);
});

it('a lock is given back when the work fails', async () => {
  await assert.rejects(
    underLock(path, () => Promise.reject(new Error('no luck'))),
    /no luck/,
  );
  assert.equal(await underLock(path, async () => 'done'), 'done');
});

it('a lock whose process is gone is taken over, that of a living one is not', async () => {
  await underLock(path, async () => {});
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  writeFileSync(path, String(child.pid));
  assert.equal(await underLock(path, async () => 'done'), 'done');
  writeFileSync(path, String(process.pid));
  let taken = false;
  const waiting = underLock(path, async () => {
    taken = true;
  });
  await new Promise((done) => setTimeout(done, 200));
  assert.equal(taken, false);
  rmSync(path);
  await waiting;
});
