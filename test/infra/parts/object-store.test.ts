import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import {
  objectLinksSection,
  objectLinksSettings,
  objectStoreSection,
  objectStoreSettings,
} from '../../../adapters/env/object-store.ts';
import { readSection } from '../../../adapters/env.ts';
import { createS3ObjectStore } from '../../../adapters/s3/object-store.ts';
import type { ObjectStore } from '../../../domain/objects/ports.ts';
import { PART_ROWS } from '../../../infra/dev/parts.ts';
import { partVariables } from '../../../infra/dev/stack-parts.ts';
import { chunks, readAll } from '../../ports/archive-store.ts';
import { runPart, type TestPart } from './run-part.ts';

let part: TestPart;
before(async () => {
  part = await runPart('object-store');
});
after(() => part.stop());

const address = (): string => `http://127.0.0.1:${part.context.ports.objectStore}`;

async function variables() {
  const rows = PART_ROWS.filter(({ name }) => name === 'object-store');
  return partVariables(rows, { ...part.context, env: {} });
}

/** As the worker of the stack finds it. */
async function storeOf(bucket: string) {
  const { everyProcess, worker } = await variables();
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

/** As the API of the stack finds it, which has the variables of every process. */
async function linksTo(bucket: string) {
  const { everyProcess } = await variables();
  assert.equal(objectStoreSettings(readSection(objectStoreSection, everyProcess)), null);
  const settings = objectLinksSettings(readSection(objectLinksSection, everyProcess));
  assert.ok(settings !== null);
  return createS3ObjectStore({ ...settings, bucket });
}

test('a link that the API signs gives one object to who has it', async () => {
  const store = await storeOf('linked');
  for (const key of ['one', 'other']) await store.put(key, chunks(Buffer.from('content')));
  const links = await linksTo('linked');
  const url = await links.downloadUrl('one', { ttlSeconds: 60, fileName: 'one.archive.gz' });
  const answer = await fetch(url);
  assert.equal(answer.headers.get('content-disposition'), 'attachment; filename="one.archive.gz"');
  assert.equal(await answer.text(), 'content');
  assert.equal((await fetch(url.replace('/one', '/other'))).status, 403);
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 403);
});

test('the API changes, lists and removes nothing, also after a start', async () => {
  const store = await storeOf('read-only');
  await store.put('kept', chunks(Buffer.from('content')));
  await part.restart();
  const links = await linksTo('read-only');
  const refused = { code: 'OBJECT_STORE_REFUSED' };
  const isRefused = [
    () => links.put('kept', chunks(Buffer.from('other'))),
    () => links.put('new', chunks(randomBytes(9 * 1024 ** 2))),
    () => links.delete('kept'),
    () => readNames(links),
    () => links.abortIncomplete('', new Date()),
    async () => (await linksTo('mine')).ensureBucket(),
  ];
  for (const [index, call] of isRefused.entries()) await assert.rejects(call(), refused, String(index));
  assert.deepEqual(await readNames(store), ['kept']);
  assert.equal(String(await readAll(await store.get('kept'))), 'content');
});

async function readNames(store: ObjectStore): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { key } of store.list('')) names.push(key);
  return names;
}

test('its secret keys are in no command line, and its data is for its owner alone', async () => {
  for (const name of ['OBJECT_STORE_SECRET_KEY', 'OBJECT_STORE_LINK_SECRET_KEY']) {
    assert.ok(!part.commandLine.includes(part.context.secret(name)), name);
  }
  const { mode } = await stat(join(part.context.dataDir, 'objects'));
  assert.equal(mode & 0o777, 0o700);
});
