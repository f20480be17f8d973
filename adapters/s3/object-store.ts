import type { _Object, S3 } from '@aws-sdk/client-s3';
import { objectStoreUnreachable } from '../../domain/objects/object-errors.ts';
import { checkObjectKey } from '../../domain/objects/object-key.ts';
import type { DownloadLink, ListOptions, ObjectStore, StoredObject } from '../../domain/objects/ports.ts';
import { abortUploads } from './incomplete-uploads.ts';
import { readObject } from './read-object.ts';
import { IDLE_MS, loadS3, openS3, type S3Settings } from './s3-client.ts';
import { asObjectError, failureOf } from './s3-errors.ts';
import { upload } from './upload.ts';

export interface S3Options extends S3Settings {
  /** Awaited before each call: the embedded object store starts on first need. */
  readonly whenNeeded?: () => Promise<void>;
  /** Size of the first parts of an upload, 5 MiB at least; 8 MiB when it is left out. */
  readonly partBytes?: number;
  /** Of a listing; 1,000 when it is left out, which is the most that S3 gives. */
  readonly pageSize?: number;
}

const PART_BYTES = 8 * 1024 ** 2;
const PAGE_SIZE = 1_000;

/** A bucket of an object store that speaks S3. Nothing is loaded or connected before the first call. */
export function createS3ObjectStore(options: S3Options): ObjectStore {
  const { bucket, whenNeeded, partBytes = PART_BYTES, pageSize = PAGE_SIZE, idleMs = IDLE_MS } = options;
  let opened: Promise<S3> | null = null;

  async function client(): Promise<S3> {
    await whenNeeded?.();
    opened ??= openS3(options);
    return opened;
  }

  /** One call, whose errors are those of the domain. @param about a key, a prefix or the bucket */
  async function call<T>(about: string, signal: AbortSignal | undefined, work: (s3: S3) => Promise<T>): Promise<T> {
    signal?.throwIfAborted();
    try {
      return await work(await client());
    } catch (error) {
      signal?.throwIfAborted();
      throw asObjectError(error, about);
    }
  }

  /** A call about one object. */
  const callOn: typeof call = (key, signal, work) => call(checkObjectKey(key), signal, work);

  return {
    async put(key, body, given = {}) {
      checkObjectKey(key);
      return upload({ open: client, bucket, key, partBytes }, body, given);
    },
    head: async (key, { signal } = {}) =>
      callOn(key, signal, async (s3) => {
        const found = await s3.headObject({ Bucket: bucket, Key: key }, abortedBy(signal)).catch(nullWhenAbsent);
        if (found === null) return null;
        const { ContentLength, ETag, LastModified } = found;
        return stored({ Key: key, Size: ContentLength, ETag, LastModified });
      }),
    get: async (key, given = {}) => callOn(key, given.signal, (s3) => readObject({ s3, bucket, key, idleMs }, given)),
    async *list(prefix, { signal, after }: ListOptions = {}) {
      for (let last = after; ; ) {
        const input = { Bucket: bucket, Prefix: prefix, MaxKeys: pageSize, StartAfter: last };
        const page = await call(prefix, signal, (s3) => s3.listObjectsV2(input, abortedBy(signal)));
        const objects = (page.Contents ?? []).map(stored);
        for (const object of objects) {
          signal?.throwIfAborted();
          yield object;
        }
        if (page.IsTruncated !== true) return;
        last = objects.at(-1)?.key;
        if (last === undefined) throw objectStoreUnreachable('answered with an empty page of a longer list');
      }
    },
    delete: async (key, { signal } = {}) =>
      callOn(key, signal, async (s3) => void (await s3.deleteObject({ Bucket: bucket, Key: key }, abortedBy(signal)))),
    downloadUrl: async (key, link) => callOn(key, undefined, () => sign(options, key, link)),
    abortIncomplete: async (prefix, startedBefore, { signal } = {}) =>
      call(prefix, signal, (s3) => abortUploads({ s3, bucket, prefix }, startedBefore, signal)),
    ensureBucket: async () => call(bucket, undefined, (s3) => ensureBucket(s3, bucket)),
  };
}

const abortedBy = (signal: AbortSignal | undefined) => (signal === undefined ? {} : { abortSignal: signal });

function nullWhenAbsent(error: unknown): null {
  // A missing bucket has another code, except in answers without a body.
  const { status, code } = failureOf(error);
  if (status === 404 && code !== 'NoSuchBucket') return null;
  throw error;
}

function stored(answer: Pick<_Object, 'Key' | 'Size' | 'ETag' | 'LastModified'>): StoredObject {
  const { Key: key, Size: bytes, ETag: etag, LastModified: modifiedAt } = answer;
  if (key === undefined || bytes === undefined || etag === undefined || modifiedAt === undefined) {
    throw objectStoreUnreachable('described an object in an unexpected format');
  }
  return { key, bytes, etag, modifiedAt };
}

async function sign(options: S3Options, key: string, { ttlSeconds, fileName }: DownloadLink): Promise<string> {
  const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner');
  const { GetObjectCommand } = await loadS3();
  const s3 = await openS3(options, options.publicEndpoint);
  const name = fileName.replace(/[^\w.-]/g, '_');
  const input = { Bucket: options.bucket, Key: key, ResponseContentDisposition: `attachment; filename="${name}"` };
  try {
    return await getSignedUrl(s3, new GetObjectCommand(input), { expiresIn: ttlSeconds });
  } finally {
    s3.destroy();
  }
}

/** Two who make it at once both succeed. */
async function ensureBucket(s3: S3, bucket: string): Promise<void> {
  const exists = () =>
    s3.headBucket({ Bucket: bucket }).then(
      () => true,
      (error: unknown) => {
        if (failureOf(error).status === 404) return false;
        throw error;
      },
    );
  if (await exists()) return;
  await s3.createBucket({ Bucket: bucket }).catch(async (error: unknown) => {
    if (failureOf(error).status !== 409 || !(await exists())) throw error;
  });
}
