import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';

/** The content as gzip. An error of it, and of whoever reads, ends both. */
export function compress(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  return through(body, createGzip({ level: 1 }));
}

export function decompress(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  return through(body, createGunzip());
}

async function* through(body: AsyncIterable<Uint8Array>, transform: Transform): AsyncGenerator<Buffer> {
  const source = Readable.from(body, { objectMode: false });
  const written = pipeline(source, transform);
  // Whoever reads gets the error first, or has no use for it any more.
  written.catch(() => undefined);
  yield* transform;
  await written;
}
