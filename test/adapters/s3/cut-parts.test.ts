import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { createPartMemory, cutParts, MOST_PARTS, partSize } from '../../../adapters/s3/cut-parts.ts';
import { chunks } from '../../ports/archive-store.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

test('parts of a stream are full but for the last, however the stream is cut', async () => {
  for (const [sizes, expected] of [
    [[], [0]],
    [[0, 0], [0]],
    [[3], [3]],
    [[10], [10]],
    [
      [4, 4, 4],
      [10, 2],
    ],
    [
      [1, 0, 9, 1],
      [10, 1],
    ],
    [[35], [10, 10, 10, 5]],
    [[20], [10, 10]],
  ] as const) {
    const content = sizes.map((size) => randomBytes(size));
    const parts: Buffer[] = [];
    for await (const part of cutParts(chunks(...content), 10, createPartMemory())) parts.push(part);
    assert.deepEqual(
      parts.map(({ length }) => length),
      expected,
    );
    assert.deepEqual(Buffer.concat(parts), Buffer.concat(content));
  }
});

test('parts grow, so that an object of 290 GiB fits into the most that S3 takes', () => {
  assert.deepEqual(
    [1, 2_500, 2_501, 5_001, 10_000].map((number) => partSize(number, 8 * MIB) / MIB),
    [8, 8, 16, 32, 64],
  );
  let total = 0;
  for (let number = 1; number <= MOST_PARTS; number += 1) total += partSize(number, 8 * MIB);
  assert.equal(Math.floor(total / GIB), 292);
});

test('the memory of a part that was given back is used for a later one of its size, and for no other', async () => {
  const memory = createPartMemory();
  const content = randomBytes(40);
  const seen: [string, ArrayBufferLike][] = [];
  const held: Buffer[] = [];
  for await (const part of cutParts(chunks(content), 10, memory)) {
    seen.push([part.toString('hex'), part.buffer]);
    // The second one is kept, as while it is sent: nobody may write into it.
    if (seen.length === 2) held.push(part);
    else memory.giveBack(part);
  }
  assert.equal(seen.map(([hex]) => hex).join(''), content.toString('hex'));
  assert.equal(held[0]?.toString('hex'), seen[1]?.[0]);
  assert.equal(new Set(seen.map(([, buffer]) => buffer)).size, 2);
  memory.giveBack(Buffer.from(new ArrayBuffer(10)));
  assert.equal(memory.take(20).length, 20);
});
