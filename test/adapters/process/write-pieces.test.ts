import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { it } from 'node:test';
import { createGunzip } from 'node:zlib';
import { writePieces } from '../../../adapters/process/write-pieces.ts';

/** Pieces of which one waits for ever, and what says that they were ended. */
function endless(piece: Buffer) {
  const ended = Promise.withResolvers<void>();
  async function* pieces() {
    try {
      for (;;) yield piece;
    } finally {
      ended.resolve();
    }
  }
  return { pieces: pieces(), ended: ended.promise };
}

it('a piece is asked for once the one before was taken, as its memory may be filled again', async () => {
  const taken: number[] = [];
  const to = new Writable({
    write(chunk: Buffer, _, done) {
      setImmediate(() => {
        taken.push(chunk[0] ?? 0);
        done();
      });
    },
  });
  const memory = Buffer.alloc(1);
  async function* pieces() {
    for (let number = 1; number <= 20; number += 1) yield memory.fill(number);
  }
  await writePieces(pieces(), to);
  assert.deepEqual(
    taken,
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
});

it('pieces end when the stream fails on one, as for bytes that are no gzip', async () => {
  const { pieces, ended } = endless(Buffer.alloc(64 * 1024, 'no gzip'));
  await assert.rejects(writePieces(pieces, createGunzip()), { code: 'Z_DATA_ERROR' });
  await ended;
});

it('pieces end when the stream is destroyed while it has one', async () => {
  const { pieces, ended } = endless(Buffer.alloc(64));
  const begun = Promise.withResolvers<void>();
  const to = new Writable({ write: () => begun.resolve() });
  const writing = writePieces(pieces, to);
  await begun.promise;
  to.destroy();
  await assert.rejects(writing, { code: /ERR_STREAM/ });
  await ended;
});
