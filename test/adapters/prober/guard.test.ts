import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProbeGuard } from '../../../adapters/prober/probe-guard.ts';
import { runCheck } from '../../../adapters/prober/run-check.ts';
import type { MonitorCheck } from '../../../domain/monitors/check-kinds.ts';
import { FORMS_IN_IPV6, FORMS_OF_HOST, INNER_IPV4, INNER_IPV6, octetsOf } from '../http-fetch/address-forms.ts';
import { listenTcp } from './listeners.ts';

const inner = async () => [{ address: '93.184.215.14' }, { address: '10.0.0.1' }];
const NONE = { allowed: [], edgePorts: [], edgeHost: null };
type Active = Exclude<MonitorCheck, { readonly kind: 'heartbeat' }>;

/** Every kind of check that connects, pointed at a host. */
function checksOf(host: string, port: number): readonly Active[] {
  const http = { expectStatus: null, expectBodyContains: null, json: null, latencyBudgetMs: null } as const;
  return [
    { kind: 'http', url: `http://${host}:${port}/`, method: 'GET', ...http },
    { kind: 'http', url: `https://${host}:${port}/`, method: 'GET', ...http },
    { kind: 'websocket', url: `ws://${host}:${port}/` },
    { kind: 'websocket', url: `wss://${host}:${port}/` },
    { kind: 'tcp', host, port },
    { kind: 'tls', host, port, serverName: host, warnDays: 0 },
    { kind: 'postgres', host, port },
    { kind: 'mongodb', host, port },
  ];
}

describe('an address that is not public', () => {
  it('is reached by no kind of check, as a literal or by a name of which one address is inner', async () => {
    await using server = await listenTcp(() => undefined);
    const guard = createProbeGuard({ networks: NONE, lookup: inner });
    for (const host of ['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', 'inner.example']) {
      for (const check of checksOf(host, server.port)) {
        const { outcome, problem } = await runCheck(check, { guard, nameServers: [] });
        // Nobody looked: whether it is up, the prober cannot say.
        assert.deepEqual([outcome, problem], ['unknown', 'blocked-address'], `${check.kind} at ${host}`);
      }
    }
    assert.equal(server.connections(), 0);
  });

  it('is refused in every form that an address of a URL may have', async () => {
    const guard = createProbeGuard({ networks: NONE, lookup: inner });
    const hosts = [
      ...INNER_IPV4.flatMap((address) => FORMS_OF_HOST.map(([, write]) => write(octetsOf(address)))),
      ...INNER_IPV4.flatMap((address) => FORMS_IN_IPV6.map(([, write]) => `[${write(octetsOf(address))}]`)),
      ...INNER_IPV6.map((address) => `[${address}]`),
    ];
    for (const host of hosts) {
      const url = URL.parse(`http://${host}/`);
      if (url === null) continue;
      await assert.rejects(guard.addressesOf(url.hostname, 80), { code: 'SOURCE_REFUSED' }, host);
    }
  });

  it('is reached in a network of the operator, and beside it not', async () => {
    const guard = createProbeGuard({
      networks: { allowed: ['10.1.0.0/16', 'fd00::/8'], edgePorts: [], edgeHost: null },
      lookup: inner,
    });
    assert.deepEqual(await guard.addressesOf('10.1.2.3', 5432), ['10.1.2.3']);
    assert.deepEqual(await guard.addressesOf('[fd00::1]', 5432), ['fd00::1']);
    for (const host of ['10.2.0.1', '127.0.0.1', '[fe80::1]', '169.254.169.254']) {
      await assert.rejects(guard.addressesOf(host, 5432), { code: 'SOURCE_REFUSED' });
    }
  });

  it("is reached on the ports of the platform's own router, and of the loopback alone", async () => {
    const guard = createProbeGuard({ networks: { allowed: [], edgePorts: [8000], edgeHost: null }, lookup: inner });
    assert.deepEqual(await guard.addressesOf('127.0.0.1', 8000), ['127.0.0.1']);
    await assert.rejects(guard.addressesOf('127.0.0.1', 8001), { code: 'SOURCE_REFUSED' });
    await assert.rejects(guard.addressesOf('10.0.0.1', 8000), { code: 'SOURCE_REFUSED' });
    await assert.rejects(guard.addressesOf('169.254.169.254', 8000), { code: 'SOURCE_REFUSED' });
  });

  it("is reached where requests to the platform come in, by the platform's own name and by another", async () => {
    const edge = { 'shop.platform.example': '10.0.0.80', 'shop.example': '10.0.0.80', 'edge.example': '10.0.0.80' };
    const names: Readonly<Record<string, string>> = { ...edge, 'inner.platform.example': '10.0.0.81' };
    const lookup = async (name: string) => [{ address: names[name] ?? '10.9.9.9' }];
    for (const edgeHost of ['edge.example', '10.0.0.80', '::ffff:10.0.0.80']) {
      const guard = createProbeGuard({ networks: { ...NONE, edgePorts: [8000], edgeHost }, lookup });
      for (const host of Object.keys(edge)) {
        for (const port of [80, 443, 8000]) assert.deepEqual(await guard.addressesOf(host, port), ['10.0.0.80']);
        await assert.rejects(guard.addressesOf(host, 5432), { code: 'SOURCE_REFUSED' });
      }
      await assert.rejects(guard.addressesOf('inner.platform.example', 443), { code: 'SOURCE_REFUSED' });
    }
  });

  it('is no place where requests to the platform come in when it is of the machine itself, or is not found', async () => {
    for (const address of ['127.0.0.1', '169.254.169.254', '0.0.0.0', '::1', 'fe80::1']) {
      const guard = createProbeGuard({
        networks: { ...NONE, edgeHost: 'edge.example' },
        lookup: async () => [{ address }],
      });
      await assert.rejects(guard.addressesOf('shop.example', 443), { code: 'SOURCE_REFUSED' });
    }
    const lookup = async (name: string) => {
      if (name === 'edge.example') throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
      return [{ address: name === 'public.example' ? '93.184.215.14' : '10.0.0.80' }];
    };
    const guard = createProbeGuard({ networks: { ...NONE, edgeHost: 'edge.example' }, lookup, isOwn: () => false });
    await assert.rejects(guard.addressesOf('shop.example', 443), { code: 'SOURCE_REFUSED' });
    assert.deepEqual(await guard.addressesOf('public.example', 5432), ['93.184.215.14']);
  });

  it("is reached at this machine's own public address, and at that of the router, on the router's ports alone", async () => {
    const names: Readonly<Record<string, string>> = {
      'edge.example': '93.184.215.80',
      'shop.example': '93.184.215.80',
    };
    const lookup = async (name: string) => [{ address: names[name] ?? '93.184.215.14' }];
    const isOwn = (address: string): boolean => address === '93.184.215.14';
    const networks = { ...NONE, edgePorts: [8000], edgeHost: 'edge.example' };
    const guard = createProbeGuard({ networks, lookup, isOwn });
    for (const host of ['own.example', '93.184.215.14', 'shop.example', '93.184.215.80']) {
      for (const port of [80, 443, 8000]) assert.equal((await guard.addressesOf(host, port)).length, 1);
      for (const port of [22, 5432, 8080]) {
        await assert.rejects(guard.addressesOf(host, port), { code: 'SOURCE_REFUSED' }, `${host}:${port}`);
      }
    }
    assert.deepEqual(await guard.addressesOf('93.184.215.15', 5432), ['93.184.215.15']);
    const listed = { ...networks, allowed: ['93.184.215.14/32', '93.184.215.80/32'] };
    const open = createProbeGuard({ networks: listed, lookup, isOwn });
    assert.deepEqual(await open.addressesOf('own.example', 5432), ['93.184.215.14']);
    assert.deepEqual(await open.addressesOf('shop.example', 5432), ['93.184.215.80']);
  });

  it('a name that is bound again after it was looked at leads nowhere else', async () => {
    await using server = await listenTcp(() => undefined);
    let looked = 0;
    const rebound = async () => {
      looked += 1;
      return [{ address: looked === 1 ? '192.0.2.1' : '127.0.0.1' }];
    };
    const guard = createProbeGuard({
      networks: { allowed: ['192.0.2.0/24'], edgePorts: [], edgeHost: null },
      lookup: rebound,
    });
    const check = { kind: 'tcp', host: 'rebound.example', port: server.port } as const;
    const { outcome } = await runCheck(check, { guard, nameServers: [] }, 200);
    assert.deepEqual([outcome, looked, server.connections()], ['failed', 1, 0]);
  });
});
