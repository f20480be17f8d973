import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createProber } from '../../../adapters/prober/prober.ts';
import type { MonitorCheck } from '../../../domain/monitors/check-kinds.ts';
import type { ProbedMonitor, ProbeListener, ProbeResult } from '../../../domain/monitors/prober-ports.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { listenHttp, listenTcp } from './listeners.ts';

const prober = createProber({
  networks: { allowed: ['127.0.0.0/8'], edgePorts: [], edgeHost: null },
  nameServers: [],
  controls: [],
});
after(() => prober.close());

/** What was said to the thread by then, it has heard. */
const SETTLED_MS = 200;
const AHEAD_MS = Date.now() - prober.nowMs();
const tcp = (port: number): MonitorCheck => ({ kind: 'tcp', host: '127.0.0.1', port });
const monitor = (id: string, check: MonitorCheck, changes: Partial<ProbedMonitor> = {}): ProbedMonitor => ({
  ...{ id, check, intervalSeconds: 5, lastOutcome: null, org: 'acme', isOfPlatform: false },
  ...changes,
});

function listening() {
  const results: ProbeResult[] = [];
  const due: { readonly monitorId: string; readonly beganMs: number }[] = [];
  const ends: Error[] = [];
  const listener: ProbeListener = {
    onResults: (more) => results.push(...more),
    onHeartbeatsDue: (more) => due.push(...more),
    onEnd: (error) => ends.push(error),
  };
  return { results, due, ends, listener };
}

describe('the prober', () => {
  it('checks a new monitor at once and gives its result, confirms a failure after five seconds, and stops with the session', async () => {
    await using up = await listenTcp(() => undefined);
    const down = await listenTcp(() => undefined);
    await down[Symbol.asyncDispose]();
    const { results, listener } = listening();
    const session = prober.open(listener, AHEAD_MS);
    const beganMs = prober.nowMs();
    session.set([monitor('up', tcp(up.port), { intervalSeconds: 3_600 })]);
    session.set([monitor('down', tcp(down.port), { intervalSeconds: 3_600 })]);
    await waitUntil('both are checked, one twice', () => results.length >= 3);
    const [first, second, third] = results;
    assert.deepEqual(new Set([first?.monitorId, second?.monitorId]), new Set(['up', 'down']));
    assert.deepEqual([third?.monitorId, third?.outcome, third?.problem], ['down', 'failed', 'refused']);
    const failedMs = results.find(({ monitorId }) => monitorId === 'down')?.beganMs ?? 0;
    assert.ok((first?.beganMs ?? 0) >= beganMs);
    const waitedMs = (third?.beganMs ?? 0) - failedMs;
    assert.ok(waitedMs >= 5_000 && waitedMs < 8_000, `confirmed after ${waitedMs} ms`);
    session.close();
  });

  it('leaves heartbeats to the session, and goes on once they are settled', async () => {
    const { due, results, listener } = listening();
    const session = prober.open(listener, AHEAD_MS);
    const check = { kind: 'heartbeat', tokenHash: '', periodSeconds: 60, graceSeconds: 1 } as const;
    session.set([monitor('job', check)]);
    await waitUntil('it is due', () => due.length === 1);
    session.settle([{ monitorId: 'job', outcome: 'ok' }]);
    await waitUntil('it is due again', () => due.length === 2);
    assert.deepEqual(results, []);
    session.close();
  });

  for (const [how, isClosedFirst] of [
    ['was closed before it settled them', true],
    ['has not settled them yet', false],
  ] as const) {
    it(`heartbeats go on with another session while the one that was asked ${how}`, async () => {
      const [older, newer] = [listening(), listening()];
      const check = { kind: 'heartbeat', tokenHash: '', periodSeconds: 60, graceSeconds: 1 } as const;
      const id = `job-${isClosedFirst}`;
      const first = prober.open(older.listener, AHEAD_MS);
      first.set([monitor(id, check, { intervalSeconds: 1 })]);
      await waitUntil('the first is asked', () => older.due.length === 1);
      const second = prober.open(newer.listener, AHEAD_MS);
      if (isClosedFirst) first.close();
      second.set([monitor(id, check, { intervalSeconds: 1, lastOutcome: 'ok' })]);
      await waitUntil('the second is asked', () => newer.due.length >= 1);
      first.close();
      second.close();
    });
  }

  it('of two sessions that name a monitor the newer alone gets its results, also once the older is closed', async () => {
    await using server = await listenTcp(() => undefined);
    const [older, newer] = [listening(), listening()];
    const first = prober.open(older.listener, AHEAD_MS);
    first.set([monitor('a', tcp(server.port))]);
    await waitUntil('the first has a result', () => older.results.length > 0);
    const second = prober.open(newer.listener, AHEAD_MS);
    second.set([monitor('a', tcp(server.port))]);
    first.remove(['a']);
    first.close();
    const before = older.results.length;
    await waitUntil('the second has a result', () => newer.results.length > 0);
    assert.equal(older.results.length, before);
    second.close();
  });

  it('a monitor that is removed is checked no more', async () => {
    await using server = await listenTcp(() => undefined);
    const { results, listener } = listening();
    const session = prober.open(listener, AHEAD_MS);
    session.set([monitor('gone', tcp(server.port)), monitor('stays', tcp(server.port))]);
    await waitUntil('both are checked', () => results.length >= 2);
    session.remove(['gone']);
    const removedMs = prober.nowMs() + SETTLED_MS;
    const later = () => results.filter(({ beganMs }) => beganMs > removedMs).map(({ monitorId }) => monitorId);
    await waitUntil('the other is checked again', () => later().length >= 2);
    assert.ok(later().every((id) => id === 'stays'));
    session.close();
  });

  it('is on time while the other threads are busy, and says how late checks were', async () => {
    await using server = await listenHttp((_request, response) => response.end());
    const { results, listener } = listening();
    const session = prober.open(listener, AHEAD_MS);
    const http = { expectStatus: null, expectBodyContains: null, json: null, latencyBudgetMs: null } as const;
    const url = `http://127.0.0.1:${server.port}/`;
    session.set(
      Array.from({ length: 10 }, (_, index) =>
        monitor(`m${index}`, { kind: 'http', url, method: 'GET', ...http }, { lastOutcome: 'ok' }),
      ),
    );
    const end = performance.now() + 2_000;
    while (performance.now() < end);
    await waitUntil('all are checked', () => results.length >= 10);
    const { checks, lateness } = await prober.status();
    assert.ok(checks >= 10);
    assert.ok((lateness?.p99Ms ?? Number.NaN) >= 0);
    session.close();
  });
});

describe('a network that the operator opened to one org', () => {
  it('is reached by the monitors of that org, and by no others', async () => {
    await using server = await listenTcp(() => undefined);
    const own = createProber({
      networks: { allowed: [], edgePorts: [], edgeHost: null },
      allowedOfOrgs: new Map([['acme', ['127.0.0.0/8']]]),
      ...{ nameServers: [], controls: [] },
    });
    const { results, listener } = listening();
    own
      .open(listener, AHEAD_MS)
      .set(
        ['acme', 'other', null].map((org) => monitor(String(org), tcp(server.port), { org, intervalSeconds: 3_600 })),
      );
    await waitUntil('all are checked', () => results.length >= 3);
    const found = Object.fromEntries(results.map(({ monitorId, outcome }) => [monitorId, outcome]));
    assert.deepEqual(found, { acme: 'ok', other: 'unknown', null: 'unknown' });
    await own.close();
  });
});

describe('a monitor that moves to another thread', () => {
  it('is checked there alone, for the session that named it last', async () => {
    await using server = await listenTcp(() => undefined);
    const [older, newer] = [listening(), listening()];
    const first = prober.open(older.listener, AHEAD_MS);
    first.set([monitor('moves', tcp(server.port))]);
    await waitUntil('it is checked', () => older.results.length > 0);
    const second = prober.open(newer.listener, AHEAD_MS);
    second.set([monitor('moves', tcp(server.port), { isOfPlatform: true })]);
    const before = older.results.length;
    await waitUntil('it is checked there', () => newer.results.length >= 2);
    assert.equal(older.results.length, before);
    first.close();
    second.set([monitor('moves', tcp(server.port))]);
    const moved = newer.results.length;
    await waitUntil('it is checked where it was', () => newer.results.length > moved);
    second.close();
  });
});

describe('the control targets', () => {
  it('are asked all at once, and those that answer are counted', async () => {
    await using up = await listenTcp(() => undefined);
    const down = await listenTcp(() => undefined);
    await down[Symbol.asyncDispose]();
    const controls = [up.port, down.port].map((port) => ({ host: '127.0.0.1', port }));
    // The operator named them: they need not be in the networks that monitors may look at.
    const own = createProber({ networks: { allowed: [], edgePorts: [], edgeHost: null }, nameServers: [], controls });
    assert.deepEqual(await own.askControls(), { controls: 2, answering: 1 });
    await own.close();
  });
});

describe('a prober that is closed', () => {
  it('tells its sessions and whoever waits, and starts anew with the next session', async () => {
    const own = createProber({
      networks: { allowed: ['127.0.0.0/8'], edgePorts: [], edgeHost: null },
      nameServers: [],
      controls: [{ host: '127.0.0.1', port: 1 }],
    });
    await using server = await listenTcp(() => undefined);
    const { ends, listener } = listening();
    own.open(listener, AHEAD_MS);
    const waiting = assert.rejects(own.askControls(), { code: 'UNAVAILABLE', retryable: true });
    await own.close();
    await waiting;
    assert.equal(ends.length, 1);
    const again = listening();
    own.open(again.listener, AHEAD_MS).set([monitor('a', tcp(server.port))]);
    await waitUntil('it checks again', () => again.results.length > 0);
    await own.close();
  });
});
