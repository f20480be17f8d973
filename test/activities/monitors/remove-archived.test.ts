import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_ARCHIVED_BY_HAND, removeArchived } from '../../../activities/monitors/remove-archived.ts';
import { createBurnStore } from '../../../adapters/mongo/monitors/burns.ts';
import { registerMonitor } from '../../../domain/monitors/register-monitor.ts';
import { manualKey, removedKey } from '../../../domain/monitors/registration.ts';
import { createDatabase } from '../../support/in-memory/database/database.ts';
import { createMemoryHeartbeats } from '../../support/in-memory/heartbeats.ts';
import { createMemoryRollUps } from '../../support/in-memory/monitor-history.ts';
import { createMemoryConditions, createMemoryMonitors } from '../../support/in-memory/monitors.ts';
import { monitorRecord } from '../../support/monitor-records.ts';

const NOW = new Date('2026-11-02T10:00:00Z');
const DAY_MS = 86_400_000;
const NEVER = new AbortController().signal;
const daysAgo = (days: number) => new Date(NOW.getTime() - days * DAY_MS);

async function world() {
  const deps = {
    ...{ monitors: createMemoryMonitors(), conditions: createMemoryConditions() },
    ...{
      heartbeats: createMemoryHeartbeats(),
      rollUps: createMemoryRollUps(),
      burns: createBurnStore({ db: createDatabase().connection.db }),
    },
    now: () => NOW,
  };
  const add = async (number: number, archivedAt: Date | null) => {
    const monitor = monitorRecord(number, { archivedAt });
    const startsAt = daysAgo(100);
    const time = { upMs: 1, degradedMs: 0, downMs: 0, maintenanceMs: 0, checks: 1, failed: 0, latency: [] };
    await deps.monitors.insert(monitor);
    await deps.conditions.claim([monitor.id], 1);
    await deps.heartbeats.put(monitor.id, 'done', startsAt);
    await deps.burns.write({ monitorId: monitor.id, active: [], untold: null, revision: 1 });
    await deps.rollUps.write([{ monitorId: monitor.id, length: '1d', startsAt, ...time }]);
    const verdict = { verdict: 'up', since: 0, run: null } as const;
    await deps.rollUps.writeEnds([{ monitorId: monitor.id, hour: startsAt, closing: { verdict, lastAt: 0 } }]);
    return monitor;
  };
  /** What is there of a monitor: itself, its condition, heartbeats, alerts, history and hour ends. */
  const left = async (id: string) => [
    (await deps.monitors.find(id)) === null ? 0 : 1,
    (await deps.conditions.find([id])).size,
    (await deps.heartbeats.find([id])).size,
    (await deps.burns.find([id])).size,
    (await deps.rollUps.read(id, '1d', daysAgo(200), NOW)).length,
    (await deps.rollUps.endsBefore([id], NOW)).size,
  ];
  return { deps, add, left };
}

test('a monitor that was archived 90 days ago is deleted with all that is kept of it, and no other one', async () => {
  const { deps, add, left } = await world();
  const [gone, recent, live] = [await add(1, daysAgo(90)), await add(2, daysAgo(89.9)), await add(3, null)];
  assert.equal(await removeArchived(deps, NEVER), 1);
  assert.deepEqual(await left(gone.id), [0, 0, 0, 0, 0, 0]);
  for (const { id } of [recent, live]) assert.deepEqual(await left(id), [1, 1, 1, 1, 1, 1]);
  assert.equal(await removeArchived(deps, NEVER), 0);
});

test('a removal that breaks off is made again', async () => {
  const { deps, add, left } = await world();
  const { id } = await add(1, daysAgo(91));
  const broken = { ...deps, conditions: { remove: () => Promise.reject(new Error('the database is away')) } };
  await assert.rejects(removeArchived(broken, NEVER), /away/);
  assert.equal(await removeArchived(deps, NEVER), 1);
  assert.deepEqual(await left(id), [0, 0, 0, 0, 0, 0]);
});

test('a monitor that comes back while it would be deleted stays with its history, or is a new one', async () => {
  const { deps, add, left } = await world();
  const { id, serviceName } = await add(1, daysAgo(91));
  let registered = serviceName;
  let made = 0;
  const back = async (monitors = deps.monitors) =>
    registerMonitor(
      { monitors, newId: () => `mon_new_${++made}`, now: () => NOW, isPlatformHost: () => true },
      {
        ...{ serviceName: registered, org: null, namespace: 'n', environment: 'prod', url: 'https://a.example.com/' },
        ...{ healthEndpoint: null, interval: null, unmanaged: false, expectStatus: null, expectBodyContains: null },
      },
    );
  const listed = await deps.monitors.list({ org: null, archived: true }, { cursor: null, limit: 10 });
  await back();
  const stale = { ...deps.monitors, list: async () => listed };
  assert.equal(await removeArchived({ ...deps, monitors: stale }, NEVER), 0);
  assert.equal((await deps.monitors.find(id))?.archivedAt, null);
  assert.deepEqual(await left(id), [1, 1, 1, 1, 1, 1]);

  const other = await add(2, daysAgo(91));
  registered = other.serviceName;
  const rollUps = {
    remove: async (removed: string) => {
      assert.equal((await back()).id, 'mon_new_1');
      await deps.rollUps.remove(removed);
    },
  };
  assert.equal(await removeArchived({ ...deps, rollUps }, NEVER), 1);
  assert.deepEqual(await left(other.id), [0, 0, 0, 0, 0, 0]);
  assert.equal((await deps.monitors.find('mon_new_1'))?.archivedAt, null);

  const third = await add(3, daysAgo(91));
  registered = third.serviceName;
  const find = deps.monitors.findByKey;
  const found = {
    ...deps.monitors,
    findByKey: async (key: string) => {
      const monitor = await find(key);
      await removeArchived({ ...deps, rollUps: { remove: () => Promise.reject(new Error('killed')) } }, NEVER).catch(
        () => undefined,
      );
      return monitor;
    },
  };
  await assert.rejects(back(found), { code: 'CONFLICT', retryable: true });
  assert.equal((await back()).id, 'mon_new_2');
  assert.equal(await removeArchived(deps, NEVER), 1);
});

test('a removal of one of too many that breaks off is made again', async () => {
  const { deps, add, left } = await world();
  const { id } = await add(1, daysAgo(1));
  const kept = await deps.monitors.find(id);
  assert.ok(kept !== null);
  await deps.monitors.replace({ ...kept, key: removedKey(id), revision: kept.revision + 1 });
  assert.equal(await removeArchived(deps, NEVER), 1);
  assert.deepEqual(await left(id), [0, 0, 0, 0, 0, 0]);
});

test('of those that people of an org removed, the newest are kept, so many', async () => {
  const { deps } = await world();
  const count = MOST_ARCHIVED_BY_HAND + 2;
  for (let number = 1; number <= count; number += 1) {
    const id = `mon_${number}`;
    const changes = { id, key: manualKey(id), unmanaged: true, archivedAt: new Date(NOW.getTime() - number) };
    await deps.monitors.insert(monitorRecord(number, changes));
  }
  await deps.monitors.insert(monitorRecord(count + 1, { org: 'globex', archivedAt: daysAgo(80) }));
  assert.equal(await removeArchived(deps, NEVER), 2);
  const left = await Promise.all([count - 2, count - 1, count, count + 1].map((n) => deps.monitors.find(`mon_${n}`)));
  assert.deepEqual(
    left.map((monitor) => monitor !== null),
    [true, false, false, true],
  );
});
