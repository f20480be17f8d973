import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { cutParts, MOST_PARTS, partSize } from '../../../adapters/s3/cut-parts.ts';
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
    for await (const part of cutParts(chunks(...content), 10)) parts.push(part);
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
