import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { createServer } from 'node:tls';
import { createProber } from '../../../adapters/prober/prober.ts';
import { createTimeShares } from '../../../adapters/prober/time-shares.ts';
import type { MonitorCheck } from '../../../domain/monitors/check-kinds.ts';
import { laneOf } from '../../../domain/monitors/check-lane.ts';
import type { ProbedMonitor, ProbeResult } from '../../../domain/monitors/prober-ports.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { listenTcp } from './listeners.ts';
import { makeSlowChain } from './slow-chain.ts';

/** A handshake takes some 50 ms of the thread: 60 of them in 5 s are over twice the share of an org. */
const CHAIN = 8;
const networks = { allowed: ['127.0.0.0/8'], edgePorts: [], edgeHost: null };
const monitor = (id: string, org: string, check: MonitorCheck): ProbedMonitor => ({
  ...{ id, check, org, intervalSeconds: 5, lastOutcome: 'ok', isOfPlatform: false },
});
const laneOfOrg = (org: string): number => laneOf(monitor('', org, { kind: 'tcp', host: '', port: 1 }));
const orgs = Array.from({ length: 100 }, (_, index) => `org-${index}`);

describe("an org's share of a thread", () => {
  it('is a part of the time that passes, kept for a while, and each org has its own', () => {
    const clock = { nowMs: 0 };
    const shareOf = createTimeShares(() => clock.nowMs);
    const work = (ms: number) => () => {
      clock.nowMs += ms;
    };
    assert.equal(shareOf('mallory').isSpent(), false);
    shareOf('mallory').charge(work(1_500));
    assert.equal(shareOf('mallory').isSpent(), true);
    assert.equal(shareOf('acme').isSpent(), false);
    clock.nowMs += 1_900;
    assert.equal(shareOf('mallory').isSpent(), true);
    clock.nowMs += 200;
    assert.equal(shareOf('mallory').isSpent(), false);
    clock.nowMs += 3_600_000;
    shareOf('mallory').charge(work(1_001));
    assert.equal(shareOf('mallory').isSpent(), true, 'an hour without checks saves up no more than the most');
  });

  it('leaves the thread to the other orgs, whatever its targets show in their handshakes', async () => {
    const server = createServer(makeSlowChain(CHAIN)).on('tlsClientError', () => undefined);
    await once(server.listen(0, '0.0.0.0'), 'listening');
    const { port } = server.address() as AddressInfo;
    await using up = await listenTcp(() => undefined);
    const beside = orgs.find((org) => laneOfOrg(org) === laneOfOrg('mallory')) ?? '';
    const hostile = Array.from({ length: 60 }, (_, index) => {
      const host = `127.0.0.${1 + (index % 5)}`;
      return monitor(`bad_${index}`, 'mallory', { kind: 'tls', host, port, serverName: 'site.example', warnDays: 1 });
    });
    const honest = Array.from({ length: 10 }, (_, index) =>
      monitor(`good_${index}`, beside, { kind: 'tcp', host: '127.0.0.1', port: up.port }),
    );
    const results: ProbeResult[] = [];
    const prober = createProber({ networks, nameServers: [], controls: [] });
    const ignore = (): void => undefined;
    const onResults = (more: readonly ProbeResult[]): void => void results.push(...more);
    const session = prober.open({ onResults, onHeartbeatsDue: ignore, onEnd: ignore }, Date.now() - prober.nowMs());
    session.set([...hostile, ...honest]);
    const of = (ids: string) => results.filter(({ monitorId }) => monitorId.startsWith(ids));
    const refusals = () => of('bad_').filter(({ message }) => message?.includes('share') === true);
    await waitUntil('its share is spent', () => refusals().length > 0);
    await waitUntil('the others were checked twice', () => of('good_').length >= 20);
    assert.deepEqual(new Set(of('good_').map(({ outcome }) => outcome)), new Set(['ok']));
    assert.ok(refusals().every(({ outcome }) => outcome === 'unknown'));
    await prober.close();
    server.close();
  });
});
