import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  objectLinksSection,
  objectLinksSettings,
  objectStoreSection,
  objectStoreSettings,
} from '../../../adapters/env/object-store.ts';
import { readSection } from '../../../adapters/env.ts';

const KEYS = { OBJECT_STORE_ACCESS_KEY: 'platform', OBJECT_STORE_SECRET_KEY: 'hunter2' };
const read = (source: Record<string, string>) => objectStoreSettings(readSection(objectStoreSection, source));

test('an object store is where its host says: by https, unless the host says http itself', () => {
  for (const [host, endpoint] of [
    ['s3.example.com', 'https://s3.example.com:9000'],
    ['s3.example.com:9443', 'https://s3.example.com:9443'],
    ['https://s3.example.com:443/', 'https://s3.example.com:443'],
    ['http://minio.internal', 'http://minio.internal:9000'],
    ['[::1]', 'https://[::1]:9000'],
  ] as const) {
    const { accessKey, secretKey, ...places } = read({ ...KEYS, OBJECT_STORE_HOST: host }) ?? assert.fail();
    assert.deepEqual(places, { endpoint, publicEndpoint: endpoint, region: 'us-east-1' });
    assert.deepEqual([accessKey, secretKey], ['platform', 'hunter2']);
  }
});

test('the platform calls the inner host, and links name the public one', () => {
  const settings = read({
    ...KEYS,
    OBJECT_STORE_HOST: 'files.example.com:443',
    OBJECT_STORE_INTERNAL_HOST: 'http://minio.internal',
    OBJECT_STORE_PORT: '9001',
    OBJECT_STORE_REGION: 'eu-central-1',
  });
  assert.equal(settings?.endpoint, 'http://minio.internal:9001');
  assert.equal(settings?.publicEndpoint, 'https://files.example.com:443');
  assert.equal(settings?.region, 'eu-central-1');
});

test('there is none without its host or its credentials', () => {
  assert.equal(read({}), null);
  assert.equal(read(KEYS), null);
  for (const name of Object.keys(KEYS)) {
    assert.equal(read({ OBJECT_STORE_HOST: 's3.example.com', ...KEYS, [name]: '' }), null);
  }
});

test('who signs links has keys of its own, and neither gets the keys of the other', () => {
  const links = { OBJECT_STORE_LINK_ACCESS_KEY: 'reader', OBJECT_STORE_LINK_SECRET_KEY: 'hunter3' };
  const readLinks = (source: Record<string, string>) => objectLinksSettings(readSection(objectLinksSection, source));
  const place = { OBJECT_STORE_HOST: 's3.example.com' };
  assert.equal(read({ ...place, ...links }), null);
  assert.equal(readLinks({ ...place, ...KEYS }), null);
  const settings = readLinks({ ...place, ...KEYS, ...links });
  assert.deepEqual([settings?.accessKey, settings?.secretKey], ['reader', 'hunter3']);
  assert.equal(settings?.publicEndpoint, 'https://s3.example.com:9000');
});

test('a host that is none is refused, and its value is not repeated', () => {
  for (const host of ['ftp://s3.example.com', 'https://user:hunter2@s3.example.com', 's3.example.com/bucket?hunter2']) {
    assert.throws(
      () => read({ ...KEYS, OBJECT_STORE_HOST: host }),
      (error: Error) => /OBJECT_STORE_HOST/.test(error.message) && !/hunter2/.test(error.message),
    );
  }
});
