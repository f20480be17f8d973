import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import { createS3ObjectStore, type S3Options } from '../../../adapters/s3/object-store.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { ObjectStore, ReadOptions } from '../../../domain/objects/ports.ts';
import { chunks, readAll } from '../../ports/archive-store.ts';
import { freePort } from '../../support/free-port.ts';
import { type S3Call, type S3Fault, type S3Proxy, startS3Proxy } from '../../support/s3-proxy.ts';
import { startS3, type TestS3 } from '../../support/start-s3.ts';
import { waitUntil } from '../../support/wait-until.ts';

const PART_BYTES = 5 * 1024 ** 2;
const SMALL = randomBytes(1_000);
const LARGE = randomBytes(2 * PART_BYTES + 1_000);

let server: TestS3;
let proxy: S3Proxy;
before(async () => {
  server = await startS3('minio');
  proxy = await startS3Proxy(server.endpoint);
});
afterEach(() => proxy.fail(() => null));
after(async () => {
  await proxy.stop();
  await server.stop();
});

interface Pair {
  /** By the proxy. */
  readonly store: ObjectStore;
  /** Past it. */
  readonly direct: ObjectStore;
  readonly settings: S3Options;
}

async function newBucket(changes: Partial<S3Options> = {}): Promise<Pair> {
  const settings = { ...server.settings(), partBytes: PART_BYTES };
  const direct = createS3ObjectStore(settings);
  await direct.ensureBucket();
  const byProxy = { ...settings, endpoint: proxy.endpoint, attempts: 2, idleMs: 1_000, ...changes };
  return { store: createS3ObjectStore(byProxy), direct, settings };
}

/** A fault of every call of an operation; those before `from` pass. */
function on(operation: string, fault: S3Fault, from = 0): (call: S3Call) => S3Fault | null {
  const before = proxy.calls.filter((call) => call.operation === operation).length;
  return (call) => (call.operation === operation && call.earlier - before >= from ? fault : null);
}

/** A fault of one call of an operation. */
function once(operation: string, fault: S3Fault): (call: S3Call) => S3Fault | null {
  const before = proxy.calls.filter((call) => call.operation === operation).length;
  return (call) => (call.operation === operation && call.earlier === before ? fault : null);
}

async function keysOf(store: ObjectStore): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list('')) keys.push(key);
  return keys;
}

const UNREACHABLE = { code: 'OBJECT_STORE_UNREACHABLE', retryable: true };
const DAMAGED = { code: 'OBJECT_DAMAGED', retryable: true };
const FULL = { code: 'OBJECT_STORE_FULL', retryable: false };
const REFUSED = { code: 'OBJECT_STORE_REFUSED', retryable: false };

const FAILED_UPLOADS: readonly [what: string, content: Buffer, operation: string, fault: S3Fault, error: object][] = [
  ['a connection that is cut within a part', LARGE, 'UploadPart', { cutRequestAfter: 1_000_000 }, UNREACHABLE],
  ['a connection that is cut after each part', LARGE, 'UploadPart', { cutAnswerAfter: 0 }, UNREACHABLE],
  ['a part that was lost', LARGE, 'UploadPart', 'lose', DAMAGED],
  ['a part with another byte in it', LARGE, 'UploadPart', 'damage', DAMAGED],
  ['a wrong etag of a part', LARGE, 'UploadPart', 'wrong etag', DAMAGED],
  ['a wrong etag of the whole', LARGE, 'CompleteMultipartUpload', 'wrong etag', DAMAGED],
  ['a wrong etag of what is kept', LARGE, 'HeadObject', 'wrong etag', DAMAGED],
  ['a store that is too busy', LARGE, 'UploadPart', { status: 503, code: 'SlowDown' }, UNREACHABLE],
  [
    'a store that is too busy at the end',
    LARGE,
    'CompleteMultipartUpload',
    { status: 503, code: 'SlowDown' },
    UNREACHABLE,
  ],
  ['a store that fails', LARGE, 'CreateMultipartUpload', { status: 500, code: 'InternalError' }, UNREACHABLE],
  ['a store without space', LARGE, 'UploadPart', { status: 507, code: 'XMinioStorageFull' }, FULL],
  ['a bucket at its quota', LARGE, 'UploadPart', { status: 400, code: 'XMinioAdminBucketQuotaExceeded' }, FULL],
  ['a policy that allows no parts', LARGE, 'UploadPart', { status: 403, code: 'AccessDenied' }, REFUSED],
  ['a store that takes a part and never answers', LARGE, 'UploadPart', 'hang', UNREACHABLE],
  ['an upload that somebody aborted', LARGE, 'CompleteMultipartUpload', { status: 404, code: 'NoSuchUpload' }, DAMAGED],
  ['a connection that is cut within a short object', SMALL, 'PutObject', { cutRequestAfter: 1 }, UNREACHABLE],
  ['a short object that was lost', SMALL, 'PutObject', 'lose', DAMAGED],
  ['a short object with another byte in it', SMALL, 'PutObject', 'damage', DAMAGED],
  ['a wrong etag of a short object', SMALL, 'PutObject', 'wrong etag', DAMAGED],
  ['a store without space for a short object', SMALL, 'PutObject', { status: 507, code: 'XMinioStorageFull' }, FULL],
];

describe('an upload to S3 fails, and leaves neither an object nor parts, because of', () => {
  for (const [what, content, operation, fault, error] of FAILED_UPLOADS) {
    it(what, async () => {
      const { store, direct } = await newBucket();
      proxy.fail(on(operation, fault));
      await assert.rejects(store.put('of/dump', chunks(content)), error);
      assert.deepEqual(await keysOf(direct), []);
      assert.equal(await direct.abortIncomplete('', new Date(Date.now() + 60_000)), 0);
    });
  }

  it('an abort while the store takes nothing more', async () => {
    const { store, direct } = await newBucket({ idleMs: 600_000 });
    for (const [content, operation] of [
      [LARGE, 'UploadPart'],
      [SMALL, 'PutObject'],
    ] as const) {
      const cancel = new AbortController();
      const reason = new Error('cancelled');
      const hangs = on(operation, 'hang');
      proxy.fail((call) => {
        const fault = hangs(call);
        if (fault !== null) setImmediate(() => cancel.abort(reason));
        return fault;
      });
      const upload = store.put('slow', chunks(content), { signal: cancel.signal });
      await assert.rejects(upload, (error) => error === reason);
      assert.deepEqual(await keysOf(direct), []);
      assert.equal(await direct.abortIncomplete('', new Date(Date.now() + 60_000)), 0);
    }
  });

  it('parts that cannot be removed at once: `abortIncomplete` removes them later', async () => {
    const { store, direct } = await newBucket();
    const busy = { status: 503, code: 'SlowDown' };
    proxy.fail(({ operation, earlier }) => {
      if (operation === 'AbortMultipartUpload') return busy;
      return operation === 'UploadPart' && earlier > 0 ? busy : null;
    });
    await assert.rejects(store.put('left', chunks(LARGE)), UNREACHABLE);
    assert.deepEqual(await keysOf(direct), []);
    assert.equal(await direct.abortIncomplete('left', new Date(Date.now() + 60_000)), 1);
  });

  it('a cancel whose first abort the store answers and does not carry out', async () => {
    const { store, direct } = await newBucket();
    proxy.fail(once('AbortMultipartUpload', 'lose'));
    const cancel = new AbortController();
    const options = { signal: cancel.signal, onProgress: () => cancel.abort() };
    await assert.rejects(store.put('left', chunks(LARGE), options), { name: 'AbortError' });
    assert.equal(await direct.abortIncomplete('', new Date(Date.now() + 60_000)), 0);
  });

  it('a disk that is really full, which takes short objects again afterwards', async (t) => {
    const full = await startS3('minio', { diskMib: 64 });
    t.after(full.stop);
    const store = createS3ObjectStore({ ...full.settings(), partBytes: PART_BYTES });
    await store.ensureBucket();
    async function* endless() {
      for (;;) yield LARGE;
    }
    // On a busy machine the store may be too slow to answer at first; whoever uploads then tries again.
    let error: unknown;
    do error = await store.put('endless', endless()).catch((reason: unknown) => reason);
    while (error instanceof FairleadError && error.retryable);
    await assert.rejects(Promise.reject(error), FULL);
    assert.deepEqual(await keysOf(store), []);
    assert.equal(await store.abortIncomplete('', new Date(Date.now() + 60_000)), 0);
    await store.put('short', chunks(SMALL));
    assert.deepEqual(await readAll(await store.get('short')), SMALL);
  });

  it('what was under the key before stays', async () => {
    const { store, direct } = await newBucket();
    await direct.put('same', chunks(SMALL));
    proxy.fail(on('UploadPart', 'lose'));
    await assert.rejects(store.put('same', chunks(LARGE)), DAMAGED);
    assert.deepEqual(await readAll(await direct.get('same')), SMALL);
  });
});

describe('an upload to S3 succeeds in spite of', () => {
  for (const [what, operation, fault] of [
    ['a part whose connection is cut once', 'UploadPart', { cutRequestAfter: 1_000_000 }],
    ['a part whose answer is lost once', 'UploadPart', { cutAnswerAfter: 0 }],
    ['a store that is too busy once', 'UploadPart', { status: 503, code: 'SlowDown' }],
    ['a part that nobody answers once', 'UploadPart', 'hang'],
    ['a lost answer to its beginning', 'CreateMultipartUpload', { cutAnswerAfter: 0 }],
    ['a lost answer to its end', 'CompleteMultipartUpload', { cutAnswerAfter: 0 }],
  ] as const) {
    it(what, async () => {
      const { store, direct } = await newBucket();
      proxy.fail(once(operation, fault));
      await store.put('of/dump', chunks(LARGE));
      assert.deepEqual(await readAll(await direct.get('of/dump')), LARGE);
    });
  }
});

for (const reusesMemory of [false, true]) {
  describe(`reading from S3${reusesMemory ? ' on a thread' : ''}`, () => readingFaults({ reusesMemory }));
}

function readingFaults(how: Pick<ReadOptions, 'reusesMemory'>): void {
  it('asks once for what it reads, from where it is read', async () => {
    const { store, direct } = await newBucket();
    await direct.put('long', chunks(LARGE));
    const before = proxy.calls.length;
    assert.ok((await readAll(await store.get('long', how))).equals(LARGE));
    assert.deepEqual(
      proxy.calls.slice(before).map(({ operation, isPresigned }) => [operation, isPresigned]),
      [['GetObject', how.reusesMemory]],
    );
  });

  it('goes on where the connection was cut', async () => {
    const { store, direct } = await newBucket();
    await direct.put('long', chunks(LARGE));
    const before = proxy.calls.length;
    proxy.fail(({ operation }) => {
      // The first two of three.
      const isCut = (proxy.calls.length - before) % 3 !== 0;
      return operation === 'GetObject' && isCut ? { cutAnswerAfter: 2_000_000 } : null;
    });
    assert.deepEqual(await readAll(await store.get('long', how)), LARGE);
    assert.ok(proxy.calls.length - before > 2);
    const range = { offset: 1_000, bytes: 3_000_000 };
    const expected = LARGE.subarray(range.offset, range.offset + range.bytes);
    assert.deepEqual(await readAll(await store.get('long', { ...how, range })), expected);
  });

  it('fails when it is cut again and again, and never ends early as if that were all', async () => {
    const { store, direct } = await newBucket();
    await direct.put('long', chunks(LARGE));
    const cut = on('GetObject', { cutAnswerAfter: 0 }, 1);
    const first = once('GetObject', { cutAnswerAfter: 2_000_000 });
    proxy.fail((call) => first(call) ?? cut(call));
    await assert.rejects(async () => readAll(await store.get('long', how)), UNREACHABLE);
  });

  it('fails when the rest that is asked for is answered with something else', async () => {
    const { store, direct } = await newBucket();
    await direct.put('long', chunks(LARGE));
    const first = once('GetObject', { cutAnswerAfter: 2_000_000 });
    const other = on('GetObject', 'no range', 1);
    proxy.fail((call) => first(call) ?? other(call));
    await assert.rejects(async () => readAll(await store.get('long', how)), UNREACHABLE);
  });

  it('fails when the object is replaced meanwhile', async () => {
    const { store, direct } = await newBucket();
    await direct.put('long', chunks(LARGE));
    proxy.fail(once('GetObject', { cutAnswerAfter: 2_000_000 }));
    const content = await store.get('long', how);
    await direct.put('long', chunks(randomBytes(LARGE.length)));
    await assert.rejects(readAll(content), { code: 'CONFLICT', retryable: true });
  });

  it('goes on after a pause that was too long for the connection', async (t) => {
    const { direct, settings } = await newBucket();
    await direct.put('long', chunks(LARGE));
    const ownProxy = await startS3Proxy(server.endpoint);
    t.after(ownProxy.stop);
    const store = createS3ObjectStore({ ...settings, endpoint: ownProxy.endpoint, idleMs: 300 });
    const parts: Uint8Array[] = [];
    for await (const chunk of await store.get('long', how)) {
      const isGone = async () => (await ownProxy.connections()) === 0;
      if (parts.length === 0) await waitUntil('the connection is gone', isGone);
      parts.push(Buffer.from(chunk));
    }
    assert.deepEqual(Buffer.concat(parts), LARGE);
    assert.ok(ownProxy.calls.length > 1);
  });
}

describe('a listing of S3', () => {
  it('whose page cannot be read is an error, never a shorter list', async () => {
    const { store, direct } = await newBucket({ pageSize: 2 });
    for (const key of ['a', 'b', 'c', 'd', 'e']) await direct.put(key, chunks(SMALL));
    for (const [fault, error] of [
      [{ status: 503, code: 'SlowDown' }, UNREACHABLE],
      [{ cutAnswerAfter: 100 }, UNREACHABLE],
      [{ status: 403, code: 'AccessDenied' }, REFUSED],
    ] as const) {
      for (const from of [0, 1, 2]) {
        proxy.fail(on('ListObjectsV2', fault, from));
        const seen: string[] = [];
        const read = async () => {
          for await (const { key } of store.list('')) seen.push(key);
        };
        await assert.rejects(read(), error);
        assert.equal(seen.length, from * 2);
      }
    }
  });
});

describe('S3 that cannot be used', () => {
  const everyCall = (store: ObjectStore): readonly [string, () => Promise<unknown>][] => [
    ['put', () => store.put('key', chunks(SMALL))],
    ['put in parts', () => store.put('key', chunks(LARGE))],
    ['head', () => store.head('key')],
    ['get', () => store.get('key')],
    ['list', () => keysOf(store)],
    ['delete', () => store.delete('key')],
    ['abortIncomplete', () => store.abortIncomplete('', new Date())],
    ['ensureBucket', () => store.ensureBucket()],
  ];

  it('is refused credentials, for every call', async () => {
    const settings = server.settings();
    for (const wrong of [{ accessKey: 'nobody' }, { secretKey: 'wrong' }]) {
      for (const [name, call] of everyCall(createS3ObjectStore({ ...settings, ...wrong }))) {
        await assert.rejects(call(), REFUSED, name);
      }
    }
  });

  it('has no such bucket, for every call but the one that makes it', async () => {
    const calls = everyCall(createS3ObjectStore(server.settings()));
    for (const [name, call] of calls.filter(([name]) => name !== 'ensureBucket' && name !== 'head')) {
      await assert.rejects(call(), REFUSED, name);
    }
  });

  it('is not there, for every call', async () => {
    const endpoint = `http://127.0.0.1:${await freePort()}`;
    const store = createS3ObjectStore({ ...server.settings(), endpoint, attempts: 1 });
    for (const [name, call] of everyCall(store)) await assert.rejects(call(), UNREACHABLE, name);
  });

  it('could not be started: the error says so, and a body is ended', async () => {
    const away = new FairleadError('UNAVAILABLE', 'object-store was not started: no stack to ask');
    const store = createS3ObjectStore({ ...server.settings(), whenNeeded: () => Promise.reject(away) });
    for (const [name, call] of everyCall(store)) await assert.rejects(call(), (error) => error === away, name);
    let hasEnded = false;
    async function* body() {
      try {
        for (;;) yield LARGE;
      } finally {
        hasEnded = true;
      }
    }
    await assert.rejects(store.put('key', body()), (error) => error === away);
    await waitUntil('the body has ended', () => hasEnded);
  });

  it('shows no credential and no signature in an error', async () => {
    const settings = server.settings();
    const { inspect } = await import('node:util');
    for (const [, call] of everyCall(createS3ObjectStore({ ...settings, accessKey: 'nobody' }))) {
      const error = await call().catch((error: unknown) => error);
      const shown = `${inspect(error, { depth: 10, showHidden: true })}${JSON.stringify(error)}`;
      assert.doesNotMatch(shown, /Signature|Credential=|X-Amz/i);
      assert.ok(!shown.includes(settings.secretKey));
    }
  });
});
