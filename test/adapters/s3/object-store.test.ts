import { after, before, describe } from 'node:test';
import { createS3ObjectStore } from '../../../adapters/s3/object-store.ts';
import { openS3 } from '../../../adapters/s3/s3-client.ts';
import { objectStoreSuite } from '../../ports/object-store.ts';
import { type S3Program, startS3, type TestS3, versitygwMissing } from '../../support/start-s3.ts';

/** The smallest that S3 takes. */
const PART_BYTES = 5 * 1024 ** 2;

function suiteOn(program: S3Program): void {
  let server: TestS3;
  before(async () => {
    server = await startS3(program);
  });
  after(() => server.stop());

  objectStoreSuite(`on ${program}`, async () => {
    const settings = { ...server.settings(), partBytes: PART_BYTES, pageSize: 3 };
    const store = createS3ObjectStore(settings);
    await store.ensureBucket();
    const s3 = await openS3(settings);
    const { bucket: Bucket } = settings;
    return {
      store,
      partBytes: PART_BYTES,
      async leaveIncomplete(key) {
        const { UploadId } = await s3.createMultipartUpload({ Bucket, Key: key });
        await s3.uploadPart({ Bucket, Key: key, UploadId, PartNumber: 1, Body: Buffer.alloc(10) });
      },
      async incomplete() {
        const { Uploads = [] } = await s3.listMultipartUploads({ Bucket });
        return Uploads.map(({ Key = '' }) => Key);
      },
      async download(url) {
        const answer = await fetch(url);
        if (!answer.ok) return null;
        const [, fileName = ''] =
          /^attachment; filename="(.*)"$/.exec(answer.headers.get('content-disposition') ?? '') ?? [];
        return { content: Buffer.from(await answer.arrayBuffer()), fileName };
      },
    };
  });
}

describe('S3', () => suiteOn('minio'));
describe('S3 on another server', { skip: await versitygwMissing() }, () => suiteOn('versitygw'));
