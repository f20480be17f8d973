import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { objectStoreSection, objectStoreSettings } from '../../../adapters/env/object-store.ts';
import { readSection } from '../../../adapters/env.ts';
import { createS3ObjectStore } from '../../../adapters/s3/object-store.ts';
import { PART_ROWS } from '../../../infra/dev/parts.ts';
import { partVariables } from '../../../infra/dev/stack-parts.ts';
import { chunks, readAll } from '../../ports/archive-store.ts';
import { runPart, type TestPart } from './run-part.ts';

let part: TestPart;
before(async () => {
  part = await runPart('object-store');
});
after(() => part.stop());

const secretKey = (): string => part.context.secret('OBJECT_STORE_SECRET_KEY');
const address = (): string => `http://127.0.0.1:${part.context.ports.objectStore}`;

/** As the worker of the stack finds it. */
async function storeOf(bucket: string) {
  const rows = PART_ROWS.filter(({ name }) => name === 'object-store');
  const { everyProcess, worker } = await partVariables(rows, { ...part.context, env: {} });
  assert.deepEqual(Object.keys(everyProcess), ['OBJECT_STORE_HOST', 'OBJECT_STORE_PORT'], 'no credentials');
  const settings = objectStoreSettings(readSection(objectStoreSection, { ...everyProcess, ...worker }));
  assert.ok(settings !== null);
  const store = createS3ObjectStore({ ...settings, bucket });
  await store.ensureBucket();
  return store;
}

test('it keeps objects for the worker, also over a start', async () => {
  const store = await storeOf('kept');
  await store.put('over/a/start', chunks(Buffer.from('content')));
  await part.restart();
  assert.equal(String(await readAll(await store.get('over/a/start'))), 'content');
});

test('it gives nothing to anybody without the credentials: neither content nor names, pages or figures', async () => {
  const store = await storeOf('closed');
  await store.put('secret', chunks(Buffer.from('content')));
  for (const path of [
    ...['/', '/closed', '/closed?list-type=2', '/closed/secret', '/closed?uploads', '/closed?policy'],
    ...['/minio/admin/v3/info', '/minio/admin/v3/list-users', '/minio/v2/metrics/cluster', '/minio/v2/metrics/node'],
    ...[
      '/minio/v2/metrics/bucket',
      '/minio/metrics/v3',
      '/minio/prometheus/metrics',
      '/minio/console',
      '/api/v1/login',
    ],
  ]) {
    const { status } = await fetch(`${address()}${path}`, { redirect: 'manual' });
    assert.ok(status === 403 || status === 404 || status === 400, `${path}: ${status}`);
  }
  for (const [method, path] of [
    ['PUT', '/closed/mine'],
    ['PUT', '/mine'],
    ['DELETE', '/closed/secret'],
    ['POST', '/closed?delete'],
    ['POST', '/?Action=AssumeRole&Version=2011-06-15'],
  ] as const) {
    const { status } = await fetch(`${address()}${path}`, { method, ...(method === 'DELETE' ? {} : { body: 'x' }) });
    assert.ok(status >= 400 && status < 500, `${method} ${path}: ${status}`);
  }
  assert.equal(String(await readAll(await store.get('secret'))), 'content');
});

test('a link gives one object to who has it, until it expires', async () => {
  const store = await storeOf('linked');
  await store.put('one', chunks(Buffer.from('content')));
  await store.put('other', chunks(Buffer.from('content')));
  const url = await store.downloadUrl('one', { ttlSeconds: 60, fileName: 'one.archive.gz' });
  assert.equal(await (await fetch(url)).text(), 'content');
  assert.equal((await fetch(url.replace('/one', '/other'))).status, 403);
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 403);
});

test('its secret key is in no command line, and its data is for its owner alone', async () => {
  assert.ok(!part.commandLine.includes(secretKey()));
  const { mode } = await stat(join(part.context.dataDir, 'objects'));
  assert.equal(mode & 0o777, 0o700);
});
