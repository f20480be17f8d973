import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { openStream, sealStream } from '../../../adapters/platform-backup/sealed-stream.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { chunks, readAll } from '../../ports/archive-store.ts';

const key = randomBytes(32);
const context = 'pbk_1/database/idp';
const CHUNK = 64 * 1024;
const SEALED = CHUNK + 16;

const seal = (...pieces: Uint8Array[]) => readAll(sealStream(chunks(...pieces), { key, context }));
const open = (sealed: Uint8Array, options = { key, context }) => readAll(openStream(chunks(sealed), options));
const refused = (reading: Promise<unknown>) =>
  assert.rejects(reading, (error) => error instanceof FairleadError && error.code === 'NOT_RESTORABLE');

describe('a sealed stream', () => {
  for (const size of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 17]) {
    it(`of ${size} bytes opens as it was, however it is cut`, async () => {
      const content = randomBytes(size);
      const cut = [content.subarray(0, size >> 1), Buffer.alloc(0), content.subarray(size >> 1)];
      const sealed = await seal(...cut);
      assert.equal(sealed.length, size + 16 * Math.max(1, Math.ceil(size / CHUNK)));
      assert.deepEqual(await open(sealed), content);
      const pieces = Array.from({ length: Math.ceil(sealed.length / 1_000) }, (_, index) =>
        sealed.subarray(index * 1_000, (index + 1) * 1_000),
      );
      assert.deepEqual(await readAll(openStream(chunks(...pieces), { key, context })), content);
    });
  }

  it('that was cut off at any place is refused, also between two chunks', async () => {
    const sealed = await seal(randomBytes(2 * CHUNK + 5));
    for (const length of [0, 15, 100, SEALED - 1, SEALED, SEALED + 1, 2 * SEALED, sealed.length - 1]) {
      await refused(open(sealed.subarray(0, length)));
    }
  });

  it('with chunks in another order, left out, or twice, is refused', async () => {
    const sealed = await seal(randomBytes(3 * CHUNK));
    const [a, b, c] = [0, 1, 2].map((place) => sealed.subarray(place * SEALED, (place + 1) * SEALED));
    assert.ok(a && b && c);
    for (const order of [[b, a, c], [a, c], [a, a, b, c], [a, b, c, c], [c]]) await refused(open(Buffer.concat(order)));
    assert.equal((await open(Buffer.concat([a, b, c]))).length, 3 * CHUNK);
  });

  it('with a changed bit, of another key, or as another part, is refused', async () => {
    const sealed = await seal(randomBytes(CHUNK + 9));
    for (const place of [0, CHUNK, SEALED, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[place] = (changed[place] ?? 0) ^ 1;
      await refused(open(changed));
    }
    await refused(open(sealed, { key: randomBytes(32), context }));
    await refused(open(sealed, { key, context: 'pbk_1/database/builder' }));
  });

  it('gives out nothing of a chunk that was changed', async () => {
    const sealed = await seal(randomBytes(2 * CHUNK));
    sealed[SEALED + 3] = (sealed[SEALED + 3] ?? 0) ^ 1;
    let given = 0;
    await refused(
      (async () => {
        for await (const piece of openStream(chunks(sealed), { key, context })) given += piece.length;
      })(),
    );
    assert.equal(given, CHUNK, 'the chunk before it, and no byte more');
  });
});
