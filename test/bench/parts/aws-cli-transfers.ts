import { once } from 'node:events';
import { S3 } from '@aws-sdk/client-s3';

/**
 * `aws s3 cp - s3://bucket/key` and the way back, as the AWS command line does them with its defaults: parts of 8 MB, ten at
 * once, each with the checksum that the SDK adds by itself. A process of its own, which a tool is piped to or from:
 * `node aws-cli-transfers.ts put|get <endpoint> <bucket> <key>`, the credentials in AWS_ACCESS_KEY_ID and
 * AWS_SECRET_ACCESS_KEY.
 */
const PART_BYTES = 8 * 1024 ** 2;
const AT_ONCE = 10;

const [action, endpoint = '', Bucket = '', Key = ''] = process.argv.slice(2);
const s3 = new S3({ endpoint, region: 'us-east-1', forcePathStyle: true });

async function* parts(): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin) {
    held.push(chunk);
    bytes += chunk.length;
    while (bytes >= PART_BYTES) {
      const all = Buffer.concat(held, bytes);
      yield all.subarray(0, PART_BYTES);
      held = [all.subarray(PART_BYTES)];
      bytes -= PART_BYTES;
    }
  }
  if (bytes > 0) yield Buffer.concat(held, bytes);
}

async function put(): Promise<void> {
  const { UploadId } = await s3.createMultipartUpload({ Bucket, Key });
  const sent: { PartNumber: number; ETag: string | undefined; ChecksumCRC32: string | undefined }[] = [];
  const inFlight = new Set<Promise<void>>();
  let number = 0;
  for await (const Body of parts()) {
    number += 1;
    const PartNumber = number;
    if (inFlight.size >= AT_ONCE) await Promise.race(inFlight);
    const one = s3.uploadPart({ Bucket, Key, UploadId, PartNumber, Body }).then(({ ETag, ChecksumCRC32 }) => {
      sent.push({ PartNumber, ETag, ChecksumCRC32 });
      inFlight.delete(one);
    });
    inFlight.add(one);
  }
  await Promise.all(inFlight);
  const Parts = sent.sort((a, b) => a.PartNumber - b.PartNumber);
  await s3.completeMultipartUpload({ Bucket, Key, UploadId, MultipartUpload: { Parts } });
}

async function get(): Promise<void> {
  const { ContentLength = 0 } = await s3.headObject({ Bucket, Key });
  const count = Math.ceil(ContentLength / PART_BYTES);
  const read = async (index: number): Promise<Uint8Array> => {
    const from = index * PART_BYTES;
    const { Body } = await s3.getObject({ Bucket, Key, Range: `bytes=${from}-${from + PART_BYTES - 1}` });
    if (Body === undefined) throw new Error('no content');
    return await Body.transformToByteArray();
  };
  const waiting: Promise<Uint8Array>[] = [];
  for (let next = 0, written = 0; written < count; written += 1) {
    for (; next < count && next < written + AT_ONCE; next += 1) waiting.push(read(next));
    const part = await waiting.shift();
    if (!process.stdout.write(part ?? '')) await once(process.stdout, 'drain');
  }
}

await (action === 'put' ? put() : get());
