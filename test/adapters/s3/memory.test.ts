import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createS3ObjectStore } from '../../../adapters/s3/object-store.ts';
import { startS3, type TestS3 } from '../../support/start-s3.ts';

const MEGABYTES = 300;
const CHILD = fileURLToPath(new URL('./memory-child.ts', import.meta.url));

let server: TestS3;
before(async () => {
  server = await startS3('minio');
});
after(() => server.stop());

test('memory does not grow with the length of what is uploaded and read', async () => {
  const settings = server.settings();
  await createS3ObjectStore(settings).ensureBucket();
  const args = [CHILD, JSON.stringify({ settings, megabytes: MEGABYTES })];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { isSame, grownBytes }: { isSame: boolean; grownBytes: number } = JSON.parse(stdout);
  assert.ok(isSame);
  assert.ok(grownBytes < 128 * 1024 ** 2, `${Math.round(grownBytes / 1024 ** 2)} MiB more`);
});
