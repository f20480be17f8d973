import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PlatformBackup } from '../../domain/platform-backup/backup.ts';
import type { PlatformBackupStore } from '../../domain/platform-backup/ports.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 4, 4, 2, minute));

const record = (id: string, minute: number, changes: Partial<PlatformBackup> = {}): PlatformBackup => ({
  ...{ id: `pbk_${id}`, kind: 'nightly', tier: 'daily', night: null, status: 'running', requestedBy: 'schedule' },
  ...{ startedAt: at(minute), finishedAt: null, sizeBytes: null, problem: null },
  ...changes,
});

const COMPLETED = { status: 'completed', finishedAt: at(30), sizeBytes: 7, problem: null } as const;
const FAILED = {
  status: 'failed',
  finishedAt: at(31),
  sizeBytes: null,
  problem: { code: 'X', message: 'why' },
} as const;

/** What every {@link PlatformBackupStore} guarantees. @param create an empty one for each test */
export function platformBackupStoreSuite(create: () => Promise<PlatformBackupStore>): void {
  describe('PlatformBackupStore', () => {
    it('gives back what was inserted, and keeps the first of an id', async () => {
      const store = await create();
      assert.equal(await store.insert(record('a', 1)), true);
      assert.equal(await store.insert(record('a', 2)), false);
      assert.deepEqual(await store.find('pbk_a'), record('a', 1));
      assert.equal(await store.find('pbk_none'), null);
    });

    it('ends a backup once, whoever of many comes first', async () => {
      const store = await create();
      await store.insert(record('a', 1));
      const ended = await Promise.all([store.finish('pbk_a', COMPLETED), store.finish('pbk_a', COMPLETED)]);
      assert.deepEqual(ended.filter(Boolean), [true]);
      assert.equal(await store.finish('pbk_a', FAILED), false);
      assert.equal(await store.finish('pbk_none', FAILED), false);
      assert.deepEqual(await store.find('pbk_a'), { ...record('a', 1), ...COMPLETED });
    });

    it('lists newest first, page by page, and those that run oldest first', async () => {
      const store = await create();
      for (const [index, id] of ['a', 'b', 'c'].entries()) await store.insert(record(id, index));
      await store.finish('pbk_b', FAILED);
      const first = await store.list({ cursor: null, limit: 2 });
      const rest = await store.list({ cursor: first.nextCursor, limit: 2 });
      const ids = (items: readonly PlatformBackup[]) => items.map(({ id }) => id);
      assert.deepEqual([ids(first.items), ids(rest.items)], [['pbk_c', 'pbk_b'], ['pbk_a']]);
      assert.equal(rest.nextCursor, null);
      assert.deepEqual(ids(await store.listRunning(5)), ['pbk_a', 'pbk_c']);
      assert.deepEqual(ids(await store.listRunning(1)), ['pbk_a']);
    });

    it('knows the last night before another one, and nothing of backups that were asked for', async () => {
      const store = await create();
      await store.insert(record('a', 1, { night: '2026-05-01' }));
      await store.insert(record('b', 2, { night: '2026-05-03' }));
      await store.insert(record('c', 3));
      assert.equal(await store.lastNightBefore('2026-05-04'), '2026-05-03');
      assert.equal(await store.lastNightBefore('2026-05-03'), '2026-05-01');
      assert.equal(await store.lastNightBefore('2026-05-01'), null);
    });
  });
}
