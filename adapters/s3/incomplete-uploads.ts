import type { S3 } from '@aws-sdk/client-s3';

interface IncompleteUpload {
  readonly key: string;
  readonly id: string;
  readonly startedAt: Date;
}

interface Place {
  readonly s3: S3;
  readonly bucket: string;
  readonly prefix: string;
}

/** Removes the parts of uploads that began before a time. @returns how many uploads */
export async function abortUploads(place: Place, startedBefore: Date, signal?: AbortSignal): Promise<number> {
  const { s3, bucket, prefix } = place;
  const options = signal === undefined ? {} : { abortSignal: signal };
  const found = new Map<string, IncompleteUpload>();
  // Asked for a prefix, MinIO lists the uploads of the one key of that name; without one, those since it started.
  for (const listed of new Set([prefix, ''])) {
    for await (const upload of uploadsBelow({ ...place, prefix: listed }, options)) {
      if (upload.key.startsWith(prefix) && upload.startedAt < startedBefore) found.set(upload.id, upload);
    }
  }
  for (const { key, id } of found.values()) {
    await s3.abortMultipartUpload({ Bucket: bucket, Key: key, UploadId: id }, options);
  }
  return found.size;
}

async function* uploadsBelow(
  { s3, bucket, prefix }: Place,
  options: { readonly abortSignal?: AbortSignal },
): AsyncGenerator<IncompleteUpload> {
  let after: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | null = {};
  while (after !== null) {
    const page: Awaited<ReturnType<typeof list>> = await list(after);
    for (const { Key: key, UploadId: id, Initiated: startedAt } of page.Uploads ?? []) {
      if (key !== undefined && id !== undefined && startedAt !== undefined) yield { key, id, startedAt };
    }
    after = page.IsTruncated ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker } : null;
  }

  function list(marker: object) {
    return s3.listMultipartUploads({ Bucket: bucket, Prefix: prefix, ...marker }, options);
  }
}
