import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { ArchiveStore, UploadBounds } from '../../domain/deploys/source-ports.ts';
import { formatId } from '../../domain/ids.ts';

/** A store of its own for one test. */
export interface ArchivesUnderTest {
  readonly store: ArchiveStore;
  /** Saves an archive that is as old as that. */
  saveAt(time: Date, content: AsyncIterable<Uint8Array>, bounds?: UploadBounds): Promise<{ id: string }>;
  /** Names of all that takes place, broken uploads included. */
  kept(): Promise<readonly string[]>;
}

export async function* chunks(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* parts;
}

export async function readAll(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of content) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

/** Bounds of an upload of an org whose archives no build needs. */
export function upTo(limitBytes: number, changes: Partial<UploadBounds> = {}): UploadBounds {
  return { limitBytes, org: 'acme', isNeeded: async () => false, ...changes };
}

/** What every {@link ArchiveStore} guarantees. */
export function archiveStoreSuite(
  create: (quota?: { readonly bytes: number; readonly archives: number }) => Promise<ArchivesUnderTest>,
): void {
  describe('ArchiveStore', () => {
    it('keeps what it was given, and tells size and hash', async () => {
      const { store } = await create();
      const parts = [randomBytes(100_000), randomBytes(1), randomBytes(70_000)];
      const whole = Buffer.concat(parts);
      const saved = await store.save(chunks(...parts), upTo(whole.length));
      assert.match(saved.id, /^arc_[0-9a-z]+$/);
      assert.equal(saved.sizeBytes, whole.length);
      assert.equal(saved.sha256, createHash('sha256').update(whole).digest('hex'));
      for (const time of ['once', 'twice']) assert.deepEqual(await readAll(await store.open(saved.id)), whole, time);
    });

    it('20 archives saved at once are 20 archives', async () => {
      const { store } = await create();
      const saved = await Promise.all(
        Array.from({ length: 20 }, (_, index) => store.save(chunks(Uint8Array.of(index)), upTo(10))),
      );
      assert.equal(new Set(saved.map(({ id }) => id)).size, 20);
      for (const [index, { id }] of saved.entries()) {
        assert.deepEqual([...(await readAll(await store.open(id)))], [index]);
      }
    });

    it('refuses what is larger than the limit and leaves nothing behind', async () => {
      const { store, kept } = await create();
      await store.save(chunks(randomBytes(1_000)), upTo(1_000));
      const before = await kept();
      const save = store.save(chunks(randomBytes(600), randomBytes(401)), upTo(1_000));
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
      await assert.rejects(store.save(endless(), upTo(1_000)), { code: 'PAYLOAD_TOO_LARGE' });
      assert.equal(given, 11);
    });

    it('leaves nothing behind when the upload breaks off', async () => {
      const { store, kept } = await create();
      async function* broken() {
        yield randomBytes(10);
        throw new Error('connection lost');
      }
      await assert.rejects(store.save(broken(), upTo(1_000)), /connection lost/);
      assert.deepEqual(await kept(), []);
    });

    it('an org at its quota is refused, also by uploads at the same time, and another org is not', async () => {
      for (const quota of [
        { bytes: 1_000, archives: 100 },
        { bytes: 100_000, archives: 2 },
      ]) {
        const { store, kept } = await create(quota);
        const save = (org: string) => store.save(chunks(randomBytes(300), randomBytes(200)), upTo(1_000, { org }));
        const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => save('acme')));
        const saved = outcomes.filter(({ status }) => status === 'fulfilled').length;
        assert.ok(saved <= 2);
        for (let index = saved; index < 2; index += 1) await save('acme');
        const full = { code: 'UPLOAD_QUOTA_EXCEEDED', message: /acme/, retryable: false };
        await assert.rejects(save('acme'), full);
        assert.equal((await kept()).length, 2, 'refused uploads leave nothing behind');
        await save('other');
        await assert.rejects(save('acme'), full);
      }
    });

    it('at the quota, the oldest archives that no open build needs make room', async () => {
      const { store, saveAt, kept } = await create({ bytes: 1_000, archives: 100 });
      const past = (minutes: number) => new Date(Date.now() - minutes * 60_000);
      const oldest = await saveAt(past(40), chunks(randomBytes(400)));
      const old = await saveAt(past(30), chunks(randomBytes(300)));
      const needed = await saveAt(past(50), chunks(randomBytes(300)));
      const isNeeded = async (id: string) => id === needed.id;
      const recent = await store.save(chunks(randomBytes(350)), upTo(1_000, { isNeeded }));
      await assert.rejects(store.open(oldest.id), { code: 'SOURCE_MISSING' });
      for (const { id } of [old, needed, recent]) await store.open(id).then(readAll);
      await store.save(chunks(randomBytes(300)), upTo(1_000, { isNeeded }));
      await assert.rejects(store.open(old.id), { code: 'SOURCE_MISSING' });
      // What is left waits for its build, or is so young that its build may not be recorded yet.
      await assert.rejects(store.save(chunks(randomBytes(300)), upTo(1_000, { isNeeded })), {
        code: 'UPLOAD_QUOTA_EXCEEDED',
      });
      assert.equal((await kept()).length, 3);
    });

    it('an upload larger than the whole quota is refused with what to do, and takes the room of no other', async () => {
      const { store, saveAt, kept } = await create({ bytes: 1_000, archives: 100 });
      const past = new Date(Date.now() - 40 * 60_000);
      const other = await saveAt(past, chunks(randomBytes(400)));
      const tooLarge = store.save(chunks(randomBytes(1_100)), upTo(2_000, { isNeeded: async () => false }));
      const message = /\.gitignore.* ORG_UPLOAD_QUOTA_BYTES/;
      await assert.rejects(tooLarge, { code: 'UPLOAD_QUOTA_EXCEEDED', message });
      assert.equal((await kept()).length, 1);
      await store.open(other.id).then(readAll);
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
      const recent = await store.save(chunks(randomBytes(5)), upTo(10));
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
