import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { ArchiveStore } from '../../domain/deploys/ports.ts';
import { formatId } from '../../domain/ids.ts';

/** A store of its own for one test. */
export interface ArchivesUnderTest {
  readonly store: ArchiveStore;
  /** Makes the next archive to be saved as old as that. */
  saveAt(time: Date, content: AsyncIterable<Uint8Array>): Promise<{ id: string }>;
  /** Names of all that takes place, broken uploads included. */
  kept(): Promise<readonly string[]>;
}

export async function* chunks(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

export async function readAll(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}

/** What every {@link ArchiveStore} guarantees. */
export function archiveStoreSuite(create: () => Promise<ArchivesUnderTest>): void {
  describe('ArchiveStore', () => {
    it('keeps what it was given, and tells size and hash', async () => {
      const { store } = await create();
      const parts = [randomBytes(100_000), randomBytes(1), randomBytes(70_000)];
      const whole = Buffer.concat(parts);
      const saved = await store.save(chunks(...parts), whole.length);
      assert.match(saved.id, /^arc_[0-9a-z]+$/);
      assert.equal(saved.sizeBytes, whole.length);
      assert.equal(saved.sha256, createHash('sha256').update(whole).digest('hex'));
      for (const time of ['once', 'twice']) assert.deepEqual(await readAll(await store.open(saved.id)), whole, time);
    });

    it('20 archives saved at once are 20 archives', async () => {
      const { store } = await create();
      const saved = await Promise.all(
        Array.from({ length: 20 }, (_, index) => store.save(chunks(Uint8Array.of(index)), 10)),
      );
      assert.equal(new Set(saved.map(({ id }) => id)).size, 20);
      for (const [index, { id }] of saved.entries()) {
        assert.deepEqual([...(await readAll(await store.open(id)))], [index]);
      }
    });

    it('refuses what is larger than the limit and leaves nothing behind', async () => {
      const { store, kept } = await create();
      await store.save(chunks(randomBytes(1_000)), 1_000);
      const before = await kept();
      const save = store.save(chunks(randomBytes(600), randomBytes(401)), 1_000);
      await assert.rejects(save, { code: 'PAYLOAD_TOO_LARGE', retryable: false });
      assert.deepEqual(await kept(), before);
    });

    it('reads no more of an upload than it may keep', async () => {
      const { store } = await create();
      let given = 0;
      async function* endless() {
        for (;;) {
          given += 1;
          yield randomBytes(100);
        }
      }
      await assert.rejects(store.save(endless(), 1_000), { code: 'PAYLOAD_TOO_LARGE' });
      assert.equal(given, 11);
    });

    it('leaves nothing behind when the upload breaks off', async () => {
      const { store, kept } = await create();
      async function* broken() {
        yield randomBytes(10);
        throw new Error('connection lost');
      }
      await assert.rejects(store.save(broken(), 1_000), /connection lost/);
      assert.deepEqual(await kept(), []);
    });

    it('an archive that is gone, or an id that is a path, is SOURCE_MISSING', async () => {
      const { store } = await create();
      for (const id of [formatId('archive', randomBytes(20)), '../../../outside', '', 'arc_/../x']) {
        await assert.rejects(store.open(id), { code: 'SOURCE_MISSING', message: /upload it again/, retryable: false });
      }
    });

    it('prunes what is older and not needed', async () => {
      const { store, saveAt } = await create();
      const { signal } = new AbortController();
      assert.equal(await store.prune(new Date(), async () => false, signal), 0, 'nothing was ever saved');
      const past = new Date(Date.now() - 3_600_000);
      const old = await saveAt(past, chunks(randomBytes(5)));
      const needed = await saveAt(past, chunks(randomBytes(5)));
      const recent = await store.save(chunks(randomBytes(5)), 10);
      const before = new Date(Date.now() - 60_000);
      const isNeeded = async (id: string): Promise<boolean> => id === needed.id;
      assert.equal(await store.prune(before, isNeeded, signal), 1);
      await assert.rejects(store.open(old.id), { code: 'SOURCE_MISSING' });
      assert.equal((await readAll(await store.open(needed.id))).length, 5);
      assert.equal((await readAll(await store.open(recent.id))).length, 5);
      assert.equal(await store.prune(before, isNeeded, signal), 0);
    });

    it('ends pruning when it is told to, and removes nothing it cannot ask for', async () => {
      const { store, saveAt } = await create();
      const { id } = await saveAt(new Date(0), chunks(randomBytes(5)));
      const ended = AbortSignal.abort(new Error('told to end'));
      await assert.rejects(
        store.prune(new Date(), async () => false, ended),
        /told to end/,
      );
      const unknown = () => Promise.reject(new Error('no answer'));
      await assert.rejects(store.prune(new Date(), unknown, new AbortController().signal), /no answer/);
      assert.equal((await readAll(await store.open(id))).length, 5);
    });
  });
}
