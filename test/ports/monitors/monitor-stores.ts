import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import { changedMonitor } from '../../../domain/monitors/change-monitor.ts';
import type { Monitor } from '../../../domain/monitors/monitor.ts';
import { SHARDS, shardOf } from '../../../domain/monitors/monitor.ts';
import type { ConditionStore, MonitorStore } from '../../../domain/monitors/ports.ts';
import { monitorRecord, resultOf } from '../../support/monitor-records.ts';

const LATER = new Date('2026-11-01T11:00:00Z');
const unique = (): string => randomBytes(6).toString('hex');
const isConflict = (error: unknown) => error instanceof FairleadError && error.code === 'CONFLICT';

async function add(store: MonitorStore, changes: Partial<Monitor> = {}): Promise<Monitor> {
  const number = await store.nextNumber();
  const id = `mon_${unique()}`;
  const monitor = monitorRecord(number, { id, key: `manual/${id}`, org: `org-${unique()}`, ...changes });
  assert.equal(await store.insert(monitor), true);
  return monitor;
}

/** What every {@link MonitorStore} guarantees. Orgs are new for each test, so one store serves them all. */
export function monitorStoreSuite(store: () => MonitorStore): void {
  describe('MonitorStore', () => {
    it('gives back what was put in, by its id and by its key', async () => {
      const window = { from: LATER, to: new Date(LATER.getTime() + 1), note: 'moving' };
      const formerToken = { tokenHash: 'cd', until: LATER };
      const heartbeat = {
        kind: 'heartbeat',
        tokenHash: 'ab',
        periodSeconds: 60,
        graceSeconds: 5,
        formerToken,
      } as const;
      const rule = { id: 'mnt_1', cron: '0 3 * * sun', timeZone: 'Europe/Berlin', minutes: 60, note: null };
      const recurring = [
        { ...rule, since: LATER, until: null, cut: null },
        { ...rule, id: 'mnt_2', since: LATER, until: LATER, cut: { from: LATER, at: LATER } },
      ];
      const paused = { at: LATER, by: 'usr_ada' };
      const monitor = await add(store(), {
        check: heartbeat,
        maintenance: [window],
        recurring,
        paused,
        archivedAt: LATER,
        resumedAt: LATER,
      });
      assert.deepEqual(await store().find(monitor.id), monitor);
      assert.deepEqual(await store().findByKey(monitor.key), monitor);
      const headers = [
        { name: 'X-Tenant', value: 'acme' },
        { name: 'Authorization', secret: 'token' },
      ];
      const { check } = monitorRecord(0);
      assert.ok(check.kind === 'http');
      const sending = await add(store(), { check: { ...check, headers } });
      assert.deepEqual(await store().find(sending.id), sending);
      assert.equal(await store().find('mon_none'), null);
      assert.equal(await store().findByKey('none'), null);
    });

    it('of many who add one key at once, one does, and numbers are never given twice', async () => {
      const key = unique();
      const numbers = await Promise.all(Array.from({ length: 8 }, () => store().nextNumber()));
      assert.equal(new Set(numbers).size, 8);
      const added = await Promise.all(
        numbers.map((number) => store().insert(monitorRecord(number, { id: `mon_${unique()}`, key }))),
      );
      assert.equal(added.filter((isNew) => isNew).length, 1);
    });

    it('of two who change one version, one does, and the other is told', async () => {
      const monitor = await add(store());
      const changes = [40, 50].map((intervalSeconds) => changedMonitor(monitor, { intervalSeconds }, LATER));
      const ended = await Promise.allSettled(changes.flatMap((next) => (next === null ? [] : [store().replace(next)])));
      const refused = ended.filter((each) => each.status === 'rejected');
      assert.equal(refused.length, 1);
      assert.ok(isConflict(refused[0]?.reason));
    });

    it('forgets a monitor as it was read, and not one that changed meanwhile', async () => {
      const monitor = await add(store());
      const next = changedMonitor(monitor, { intervalSeconds: 40 }, LATER);
      assert.ok(next !== null);
      await store().replace(next);
      assert.equal(await store().remove(monitor), false);
      assert.deepEqual(await store().find(monitor.id), next);
      assert.equal(await store().remove(next), true);
      assert.equal(await store().remove(next), false);
      assert.equal(await store().find(monitor.id), null);
      assert.equal(await store().insert({ ...monitor, id: `mon_${unique()}` }), true, 'its key is free');
    });

    it('lists an org by name, page by page, by what is asked', async () => {
      const org = `org-${unique()}`;
      await add(store(), { org, serviceName: 'b', isPublic: false });
      await add(store(), { org, serviceName: 'a' });
      await add(store(), { org, serviceName: 'c', archivedAt: LATER });
      const names = async (filter: object, cursor: string | null = null) => {
        const page = await store().list({ org, ...filter }, { cursor, limit: 2 });
        return { names: page.items.map(({ serviceName }) => serviceName), next: page.nextCursor };
      };
      const first = await names({});
      assert.deepEqual(first.names, ['a', 'b']);
      assert.deepEqual(await names({}, first.next), { names: ['c'], next: null });
      assert.deepEqual((await names({ archived: false })).names, ['a', 'b']);
      assert.deepEqual((await names({ archived: true })).names, ['c']);
      assert.deepEqual((await names({ publicOnly: true })).names, ['a', 'c']);
      assert.deepEqual((await names({ serviceName: 'c' })).names, ['c']);
    });

    it('lists what of a shard changed since a time, the oldest change first', async () => {
      const older = await add(store());
      const moment = new Date(Date.parse('2030-01-01T00:00:00Z') + Number.parseInt(unique().slice(0, 8), 16));
      const newer = await add(store(), { updatedAt: new Date(moment.getTime() + 1) });
      for (const [since, expected] of [
        [moment, [newer.id]],
        [new Date(moment.getTime() + 2), []],
      ] as const) {
        const page = await store().listShard(shardOf(newer), since, { cursor: null, limit: 200 });
        assert.deepEqual(
          page.items.map(({ id }) => id).filter((id) => id === newer.id || id === older.id),
          expected,
        );
      }
      const other = await store().listShard((shardOf(newer) + 1) % SHARDS, null, { cursor: null, limit: 200 });
      assert.ok(other.items.every(({ id }) => id !== newer.id));
    });
  });
}

/** What every {@link ConditionStore} guarantees. */
export function conditionStoreSuite(store: () => ConditionStore): void {
  describe('ConditionStore', () => {
    it('gives each monitor an empty condition, and back what its holder wrote', async () => {
      const id = `mon_${unique()}`;
      assert.equal((await store().find([id])).size, 0);
      const empty = (await store().claim([id], 1)).get(id);
      assert.ok(empty !== undefined);
      assert.deepEqual([empty.sequence, empty.last, empty.verdict.verdict], [0, null, 'pending']);
      const transition = { sequence: 3, kind: 'down', at: 1, confirmedAt: 2, downSequence: 3, message: 'x' } as const;
      const next = {
        ...empty,
        sequence: 3,
        openDown: 3,
        untold: [transition],
        last: resultOf(id, 1, 'failed'),
        seenAt: 1,
      };
      await store().write([next], 1);
      assert.deepEqual((await store().find([id])).get(id), next);
    });

    it('forgets the condition of a monitor', async () => {
      const [gone, stays] = [`mon_${unique()}`, `mon_${unique()}`];
      await store().claim([gone, stays], 1);
      await store().remove(gone);
      await store().remove(gone);
      assert.deepEqual([...(await store().find([gone, stays])).keys()], [stays]);
    });

    it('refuses every write of a holder once a newer one came, and its claims', async () => {
      const ids = [`mon_${unique()}`, `mon_${unique()}`];
      const claimed = await store().claim(ids, 5);
      await store().claim(ids.slice(0, 1), 6);
      const [first, second] = ids.map((id) => claimed.get(id));
      assert.ok(first !== undefined && second !== undefined);
      await assert.rejects(store().write([{ ...first, sequence: 9 }], 5), isConflict);
      assert.equal((await store().find(ids)).get(first.monitorId)?.sequence, 0);
      await store().write([{ ...second, sequence: 9 }], 5);
      await assert.rejects(store().claim(ids, 5), isConflict);
    });
  });
}
