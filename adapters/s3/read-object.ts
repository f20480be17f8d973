import type { S3 } from '@aws-sdk/client-s3';
import { FairleadError } from '../../domain/errors.ts';
import { objectStoreUnreachable, rangeNotSatisfiable } from '../../domain/objects/object-errors.ts';
import type { ReadOptions } from '../../domain/objects/ports.ts';
import { untilAborted } from '../../domain/objects/until-aborted.ts';
import { readOnThread } from './reading-thread.ts';
import { loadS3 } from './s3-client.ts';
import { asObjectError, failureOf } from './s3-errors.ts';

interface Source {
  readonly s3: S3;
  readonly bucket: string;
  readonly key: string;
  /** See `S3Settings`. */
  readonly idleMs: number;
}

/** Of what is signed for the thread that reads at once. */
const SIGNED_SECONDS = 300;

interface Opened {
  readonly body: AsyncIterable<Uint8Array>;
  readonly bytes: number;
  readonly etag: string | undefined;
}

/** A stream that broke off so often without a further byte is given up. */
const ATTEMPTS = 4;

/**
 * Opens an object. A stream that breaks off, also because its reader paused for longer than the server waits, goes on from
 * the byte where it ended, as long as the object is the same.
 */
export async function readObject(
  source: Source,
  { signal, range, etag, reusesMemory = false }: ReadOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const open = reusesMemory ? openOnThread : openHere;
  const offset = range?.offset ?? 0;
  const last = range?.bytes === undefined ? '' : offset + range.bytes - 1;
  const first = await open(source, range === undefined ? undefined : `bytes=${offset}-${last}`, { signal, etag });
  const end = offset + first.bytes;
  return pieces(first, { offset, end, signal }, (position) =>
    open(source, `bytes=${position}-${end - 1}`, { signal, etag: first.etag }),
  );
}

async function* pieces(
  first: Opened,
  { offset, end, signal }: { offset: number; end: number; signal: AbortSignal | undefined },
  reopen: (position: number) => Promise<Opened>,
): AsyncGenerator<Uint8Array> {
  let position = offset;
  let opened = first;
  for (let attempt = 1; ; attempt += 1) {
    let failure: unknown;
    try {
      for await (const piece of untilAborted(opened.body, signal)) {
        position += piece.byteLength;
        attempt = 1;
        yield piece;
      }
    } catch (error) {
      signal?.throwIfAborted();
      failure = error;
    }
    if (position >= end) return;
    if (attempt >= ATTEMPTS) throw objectStoreUnreachable('broke off while an object was read', failure);
    opened = await reopen(position);
  }
}

interface OpenOptions {
  readonly signal: AbortSignal | undefined;
  /** Of the object as it has to be. */
  readonly etag?: string | undefined;
}

/** Reads on a thread what is there as asked for. Any other answer, and none, the client asks for again: it knows what they mean. */
async function openOnThread(source: Source, range: string | undefined, options: OpenOptions): Promise<Opened> {
  const { signal, etag } = options;
  const headers = { ...(range === undefined ? {} : { range }), ...(etag === undefined ? {} : { 'if-match': etag }) };
  const request = { url: await sign(source), headers, idleMs: source.idleMs };
  const reading = await readOnThread(request, signal).catch(() => null);
  signal?.throwIfAborted();
  if (reading !== null) {
    const { status, bytes, etag, contentRange } = reading.answer;
    const isMeant = status < 300 && isRange(range, contentRange);
    if (isMeant && bytes !== null) return { body: reading.pieces, bytes, etag: etag ?? undefined };
    await reading.end();
  }
  return await openHere(source, range, options);
}

async function sign({ s3, bucket, key }: Source): Promise<string> {
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  const { GetObjectCommand } = await loadS3();
  return await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key: key }), { expiresIn: SIGNED_SECONDS });
}

async function openHere(
  { s3, bucket, key }: Source,
  range: string | undefined,
  { signal, etag }: OpenOptions,
): Promise<Opened> {
  const input = { Bucket: bucket, Key: key, Range: range, IfMatch: etag };
  const options = signal === undefined ? {} : { abortSignal: signal };
  const answer = await s3.getObject(input, options).catch((error: unknown) => {
    signal?.throwIfAborted();
    const { status } = failureOf(error);
    if (status === 416) throw rangeNotSatisfiable(key);
    if (status === 412) throw replaced(key);
    throw asObjectError(error, key);
  });
  const { Body, ContentLength, ContentRange, ETag } = answer;
  if (Body === undefined || ContentLength === undefined) throw objectStoreUnreachable('answered without content');
  if (!isRange(range, ContentRange)) throw objectStoreUnreachable('answered with other bytes than those asked for');
  return { body: Body as unknown as AsyncIterable<Uint8Array>, bytes: ContentLength, etag: ETag };
}

/** Whether an answer begins where it was asked to: a server, or what stands before it, may pass over the range. */
function isRange(range: string | undefined, contentRange: string | null | undefined): boolean {
  if (range === undefined) return true;
  const [, first] = /^bytes=(\d+)-/.exec(range) ?? [];
  return contentRange?.startsWith(`bytes ${first}-`) === true;
}

function replaced(key: string): FairleadError {
  return new FairleadError('CONFLICT', `${key} was replaced while it was read`, { retryable: true });
}
