import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reconcileMonitors } from '../../../activities/monitors/reconcile.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { Monitor } from '../../../domain/monitors/monitor.ts';
import { planDomains, planReconcile, type ReconcileRecord } from '../../../domain/monitors/plan-reconcile.ts';
import type { Notification } from '../../../domain/notifications/notification.ts';
import { createMemoryMonitors } from '../../support/in-memory/monitors.ts';
import { monitorRecord } from '../../support/monitor-records.ts';

const NOW = new Date('2026-11-02T10:00:00Z');
const HOUR_MS = 3_600_000;
const NEVER = new AbortController().signal;
const monitors = Array.from({ length: 10 }, (_, index) => monitorRecord(index));
const targetsOf = (numbers: readonly number[]) => new Set(numbers.map((number) => `service-${number}/prod`));
const ALL = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

function plan(numbers: readonly number[], last: ReconcileRecord | null, now = NOW, of = monitors) {
  return planReconcile(of, targetsOf(numbers), { last, now });
}

test('monitors of services that are gone are archived, and those that are back restored', () => {
  const [first, ...others] = monitors;
  assert.ok(first !== undefined);
  const archived = { ...first, archivedAt: NOW };
  const { archive, restore, record } = plan(ALL.slice(0, 9), { count: 10, refusedSince: null }, NOW, [
    archived,
    ...others,
  ]);
  assert.deepEqual([archive, restore], [['mon_9'], ['mon_0']]);
  assert.deepEqual(record, { count: 9, refusedSince: null });
});

test('an unmanaged monitor is left alone, and so is one that was registered just now', () => {
  const unmanaged = monitorRecord(20, { unmanaged: true });
  const fresh = monitorRecord(21, { updatedAt: new Date(NOW.getTime() - HOUR_MS / 2) });
  assert.deepEqual(plan(ALL, null, NOW, [...monitors, unmanaged, fresh]).archive, []);
});

test('a list that is over 20 % emptier archives nothing for a day, and is then followed', () => {
  const atLimit = plan(ALL.slice(0, 8), { count: 10, refusedSince: null });
  assert.deepEqual([atLimit.refused, atLimit.archive], [null, ['mon_8', 'mon_9']]);
  const first = plan(ALL.slice(0, 7), { count: 10, refusedSince: null });
  assert.match(first.refused ?? '', /lists 7 services, after 10/);
  assert.deepEqual(first.archive, []);
  const later = new Date(NOW.getTime() + 23 * HOUR_MS);
  assert.notEqual(plan(ALL.slice(0, 7), first.record, later).refused, null);
  const dayLater = new Date(NOW.getTime() + 24 * HOUR_MS);
  assert.equal(plan(ALL.slice(0, 7), first.record, dayLater).archive.length, 3);
  // A whole list in between ends the doubt.
  assert.equal(plan(ALL, first.record, later).record.refusedSince, null);
});

test('the first list is compared with what is watched: one of another installation archives nothing for a day', () => {
  const first = plan([20, 21, 22], null);
  assert.match(first.refused ?? '', /lacks 10 of 10 services/);
  assert.deepEqual([first.archive, first.record], [[], { count: null, refusedSince: NOW }]);
  const later = (hours: number) => plan([20, 21, 22], first.record, new Date(NOW.getTime() + hours * HOUR_MS));
  assert.deepEqual(later(23).archive, []);
  assert.equal(later(24).archive.length, 10);
  assert.deepEqual(plan(ALL.slice(0, 8), null).archive, ['mon_8', 'mon_9']);
});

test('a list that is as long as before, and of other services, archives nothing', () => {
  const others = plan([20, 21, 22, 23, 24, 25, 26, 27, 28, 29], { count: 10, refusedSince: null });
  assert.deepEqual([others.archive, others.record.count], [[], 10]);
});

test('an empty list archives nothing', () => {
  assert.deepEqual(plan([], null).archive, []);
  assert.deepEqual(plan([], { count: 10, refusedSince: null }).archive, []);
});

test('a list that is emptier by what has no monitor is followed, and nobody is told', () => {
  const { refused, record } = plan(ALL, { count: 20, refusedSince: null });
  assert.deepEqual([refused, record.count], [null, 10]);
});

const shopAt = (number: number, changes: Partial<Monitor> = {}) =>
  monitorRecord(number, { serviceName: 'shop', key: `shop/prod/${number}.example.com`, ...changes });
const namesOf = (numbers: readonly number[]) => new Set(numbers.map((number) => `shop/prod/${number}.example.com`));
const SHOP = new Set(['shop/prod']);

function planNames(numbers: readonly number[], last: ReconcileRecord | null, of: readonly Monitor[], services = SHOP) {
  return planDomains(of, { services, domains: namesOf(numbers) }, { last, now: NOW });
}

test('monitors of custom domains are archived when their name is gone, and restored when it is back', () => {
  const of = ALL.map((number) => shopAt(number, number === 9 ? { archivedAt: NOW } : {}));
  const { archive, restore, record } = planNames([1, 2, 3, 4, 5, 6, 7, 8, 9], { count: 10, refusedSince: null }, of);
  assert.deepEqual([archive, restore, record.count], [['mon_0'], ['mon_9'], 9]);
});

test('names say nothing of other monitors: those of the platform, unmanaged and new ones, and those of services that are gone', () => {
  const of = [
    monitorRecord(1, { serviceName: 'shop', key: 'shop/prod/platform' }),
    monitorRecord(2, { serviceName: 'shop', key: 'manual/mon_2', unmanaged: true }),
    monitorRecord(3, { serviceName: 'blog', key: 'blog/prod/blog.example.com' }),
    monitorRecord(4, { serviceName: 'blog', key: 'blog/prod/www.example.com', archivedAt: NOW }),
    shopAt(5, { unmanaged: true }),
    shopAt(6, { updatedAt: new Date(NOW.getTime() - HOUR_MS / 2) }),
  ];
  const { archive, restore, refused } = planNames([], null, of);
  assert.deepEqual([archive, restore, refused], [[], [], null]);
});

test('a list of names that is over 20 % emptier archives nothing for a day', () => {
  const of = ALL.map((number) => shopAt(number));
  const broken = planNames([0, 1, 2], { count: 10, refusedSince: null }, of);
  assert.match(broken.refused ?? '', /The builder lists 3 custom domains, after 10/);
  assert.deepEqual([broken.archive, planNames([], null, of).archive], [[], []]);
});

test('a service that is back brings no monitor of a name back that it may have lost', () => {
  const of = [
    shopAt(1, { archivedAt: NOW }),
    monitorRecord(2, { serviceName: 'shop', archivedAt: NOW, key: 'shop/prod/platform' }),
  ];
  assert.deepEqual(planReconcile(of, SHOP, { last: null, now: NOW }).restore, ['mon_2']);
});

test('names that cannot be read hold nothing of the services up, and archive nothing', async () => {
  const store = createMemoryMonitors();
  const ofNames = Array.from({ length: 8 }, (_, index) => shopAt(20 + index));
  for (const monitor of [...monitors, ...ofNames]) await store.insert(monitor);
  const names = { read: null as ReadonlySet<string> | null };
  const records = new Map<string, ReconcileRecord>();
  const told: string[] = [];
  const deps = {
    monitors: store,
    targets: { list: async () => new Set([...targetsOf(ALL.slice(1)), 'shop/prod']) },
    domains: {
      async list() {
        if (names.read !== null) return names.read;
        throw new FairleadError('UNAVAILABLE', 'The builder went away on page 2', { retryable: true });
      },
    },
    memory: {
      read: async (list: string) => records.get(list) ?? null,
      write: async (list: string, record: ReconcileRecord) => void records.set(list, record),
    },
    outbox: { tell: async ({ subject }: Notification) => void told.push(subject) },
    now: () => NOW,
  };
  const archived = async () =>
    (await store.list({ org: null, archived: true }, { cursor: null, limit: 50 })).items.map(({ id }) => id);
  await assert.rejects(reconcileMonitors(deps, NEVER), { code: 'UNAVAILABLE' });
  assert.deepEqual(await archived(), ['mon_0']);
  names.read = namesOf([20, 21]);
  assert.match((await reconcileMonitors(deps, NEVER)).problem ?? '', /lacks 6 of 8 custom domains/);
  assert.deepEqual([await archived(), told], [['mon_0'], ['Monitors were not reconciled with the custom domains']]);
  names.read = namesOf([21, 22, 23, 24, 25, 26, 27]);
  assert.equal((await reconcileMonitors(deps, NEVER)).archived, 1);
  assert.deepEqual(await archived(), ['mon_0', 'mon_20']);
});

test('a list that breaks off archives nothing, and a refused one tells the operators once a day', async () => {
  const store = createMemoryMonitors();
  for (const monitor of monitors) await store.insert(monitor);
  const told: Notification[] = [];
  const memory = { record: null as ReconcileRecord | null };
  const list = { numbers: ALL as readonly number[], fault: null as Error | null };
  const deps = {
    monitors: store,
    domains: null,
    targets: {
      async list() {
        if (list.fault !== null) throw list.fault;
        return targetsOf(list.numbers);
      },
    },
    memory: {
      read: async () => memory.record,
      write: async (_list: string, record: ReconcileRecord) => {
        memory.record = record;
      },
    },
    outbox: { tell: async (notification: Notification) => void told.push(notification) },
    now: () => NOW,
  };
  assert.equal((await reconcileMonitors(deps, NEVER)).archived, 0);
  const archived = async () =>
    (await store.list({ org: null, archived: true }, { cursor: null, limit: 50 })).items.length;
  list.fault = new FairleadError('UNAVAILABLE', 'The registry went away on page 2', { retryable: true });
  await assert.rejects(reconcileMonitors(deps, NEVER), { code: 'UNAVAILABLE' });
  assert.equal(await archived(), 0);
  Object.assign(list, { fault: null, numbers: [1] });
  assert.notEqual((await reconcileMonitors(deps, NEVER)).problem, null);
  await reconcileMonitors(deps, NEVER);
  assert.deepEqual([await archived(), new Set(told.map(({ id }) => id)).size, told[0]?.org], [0, 1, null]);
  list.numbers = ALL.slice(1);
  assert.equal((await reconcileMonitors(deps, NEVER)).archived, 1);
  assert.equal(await archived(), 1);
  list.numbers = ALL;
  assert.equal((await reconcileMonitors(deps, NEVER)).returned, 1);
  assert.equal(await archived(), 0);
});
