import { createHash } from 'node:crypto';
import type { CompletedPart, S3 } from '@aws-sdk/client-s3';
import { FairleadError } from '../../domain/errors.ts';
import { objectDamaged } from '../../domain/objects/object-errors.ts';
import type { UploadedObject, UploadOptions } from '../../domain/objects/ports.ts';
import { untilAborted } from '../../domain/objects/until-aborted.ts';
import { createPartMemory, cutParts, MOST_PARTS, type PartMemory } from './cut-parts.ts';
import { asObjectError, failureOf } from './s3-errors.ts';

export interface UploadTarget {
  readonly s3: S3;
  readonly bucket: string;
  readonly key: string;
  /** Size of the first parts. */
  readonly partBytes: number;
}

/** What the store has to say of an object that it took whole. */
interface Committed {
  readonly etag: string | undefined;
  /** In base64: the SHA-256 of the content, or that of the checksums of its parts with their number behind it. */
  readonly checksum: string;
}

/** What is uploaded to: the client is opened when the first part has been read. */
export interface UploadPlace extends Omit<UploadTarget, 's3'> {
  readonly open: () => Promise<S3>;
}

interface MultipartUpload {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string | undefined;
}

/** So many parts of the first size are sent at the same time. */
const PARTS_IN_FLIGHT = 4;
const CLEAN_UP_MS = 10_000;

/**
 * Uploads a stream, which it ends whatever happens: in one call where it is shorter than a part, else in parts. The store checks each part by its SHA-256,
 * and is then asked for the whole.
 */
export async function upload(
  { open, ...place }: UploadPlace,
  body: AsyncIterable<Uint8Array>,
  options: UploadOptions,
): Promise<UploadedObject> {
  const { signal } = options;
  const whole = createHash('sha256');
  const memory = createPartMemory();
  let bytes = 0;
  let bodyError: unknown;
  // Ends the reading of the body, too, when a part cannot be sent.
  const ends = new AbortController();
  const stop = () => ends.abort(signal?.reason);
  if (signal?.aborted) stop();
  signal?.addEventListener('abort', stop);
  async function* read() {
    try {
      for await (const part of cutParts(untilAborted(body, ends.signal), place.partBytes, memory)) {
        whole.update(part);
        bytes += part.length;
        yield part;
      }
    } catch (error) {
      if (!ends.signal.aborted) bodyError = error;
      throw error;
    }
  }
  const parts = read();
  try {
    const first = await parts.next();
    const target = { ...place, s3: await open() };
    const committed = await send({ ...target, ...options, ends, memory }, first.value ?? Buffer.alloc(0), parts);
    const etag = await compare(target, { ...committed, bytes }, signal);
    return { bytes, sha256: whole.digest('hex'), etag };
  } catch (error) {
    signal?.throwIfAborted();
    throw bodyError === undefined ? asObjectError(error, place.key) : bodyError;
  } finally {
    signal?.removeEventListener('abort', stop);
    void parts.return();
  }
}

interface Sending extends UploadTarget, UploadOptions {
  readonly ends: AbortController;
  readonly memory: PartMemory;
}

async function send(sending: Sending, first: Buffer, rest: AsyncIterable<Buffer>): Promise<Committed> {
  if (first.length < sending.partBytes) return sendWhole(sending, first);
  const all = async function* () {
    yield first;
    yield* rest;
  };
  return sendInParts(sending, all());
}

async function sendWhole({ s3, bucket, key, contentType, onProgress, ends }: Sending, content: Buffer) {
  const checksum = sha256(content);
  const input = { Bucket: bucket, Key: key, Body: content, ContentType: contentType, ChecksumSHA256: checksum };
  const { ETag } = await s3.putObject(input, { abortSignal: ends.signal });
  onProgress?.(content.length);
  return { etag: ETag, checksum };
}

async function sendInParts(sending: Sending, parts: AsyncIterable<Buffer>): Promise<Committed> {
  const { s3, bucket, key, contentType, ends } = sending;
  const object = { Bucket: bucket, Key: key };
  const options = { abortSignal: ends.signal };
  const begun = await s3.createMultipartUpload(
    { ...object, ContentType: contentType, ChecksumAlgorithm: 'SHA256' },
    options,
  );
  const upload = { ...object, UploadId: begun.UploadId };
  try {
    const sent = await sendParts(sending, upload, parts);
    const checksum = checksumOf(sent);
    const complete = s3.completeMultipartUpload({ ...upload, MultipartUpload: { Parts: sent } }, options);
    const etag = await complete
      .then(({ ETag }) => ETag)
      .catch(async (error: unknown) => {
        // The answer may have been lost: then the upload is not known any more, and the object is there.
        const kept = await keptObject(sending, options).catch(() => null);
        if (kept?.ChecksumSHA256 !== checksum) throw error;
        return kept.ETag;
      });
    return { etag, checksum };
  } catch (error) {
    // What cannot be removed now, `abortIncomplete` removes later.
    await abortUpload(s3, upload).catch(() => undefined);
    throw error;
  }
}

/**
 * Removes an upload with all its parts. A part that the store was still taking when its connection ended may be kept after
 * the upload was aborted, so that it is aborted until the store doesn't know it (AWS, AbortMultipartUpload).
 */
async function abortUpload(s3: S3, upload: MultipartUpload): Promise<void> {
  const options = { abortSignal: AbortSignal.timeout(CLEAN_UP_MS) };
  const unlessUnknown = (error: unknown) => {
    if (failureOf(error).status !== 404) throw error;
    return null;
  };
  do await s3.abortMultipartUpload(upload, options).catch(unlessUnknown);
  while ((await s3.listParts({ ...upload, MaxParts: 1 }, options).catch(unlessUnknown)) !== null);
}

async function sendParts(
  { s3, partBytes, onProgress, ends, memory }: Sending,
  upload: MultipartUpload,
  parts: AsyncIterable<Buffer>,
): Promise<CompletedPart[]> {
  const sent: CompletedPart[] = [];
  const inFlight = new Set<Promise<void>>();
  let accepted = 0;
  let waiting = 0;
  const sendPart = async (number: number, part: Buffer): Promise<void> => {
    const named = { PartNumber: number, ChecksumSHA256: sha256(part) };
    const { ETag } = await s3.uploadPart({ ...upload, ...named, Body: part }, { abortSignal: ends.signal });
    sent[number - 1] = { ...named, ETag };
    // Only now: until the store has it, it may be sent once more.
    memory.giveBack(part);
    accepted += part.length;
    onProgress?.(accepted);
  };
  try {
    let number = 0;
    for await (const part of parts) {
      number += 1;
      if (number > MOST_PARTS) throw tooLarge(upload.Key);
      while (inFlight.size > 0 && waiting + part.length > PARTS_IN_FLIGHT * partBytes) await Promise.race(inFlight);
      waiting += part.length;
      const sending = sendPart(number, part).catch((error: unknown) => ends.abort(error));
      inFlight.add(sending);
      sending.finally(() => {
        waiting -= part.length;
        inFlight.delete(sending);
      });
    }
  } finally {
    await Promise.all(inFlight);
  }
  ends.signal.throwIfAborted();
  return sent;
}

/**
 * Compares what the store keeps with what was sent.
 * @returns the etag
 * @throws OBJECT_DAMAGED when they differ. The object is removed, unless it is the one of another upload
 */
async function compare(
  target: UploadTarget,
  sent: Committed & { readonly bytes: number },
  signal: AbortSignal | undefined,
): Promise<string> {
  const { s3, bucket, key } = target;
  const kept = await keptObject(target, signal === undefined ? {} : { abortSignal: signal });
  if (kept === null) throw objectDamaged(key, 'it is missing');
  const differences = [
    kept.ContentLength === sent.bytes ? [] : `it has ${kept.ContentLength} bytes, not ${sent.bytes}`,
    // Some servers keep no checksum of the whole.
    (kept.ChecksumSHA256 ?? sent.checksum) === sent.checksum ? [] : 'its checksum is another',
    kept.ETag !== undefined && kept.ETag === sent.etag ? [] : 'its etag is another',
  ].flat();
  if (kept.ETag !== undefined && differences.length === 0) return kept.ETag;
  const isOurs = kept.ETag === sent.etag || kept.ChecksumSHA256 === sent.checksum;
  if (isOurs) await s3.deleteObject({ Bucket: bucket, Key: key }, { abortSignal: AbortSignal.timeout(CLEAN_UP_MS) });
  throw objectDamaged(key, differences.join(', '));
}

async function keptObject({ s3, bucket, key }: UploadTarget, options: { readonly abortSignal?: AbortSignal }) {
  const input = { Bucket: bucket, Key: key, ChecksumMode: 'ENABLED' } as const;
  return s3.headObject(input, options).catch((error: unknown) => {
    if (failureOf(error).status === 404) return null;
    throw error;
  });
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('base64');

/** How S3 writes the checksum of an object that came in parts. */
function checksumOf(parts: readonly CompletedPart[]): string {
  const checksums = parts.map(({ ChecksumSHA256 = '' }) => Buffer.from(ChecksumSHA256, 'base64'));
  return `${sha256(Buffer.concat(checksums))}-${parts.length}`;
}

function tooLarge(key: string): FairleadError {
  return new FairleadError(
    'PAYLOAD_TOO_LARGE',
    `${key} has more than ${MOST_PARTS} parts, the most of an object store`,
  );
}
