import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { FairleadError } from '../../domain/errors.ts';

/** Content codings of RFC 9110 that are read; `deflate` is the zlib format. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/**
 * The decoded body, never more than `most` bytes of it in memory: a small answer that unpacks to a large one is given up
 * at the limit, as a large one is.
 * @throws UNAVAILABLE for more bytes, for a coding that is not read, or for a body that is no such coding
 */
export async function readBody(
  body: Readable,
  { encoding, most, host }: { readonly encoding: string | null; readonly most: number; readonly host: string },
): Promise<Buffer> {
  const decoded = encoding === null ? body : decode(body, encoding.trim().toLowerCase(), host);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded) {
      size += chunk.length;
      if (size > most) throw unreadable(`${host} answered with more than ${most} bytes`);
      chunks.push(Buffer.from(chunk));
    }
  } finally {
    body.on('error', () => undefined).destroy();
  }
  return Buffer.concat(chunks, size);
}

/** So long the end of a body that nobody reads is awaited. */
const DROP_MS = 1_000;

/** Passes a body over. A short one is taken from its connection, which is then used again; any other ends with it. It never fails. */
export async function dropBody(body: Dispatcher.ResponseData['body'], most: number): Promise<void> {
  await body.dump({ limit: most, signal: AbortSignal.timeout(DROP_MS) }).catch(() => undefined);
  body.on('error', () => undefined).destroy();
}

function decode(body: Readable, encoding: string, host: string): Readable {
  if (encoding === '' || encoding === 'identity') return body;
  const decoder = Object.hasOwn(DECODERS, encoding) ? DECODERS[encoding] : undefined;
  if (decoder === undefined) {
    body.on('error', () => undefined).destroy();
    throw unreadable(`${host} answered in an encoding that is not read; those are ${ACCEPTED_ENCODINGS}`);
  }
  // The error of either stream reaches whoever reads.
  return pipeline(body, decoder(), () => undefined);
}

function unreadable(message: string): FairleadError {
  return new FairleadError('UNAVAILABLE', message, { retryable: true });
}
