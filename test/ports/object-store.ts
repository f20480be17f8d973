import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { setImmediate as immediate } from 'node:timers/promises';
import type { ObjectStore, ReadOptions, StoredObject } from '../../domain/objects/ports.ts';
import { waitUntil } from '../support/wait-until.ts';
import { chunks, readAll } from './archive-store.ts';

/** An empty bucket for one test. */
export interface ObjectsUnderTest {
  readonly store: ObjectStore;
  /** How much of a body is uploaded at a time; a listing here has less than four objects a page. */
  readonly partBytes: number;
  /** Begins an upload below that key and leaves it, as a process does that is killed. */
  leaveIncomplete(key: string): Promise<void>;
  /** Keys of uploads that have begun and not ended. */
  incomplete(): Promise<readonly string[]>;
  /** What anybody is answered who has a link; null when it is refused. */
  download(url: string): Promise<{ readonly content: Buffer; readonly fileName: string } | null>;
}

const A_MINUTE_MS = 60_000;

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

async function contentOf(store: ObjectStore, key: string): Promise<Buffer> {
  return readAll(await store.get(key));
}

async function listed(objects: AsyncIterable<StoredObject>): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of objects) keys.push(key);
  return keys;
}

/** Gives its chunks, and then nothing more, for ever. */
async function* hanging(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
  await new Promise(() => undefined);
}

/** What every {@link ObjectStore} guarantees. */
export function objectStoreSuite(name: string, create: () => Promise<ObjectsUnderTest>): void {
  describe(`ObjectStore ${name}`, () => {
    describe('uploads', () => uploads(create));
    describe('uploads that fail', () => failedUploads(create));
    for (const reusesMemory of [false, true]) {
      describe(`reading${reusesMemory ? ' in memory that is used again' : ''}`, () =>
        reading(create, { reusesMemory }));
    }
    describe('listing', () => listing(create));
    describe('incomplete uploads', () => incompleteUploads(create));
    describe('links', () => links(create));
    describe('keys', () => keys(create));
  });
}

function uploads(create: () => Promise<ObjectsUnderTest>): void {
  it('keep what they were given, whatever its size is in parts', async () => {
    const { store, partBytes } = await create();
    for (const bytes of [0, 1, partBytes - 1, partBytes, partBytes + 1, 2 * partBytes, 3 * partBytes + 7]) {
      const whole = randomBytes(bytes);
      const put = await store.put(`of/${bytes}`, chunks(whole.subarray(0, bytes / 3), whole.subarray(bytes / 3)));
      assert.deepEqual([put.bytes, put.sha256], [bytes, sha256(whole)]);
      const known = await store.head(`of/${bytes}`);
      assert.deepEqual([known?.key, known?.bytes, known?.etag], [`of/${bytes}`, bytes, put.etag]);
      assert.ok(Math.abs(Date.now() - (known?.modifiedAt.getTime() ?? 0)) < A_MINUTE_MS);
      for (const time of ['once', 'twice']) assert.deepEqual(await contentOf(store, `of/${bytes}`), whole, time);
    }
  });

  it('take chunks of any size, and chunks whose memory the giver uses again', async () => {
    const { store, partBytes } = await create();
    const size = Math.ceil(partBytes / 10);
    const whole = randomBytes(size * 25);
    async function* reused() {
      const chunk = Buffer.alloc(size);
      for (let offset = 0; offset < whole.length; offset += size) {
        whole.copy(chunk, 0, offset, offset + size);
        yield chunk;
      }
      chunk.fill(0);
    }
    await store.put('reused', reused());
    assert.deepEqual(await contentOf(store, 'reused'), whole);
    await store.put('one', chunks(whole, new Uint8Array()));
    assert.deepEqual(await contentOf(store, 'one'), whole);
  });

  it('tell how much the store has: never less than before, and all of it at last', async () => {
    const { store, partBytes } = await create();
    const told: number[] = [];
    const pieces = Array.from({ length: 5 }, () => randomBytes(partBytes));
    await store.put('told', chunks(...pieces), { onProgress: (bytes) => told.push(bytes) });
    assert.deepEqual(
      told,
      [...told].sort((one, other) => one - other),
    );
    assert.equal(told.at(-1), 5 * partBytes);
    assert.ok(new Set(told).size > 1, 'more than once');
  });

  it('replace an object as a whole, and change its etag', async () => {
    const { store, partBytes } = await create();
    const first = await store.put('same', chunks(randomBytes(2 * partBytes)));
    const second = await store.put('same', chunks(Buffer.from('short')));
    assert.notEqual(first.etag, second.etag);
    assert.equal(String(await contentOf(store, 'same')), 'short');
  });

  it('of one key at the same time leave the whole content of one, whose upload succeeded', async () => {
    const { store, partBytes } = await create();
    const contents = Array.from({ length: 4 }, () => randomBytes(2 * partBytes + 1));
    const outcomes = await Promise.allSettled(contents.map((content) => store.put('raced', chunks(content))));
    const kept = sha256(await contentOf(store, 'raced'));
    const isKept = outcomes.map((outcome) => outcome.status === 'fulfilled' && outcome.value.sha256 === kept);
    assert.equal(isKept.filter(Boolean).length, 1);
    for (const outcome of outcomes) {
      // The others were replaced: before the store was asked what it keeps, or later.
      if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'OBJECT_DAMAGED');
    }
  });

  it('20 at once are 20 objects', async () => {
    const { store } = await create();
    const names = Array.from({ length: 20 }, (_, index) => `many/${index}`);
    await Promise.all(names.map((key) => store.put(key, chunks(Buffer.from(key)))));
    for (const key of names) assert.equal(String(await contentOf(store, key)), key);
  });
}

function failedUploads(create: () => Promise<ObjectsUnderTest>): void {
  const broken = new Error('the dump broke off');
  async function* breaking(...parts: Uint8Array[]) {
    yield* parts;
    throw broken;
  }

  it('fail with the error of their body, and leave neither object nor parts', async () => {
    const { store, partBytes, incomplete } = await create();
    for (const bytes of [10, 2 * partBytes + 10]) {
      await assert.rejects(store.put('broken', breaking(randomBytes(bytes))), (error) => error === broken);
      assert.equal(await store.head('broken'), null);
      assert.deepEqual(await incomplete(), []);
    }
  });

  it('keep what was under the key before', async () => {
    const { store, partBytes, incomplete } = await create();
    await store.put('kept', chunks(Buffer.from('before')));
    await assert.rejects(store.put('kept', breaking(randomBytes(2 * partBytes))), (error) => error === broken);
    assert.equal(String(await contentOf(store, 'kept')), 'before');
    assert.deepEqual(await incomplete(), []);
  });

  it('end with the reason of their signal, before they begin and while they wait for more', async () => {
    const { store, partBytes, incomplete } = await create();
    const reason = new Error('cancelled');
    const isReason = (error: unknown) => error === reason;
    const aborted = store.put('never', chunks(randomBytes(10)), { signal: AbortSignal.abort(reason) });
    await assert.rejects(aborted, isReason);
    for (const parts of [[], [randomBytes(10)], [randomBytes(3 * partBytes)]]) {
      const cancel = new AbortController();
      const upload = store.put('cancelled', hanging(...parts), {
        signal: cancel.signal,
        onProgress: () => cancel.abort(reason),
      });
      // Too little for a part: nothing is told before it ends.
      if (parts[0] === undefined || parts[0].length < partBytes) setImmediate(() => cancel.abort(reason));
      await assert.rejects(upload, isReason);
      assert.equal(await store.head('cancelled'), null);
      assert.deepEqual(await incomplete(), []);
    }
  });

  it('end what their body comes from, however far they got', async () => {
    const { store, partBytes } = await create();
    for (const isAbortedAtFirst of [true, false]) {
      const cancel = new AbortController();
      if (isAbortedAtFirst) cancel.abort();
      let hasEnded = false;
      const endless: AsyncIterableIterator<Uint8Array> = {
        next: async () => ({ done: false, value: randomBytes(partBytes) }),
        return: async () => {
          hasEnded = true;
          return { done: true, value: undefined };
        },
        [Symbol.asyncIterator]: () => endless,
      };
      const options = { signal: cancel.signal, onProgress: () => cancel.abort() };
      await assert.rejects(store.put('endless', endless, options), { name: 'AbortError' });
      await waitUntil('the body has ended', () => hasEnded);
    }
  });
}

function reading(create: () => Promise<ObjectsUnderTest>, how: Pick<ReadOptions, 'reusesMemory'>): void {
  it('fails for what is not there, whose head is null', async () => {
    const { store } = await create();
    await assert.rejects(store.get('absent', how), { code: 'OBJECT_NOT_FOUND', retryable: false });
    assert.equal(await store.head('absent'), null);
    await store.put('absent/but', chunks(randomBytes(1)));
    assert.equal(await store.head('absent'), null);
  });

  it('by an etag gives that object and no other', async () => {
    const { store } = await create();
    const { etag } = await store.put('pinned', chunks(Buffer.from('first')));
    assert.equal(String(await readAll(await store.get('pinned', { ...how, etag }))), 'first');
    await store.put('pinned', chunks(Buffer.from('other')));
    await assert.rejects(store.get('pinned', { ...how, etag }), { code: 'CONFLICT', retryable: true });
  });

  it('gives the bytes of a range, and no more than there are', async () => {
    const { store } = await create();
    await store.put('digits', chunks(Buffer.from('0123456789')));
    for (const [range, expected] of [
      [{ offset: 0 }, '0123456789'],
      [{ offset: 3 }, '3456789'],
      [{ offset: 3, bytes: 2 }, '34'],
      [{ offset: 9, bytes: 1 }, '9'],
      [{ offset: 8, bytes: 50 }, '89'],
    ] as const) {
      assert.equal(String(await readAll(await store.get('digits', { ...how, range }))), expected);
    }
    await assert.rejects(store.get('digits', { ...how, range: { offset: 10 } }), { code: 'VALIDATION_FAILED' });
  });

  it('gives all of a long content to a reader who pauses', async () => {
    const { store, partBytes } = await create();
    const long = randomBytes(partBytes + 12_345);
    await store.put('long', chunks(long));
    const read: Buffer[] = [];
    for await (const piece of await store.get('long', how)) {
      if (read.length % 50 === 0) await immediate();
      read.push(Buffer.from(piece));
    }
    assert.ok(Buffer.concat(read).equals(long));
  });

  it('ends with the reason of its signal', async () => {
    const { store, partBytes } = await create();
    await store.put('long', chunks(randomBytes(3 * partBytes + 1_000_000)));
    const reason = new Error('cancelled');
    const isReason = (error: unknown) => error === reason;
    await assert.rejects(store.get('long', { ...how, signal: AbortSignal.abort(reason) }), isReason);
    const cancel = new AbortController();
    const content = await store.get('long', { ...how, signal: cancel.signal });
    const read = async () => {
      for await (const _ of content) cancel.abort(reason);
    };
    await assert.rejects(read(), isReason);
  });

  it('may end early, and the store goes on to answer', async () => {
    const { store, partBytes } = await create();
    await store.put('long', chunks(randomBytes(3 * partBytes)));
    for (let time = 0; time < 60; time += 1) {
      for await (const chunk of await store.get('long', how)) {
        assert.ok(chunk.byteLength > 0);
        break;
      }
    }
    assert.equal((await store.head('long'))?.bytes, 3 * partBytes);
  });

  it('of a deleted object fails, and deleting it once more does not', async () => {
    const { store } = await create();
    await store.put('gone', chunks(randomBytes(10)));
    for (const time of ['once', 'twice']) {
      await store.delete('gone');
      assert.equal(await store.head('gone'), null, time);
    }
    await assert.rejects(store.get('gone'), { code: 'OBJECT_NOT_FOUND' });
  });
}

function listing(create: () => Promise<ObjectsUnderTest>): void {
  const all = ['a', 'b-1', 'b/1', 'b/10', 'b/2', 'b/Z', 'b/a/1', 'b/a/2', 'b0', 'c/1'];

  it('gives every key below a prefix once and in order, over more than one page', async () => {
    const { store } = await create();
    for (const key of all.toReversed()) await store.put(key, chunks(Buffer.from(key)));
    assert.deepEqual(await listed(store.list('')), all);
    assert.deepEqual(await listed(store.list('b/')), ['b/1', 'b/10', 'b/2', 'b/Z', 'b/a/1', 'b/a/2']);
    assert.deepEqual(await listed(store.list('b/a')), ['b/a/1', 'b/a/2']);
    assert.deepEqual(await listed(store.list('b/1')), ['b/1', 'b/10']);
    assert.deepEqual(await listed(store.list('absent/')), []);
    for (const [index, key] of all.entries()) {
      assert.deepEqual(await listed(store.list('', { after: key })), all.slice(index + 1));
    }
    for await (const object of store.list('')) {
      const { modifiedAt, ...known } = object;
      const head = await store.head(object.key);
      assert.deepEqual(known, { key: head?.key, bytes: object.key.length, etag: head?.etag });
      assert.ok(Math.abs(modifiedAt.getTime() - (head?.modifiedAt.getTime() ?? 0)) < A_MINUTE_MS);
    }
  });

  it('goes on after objects that are deleted meanwhile', async () => {
    const { store } = await create();
    for (const key of all) await store.put(key, chunks(randomBytes(1)));
    const seen: string[] = [];
    for await (const { key } of store.list('')) {
      seen.push(key);
      await store.delete(key);
    }
    assert.deepEqual(seen, all);
    assert.deepEqual(await listed(store.list('')), []);
  });

  it('ends with the reason of its signal', async () => {
    const { store } = await create();
    for (const key of all) await store.put(key, chunks(randomBytes(1)));
    const reason = new Error('cancelled');
    const cancel = new AbortController();
    const read = async () => {
      for await (const _ of store.list('', { signal: cancel.signal })) cancel.abort(reason);
    };
    await assert.rejects(read(), (error) => error === reason);
  });
}

function incompleteUploads(create: () => Promise<ObjectsUnderTest>): void {
  it('are removed below a prefix when they began before a time, and nothing else is', async () => {
    const { store, leaveIncomplete, incomplete } = await create();
    await store.put('left/whole', chunks(randomBytes(10)));
    const left = ['left/1', 'left/2', 'left/deep/3', 'left/whole', 'other/1'];
    for (const key of left) await leaveIncomplete(key);
    assert.deepEqual((await incomplete()).toSorted(), left);
    assert.equal(await store.abortIncomplete('left/', new Date(Date.now() - A_MINUTE_MS)), 0);
    assert.deepEqual((await incomplete()).toSorted(), left);
    const later = new Date(Date.now() + A_MINUTE_MS);
    assert.equal(await store.abortIncomplete('left/', later), 4);
    assert.equal(await store.abortIncomplete('left/', later), 0);
    assert.deepEqual(await incomplete(), ['other/1']);
    assert.deepEqual(await listed(store.list('')), ['left/whole']);
  });

  it('are no objects', async () => {
    const { store, leaveIncomplete } = await create();
    await leaveIncomplete('half');
    assert.equal(await store.head('half'), null);
    assert.deepEqual(await listed(store.list('')), []);
    await assert.rejects(store.get('half'), { code: 'OBJECT_NOT_FOUND' });
  });
}

function links(create: () => Promise<ObjectsUnderTest>): void {
  it('download one object under the name they were made with', async () => {
    const { store, download } = await create();
    const content = randomBytes(100_000);
    await store.put('prod/shop/db.archive.gz', chunks(content));
    const url = await store.downloadUrl('prod/shop/db.archive.gz', { ttlSeconds: 900, fileName: 'shop-db.archive.gz' });
    assert.deepEqual(await download(url), { content, fileName: 'shop-db.archive.gz' });
    assert.equal(await download(url.replace('prod/shop', 'prod/other')), null);
  });

  it('are refused once they have expired', async () => {
    const { store, download } = await create();
    await store.put('soon', chunks(randomBytes(10)));
    const url = await store.downloadUrl('soon', { ttlSeconds: 1, fileName: 'soon' });
    await waitUntil('the link is refused', async () => (await download(url)) === null);
  });
}

function keys(create: () => Promise<ObjectsUnderTest>): void {
  it('outside the grammar are refused by every call', async () => {
    const { store } = await create();
    for (const key of ['', '/a', 'a/', 'a//b', '.', 'a/../b', 'a/./b', 'a b', 'ä', 'a\0', 'a?b', 'k'.repeat(1_025)]) {
      for (const call of [
        () => store.put(key, chunks(randomBytes(1))),
        () => store.head(key),
        () => store.get(key),
        () => store.delete(key),
        () => store.downloadUrl(key, { ttlSeconds: 60, fileName: 'file' }),
      ]) {
        await assert.rejects(call(), { code: 'VALIDATION_FAILED' }, key);
      }
    }
    assert.deepEqual(await listed(store.list('')), []);
  });

  it('within the grammar come back as they were given', async () => {
    const { store } = await create();
    const names = [
      "!_.*'()-/...",
      `${'d'.repeat(100)}/${'k'.repeat(100)}`,
      'prod/shop/daily/x-2026-01-01T02.00.00Z.pgdump',
    ];
    for (const key of names) {
      await store.put(key, chunks(Buffer.from(key)));
      assert.equal(String(await contentOf(store, key)), key);
    }
    assert.deepEqual(await listed(store.list('')), names.toSorted());
  });

  it('have a bucket, which may be asked for again', async () => {
    const { store } = await create();
    await Promise.all([store.ensureBucket(), store.ensureBucket()]);
    await store.put('kept', chunks(randomBytes(1)));
    await store.ensureBucket();
    assert.deepEqual(await listed(store.list('')), ['kept']);
  });
}
