import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchObjectives } from '../../../activities/monitors/watch-objectives.ts';
import { createBurnStore } from '../../../adapters/mongo/monitors/burns.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { Monitor } from '../../../domain/monitors/monitor.ts';
import { createMonitorHistory } from '../../../domain/monitors/read-history.ts';
import type { Notification } from '../../../domain/notifications/notification.ts';
import { createDatabase } from '../../support/in-memory/database/database.ts';
import { createMemoryRollUps } from '../../support/in-memory/monitor-history.ts';
import { createMemoryMonitors } from '../../support/in-memory/monitors.ts';
import { monitorRecord } from '../../support/monitor-records.ts';

const SHARD = 0;
const SLICE_MS = 300_000;
const HOUR_MS = 3_600_000;
const START = Date.parse('2026-11-20T00:00:00Z');
const NEVER = new AbortController().signal;
const OBJECTIVE = { targetPercent: 99.9, windowDays: 30 } as const;

async function world(changes: Partial<Monitor> = {}) {
  const monitors = createMemoryMonitors();
  const monitor = monitorRecord(4, { objective: OBJECTIVE, ...changes });
  await monitors.insert(monitor);
  const rollUps = createMemoryRollUps();
  const burns = createBurnStore({ db: createDatabase().connection.db });
  const clock = { now: START };
  const told: Notification[] = [];
  const outbox = {
    tell: async (notification: Notification) => {
      if (!told.some(({ id }) => id === notification.id)) told.push(notification);
    },
  };
  const history = createMonitorHistory({ rollUps });
  const deps = { ...{ monitors, rollUps, burns, history, outbox }, now: () => new Date(clock.now) };
  /** Lets slices of five minutes go by, as the roll-up makes them, and looks after each. */
  const pass = async (slices: number, isDown = false): Promise<void> => {
    for (let count = 0; count < slices; count += 1) {
      const startsAt = new Date(clock.now);
      const hour = new Date(Math.floor(clock.now / HOUR_MS) * HOUR_MS);
      const [known] = await rollUps.read(monitor.id, '1h', hour, new Date(hour.getTime() + 1));
      const [upMs, downMs] = isDown ? [0, SLICE_MS] : [SLICE_MS, 0];
      const rest = { monitorId: monitor.id, degradedMs: 0, maintenanceMs: 0, checks: 5, failed: 0, latency: [] };
      await rollUps.write([
        { ...rest, length: '5m', startsAt, upMs, downMs },
        {
          ...rest,
          length: '1h',
          startsAt: hour,
          upMs: (known?.upMs ?? 0) + upMs,
          downMs: (known?.downMs ?? 0) + downMs,
        },
      ]);
      clock.now += SLICE_MS;
      await watchObjectives(deps, SHARD, NEVER);
    }
  };
  const change = async (changed: Partial<Monitor>): Promise<void> => {
    const now = await monitors.find(monitor.id);
    assert.ok(now);
    await monitors.replace({ ...now, ...changed, revision: now.revision + 1 });
  };
  return { monitor, deps, burns, told, pass, change, clock };
}

test('an outage that takes the budget is told as it begins, and once that it is over', async () => {
  const { told, pass, monitor } = await world();
  await pass(40);
  assert.equal(told.length, 0);
  await pass(2, true);
  await pass(15);
  // All three alerts began with the outage; each goes on until its own long period is calm.
  assert.deepEqual(
    told.map(({ kind, urgency }) => [kind, urgency]),
    [['objective.burning', 'critical']],
  );
  assert.match(told[0]?.text ?? '', /objective of 99\.9 %.*Left of 43 min in 30 days: 38 min/);
  await pass(900);
  assert.deepEqual(
    told.map(({ kind, org }) => [kind, org]),
    [
      ['objective.burning', 'acme'],
      ['objective.steady', 'acme'],
    ],
  );
  assert.deepEqual(told[1]?.data.monitorId, monitor.id);
  const [began, ended] = told.map(({ at }) => at.toISOString());
  assert.match(told[1]?.text ?? '', new RegExp(`burnt from ${began} to ${ended}\\. Left of`));
  assert.deepEqual([told[0]?.data.since, told[1]?.data.since], [undefined, began]);
});

test('that it is over says from when on it burnt, also where the alert that was told is over before others', async () => {
  const { told, pass, burns, monitor } = await world({ objective: { targetPercent: 99, windowDays: 30 } });
  await pass(900);
  await pass(12, true);
  assert.equal(told[0]?.kind, 'objective.burning');
  await pass(30);
  const began = told[0].at;
  const { active = [], since } = (await burns.find([monitor.id])).get(monitor.id) ?? {};
  assert.ok(active.length > 0 && active.every((each) => each.since > began));
  assert.deepEqual(since, began);
  await pass(1_000);
  const steady = told.at(-1);
  assert.deepEqual([steady?.kind, steady?.data.since], ['objective.steady', began.toISOString()]);
  assert.equal((await burns.find([monitor.id])).get(monitor.id)?.since, undefined);
});

test('what could not be told is told by the next run, and once', async () => {
  const { told, pass, deps, clock } = await world();
  await pass(20);
  const tell = deps.outbox.tell;
  deps.outbox.tell = async () => Promise.reject(new Error('the database is away'));
  await assert.rejects(pass(1, true), /away/);
  deps.outbox.tell = tell;
  const at = new Date(clock.now).toISOString();
  await pass(1);
  await watchObjectives(deps, SHARD, NEVER);
  assert.deepEqual(
    told.map(({ id }) => id),
    [`mon_4/objective/${at}`],
  );
});

test('a monitor that cannot be looked at for good keeps no other org from being told, and its failure is not hidden', async () => {
  const { told, pass, deps } = await world();
  // It comes before the other one.
  const broken = monitorRecord(8, { org: 'rival', objective: OBJECTIVE, updatedAt: new Date(0) });
  await deps.monitors.insert(broken);
  const unreadable = new FairleadError('INTERNAL', 'A stored roll-up has an invalid format');
  const { readRanges } = deps.rollUps;
  deps.rollUps.readRanges = async (id, ranges) =>
    id === broken.id ? Promise.reject(unreadable) : readRanges(id, ranges);
  await assert.rejects(pass(1, true), unreadable);
  assert.deepEqual(
    told.map(({ org }) => org),
    ['acme'],
  );
});

test('while nothing is known of it, as the prober is away, no outage is told as over', async () => {
  const { told, pass, deps, clock } = await world();
  await pass(900);
  await pass(12, true);
  assert.equal(told.length, 1);
  for (let hours = 0; hours < 80; hours += 1) {
    clock.now += HOUR_MS;
    await watchObjectives(deps, SHARD, NEVER);
  }
  assert.equal(told.length, 1);
  await pass(1, true);
  assert.equal(told.length, 1, 'it is the same outage');
  await pass(1_000);
  assert.deepEqual(
    told.map(({ kind }) => kind),
    ['objective.burning', 'objective.steady'],
  );
});

test('of an attempt that broke off behind the telling, the next one tells nothing again', async () => {
  const { told, pass, deps } = await world();
  await pass(20);
  const write = deps.burns.write;
  let writes = 0;
  deps.burns.write = async (state) => {
    writes += 1;
    if (writes === 2) throw new Error('killed');
    return await write(state);
  };
  await assert.rejects(pass(1, true), /killed/);
  deps.burns.write = write;
  await pass(3, true);
  assert.equal(told.length, 1);
});

test('of two who look at once, one tells', async () => {
  const { told, pass, deps } = await world();
  await pass(20);
  deps.outbox.tell = async (notification) => void told.push(notification);
  const look = () => watchObjectives(deps, SHARD, NEVER);
  const { write } = deps.burns;
  // Both have read before either writes.
  const { promise: bothRead, resolve } = Promise.withResolvers<void>();
  let reading = 0;
  const { find } = deps.burns;
  deps.burns.find = async (ids) => {
    const found = await find(ids);
    reading += 1;
    if (reading === 2) resolve();
    await bothRead;
    return found;
  };
  deps.burns.write = write;
  await deps.rollUps.write([
    {
      ...{ monitorId: 'mon_4', length: '5m', startsAt: new Date(deps.now().getTime() - SLICE_MS) },
      ...{ upMs: 0, downMs: SLICE_MS, degradedMs: 0, maintenanceMs: 0, checks: 5, failed: 5, latency: [] },
    },
  ]);
  await Promise.all([look(), look()]);
  assert.equal(told.length, 1);
});

for (const [what, changes] of [
  ['whose objective is taken away', { objective: null }],
  ['that is paused', { paused: { at: new Date(START), by: 'ada' } }],
] as const)
  test(`a monitor ${what} is forgotten, and nothing is told of it`, async () => {
    const { told, pass, change, burns, monitor } = await world();
    await pass(20);
    await pass(1, true);
    assert.equal(told.length, 1);
    await change(changes);
    await pass(1, true);
    assert.deepEqual((await burns.find([monitor.id])).get(monitor.id)?.active, []);
    await pass(3, true);
    assert.equal(told.length, 1);
  });

test('outside prod nobody is woken, and a monitor without an objective is never looked at', async () => {
  const uat = await world({ environment: 'uat' });
  await uat.pass(20);
  await uat.pass(1, true);
  assert.deepEqual(
    uat.told.map(({ urgency }) => urgency),
    [undefined],
  );
  const none = await world({ objective: null });
  await none.pass(5, true);
  assert.deepEqual([none.told, (await none.burns.find([none.monitor.id])).size], [[], 0]);
});
