import type { ArchiveStore, UploadBounds } from '../../domain/deploys/source-ports.ts';
import { FairleadError } from '../../domain/errors.ts';

export const UPLOAD_LIMIT_BYTES = 100 * 1024 * 1024;

export const UPLOAD_CONTENT_TYPES = [
  'application/gzip',
  'application/x-gzip',
  'application/x-tar+gzip',
  'application/octet-stream',
];

/**
 * Streams an uploaded gzip tar to the archive store. What is no gzip is refused at its first bytes.
 * @throws PAYLOAD_TOO_LARGE, ARCHIVE_INVALID, UPLOAD_QUOTA_EXCEEDED, DISK_FULL
 */
export async function saveUpload(
  archives: ArchiveStore,
  content: AsyncIterable<Uint8Array>,
  { contentLength, ...bounds }: Omit<UploadBounds, 'limitBytes'> & { readonly contentLength: string | undefined },
): Promise<{ id: string; sha256: string; sizeBytes: number }> {
  if (Number(contentLength ?? 0) > UPLOAD_LIMIT_BYTES) {
    const mebibytes = UPLOAD_LIMIT_BYTES / 1024 / 1024;
    throw new FairleadError('PAYLOAD_TOO_LARGE', `The archive is larger than ${mebibytes} MiB`);
  }
  return archives.save(onlyGzip(content), { ...bounds, limitBytes: UPLOAD_LIMIT_BYTES });
}

async function* onlyGzip(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of content) {
    if (head === null) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < 2) continue;
    requireMagic(head);
    yield head;
    head = null;
  }
  if (head !== null) requireMagic(head);
}

function requireMagic(head: Buffer): void {
  if (head.length === 0) throw new FairleadError('ARCHIVE_INVALID', 'The body is empty: send a gzip-compressed tar');
  if (head[0] === 0x1f && head[1] === 0x8b) return;
  const zip = head[0] === 0x50 && head[1] === 0x4b;
  const found = zip ? 'a zip file' : 'something else';
  throw new FairleadError('ARCHIVE_INVALID', `The body is ${found}: send a gzip-compressed tar (tar -czf)`);
}
