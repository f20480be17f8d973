import { createCipheriv, createDecipheriv } from 'node:crypto';
import { FairleadError } from '../../domain/errors.ts';

/**
 * AES-256-GCM in chunks (STREAM, as of Hoang, Reyhanitabar, Rogaway and Vizár, 2015, and as `age` has it): each chunk is under the number of
 * its place and a mark of the last one, so that a stream that is cut off, reordered or spliced is refused. A key is used for one stream.
 */

const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;

export interface SealOptions {
  /** 32 random bytes, of this stream alone. */
  readonly key: Uint8Array;
  /** What the stream is; opened as another, it is refused. */
  readonly context: string;
}

export async function* sealStream(body: AsyncIterable<Uint8Array>, options: SealOptions): AsyncGenerator<Buffer> {
  let place = 0;
  for await (const { chunk, isLast } of inChunks(body, CHUNK_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', options.key, nonceOf(place, isLast));
    cipher.setAAD(Buffer.from(options.context));
    yield Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()]);
    place += 1;
  }
}

/** Nothing of a chunk is given out before it is known to be genuine. @throws NOT_RESTORABLE for anything but what was sealed */
export async function* openStream(body: AsyncIterable<Uint8Array>, options: SealOptions): AsyncGenerator<Buffer> {
  let place = 0;
  for await (const { chunk, isLast } of inChunks(body, CHUNK_BYTES + TAG_BYTES)) {
    yield openChunk(chunk, nonceOf(place, isLast), options);
    place += 1;
  }
}

function openChunk(chunk: Buffer, nonce: Buffer, { key, context }: SealOptions): Buffer {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context)).setAuthTag(chunk.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(chunk.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    throw new FairleadError('NOT_RESTORABLE', `${context} was changed or cut off`, { cause });
  }
}

/** The place of the chunk, and whether it is the last one. */
function nonceOf(place: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUIntBE(place, NONCE_BYTES - 7, 6);
  nonce.writeUInt8(isLast ? 1 : 0, NONCE_BYTES - 1);
  return nonce;
}

/** Cuts a stream into pieces of one size, of which the last one may be shorter; a stream without a byte is one empty piece. */
async function* inChunks(
  body: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<{ readonly chunk: Buffer; readonly isLast: boolean }> {
  let pieces: Uint8Array[] = [];
  let held = 0;
  for await (const piece of body) {
    pieces.push(Buffer.from(piece));
    held += piece.byteLength;
    if (held <= size) continue;
    const all = Buffer.concat(pieces);
    // What fills a piece to its end may be the last one: it is kept until more comes.
    let begin = 0;
    for (; all.length - begin > size; begin += size) yield { chunk: all.subarray(begin, begin + size), isLast: false };
    pieces = [all.subarray(begin)];
    held = all.length - begin;
  }
  yield { chunk: Buffer.concat(pieces), isLast: true };
}
