import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createDiskFullCheck } from '../../../adapters/docker/disk-full.ts';

const PROGRAM_SAYS = '#7 1.204 cp: write error: No space left on device';
const LOW = 1_000;
const PLENTY = 50 * 1024 ** 3;

describe('a full disk of the engine', () => {
  it('is told by the words of the builder, whatever is free by then', async () => {
    const check = createDiskFullCheck(async () => PLENTY);
    const words = ['failed to copy files: write /var/lib/docker/overlay2/x: no space left on device', ''];
    assert.equal(await check.isFull(words), true);
  });

  it('is not told by a program that says so while the disk has space', async () => {
    const check = createDiskFullCheck(async () => PLENTY);
    check.take(PROGRAM_SAYS);
    assert.equal(await check.isFull([]), false);
  });

  it('is told by a program that says so in the moment in which the disk is low, although there is space again later', async () => {
    const free = [LOW, PLENTY];
    const check = createDiskFullCheck(async () => free.shift() ?? PLENTY);
    check.take(PROGRAM_SAYS);
    assert.equal(await check.isFull([]), true);
  });

  it('is not told by a low disk alone, and asks for it once however often a program says so', async () => {
    let asked = 0;
    const check = createDiskFullCheck(async () => {
      asked += 1;
      return LOW;
    });
    check.take('#7 1.204 npm error code 1');
    assert.equal(await check.isFull([]), false);
    for (let line = 0; line < 10_000; line += 1) check.take(PROGRAM_SAYS);
    assert.ok(asked >= 1 && asked < 100, `${asked}`);
  });

  it('is not told where the engine cannot be asked', async () => {
    const check = createDiskFullCheck(() => Promise.reject(new Error('gone')));
    check.take(PROGRAM_SAYS);
    assert.equal(await check.isFull([]), false);
  });
});
