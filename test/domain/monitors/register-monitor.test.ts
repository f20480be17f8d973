import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedMonitor, changeMonitor } from '../../../domain/monitors/change-monitor.ts';
import { planReconcile } from '../../../domain/monitors/plan-reconcile.ts';
import { intervalByHand, registerMonitor } from '../../../domain/monitors/register-monitor.ts';
import {
  customDomainOf,
  isByHand,
  manualKey,
  naturalKey,
  type Registration,
} from '../../../domain/monitors/registration.ts';
import { registrationSchema } from '../../../domain/monitors/schema.ts';
import { createMemoryMonitors } from '../../support/in-memory/monitors.ts';

const HOST = 'shop.apps.example.com';

function world() {
  const monitors = createMemoryMonitors();
  let ids = 0;
  const deps = {
    monitors,
    newId: () => `mon_${++ids}`,
    now: () => new Date('2026-11-01T10:00:00Z'),
    isPlatformHost: (host: string) => host.endsWith('.apps.example.com'),
  };
  const register = (body: object) => registerMonitor(deps, registration(body));
  return { monitors, register };
}

function registration(body: object): Registration {
  return registrationSchema.parse({
    ...{ serviceName: 'shop', org: 'acme', environment: 'prod', url: `https://${HOST}/health` },
    ...body,
  });
}

test('the same registration gives the same monitor, from many at once as well', async () => {
  const { register, monitors } = world();
  const all = await Promise.all(Array.from({ length: 8 }, () => register({})));
  assert.equal(new Set(all.map(({ id }) => id)).size, 1);
  assert.equal((await monitors.list({ org: null }, { cursor: null, limit: 9 })).items.length, 1);
  assert.equal((await register({})).revision, all[0]?.revision);
});

test('a changed address, rule or interval changes the monitor, and leaves no second one', async () => {
  const { register, monitors } = world();
  const first = await register({});
  const next = await register({ url: 'https://other.apps.example.com/up', interval: 10, expectStatus: 401 });
  assert.equal(next.id, first.id);
  assert.equal(next.intervalSeconds, 10);
  assert.deepEqual(
    [next.check.kind === 'http' && next.check.url, next.check.kind === 'http' && next.check.expectStatus],
    ['https://other.apps.example.com/up', 401],
  );
  assert.equal((await monitors.list({ org: null }, { cursor: null, limit: 9 })).items.length, 1);
});

test('each custom domain and each environment has a monitor of its own', async () => {
  const { register } = world();
  const ids = await Promise.all([
    register({}),
    register({ url: 'https://shop.com/health' }),
    register({ url: 'https://www.shop.com/health', expectStatus: 308 }),
    register({ environment: 'uat' }),
  ]);
  assert.equal(new Set(ids.map(({ id }) => id)).size, 4);
});

test('a registration without an org leaves the known one, and one with an org sets it', async () => {
  const { register } = world();
  assert.equal((await register({ org: undefined })).org, null);
  assert.equal((await register({ org: 'acme' })).org, 'acme');
  assert.equal((await register({ org: null })).org, 'acme');
});

test('a registration of another org makes a monitor of its own, and archives the one of the org that had the name', async () => {
  const { register, monitors } = world();
  const first = await register({ environment: 'sandbox' });
  const paused = { at: new Date(), by: 'usr_ann' };
  await monitors.replace({ ...first, isPublic: true, paused, revision: first.revision + 1 });
  const [next, again] = await Promise.all([1, 2].map(() => register({ environment: 'sandbox', org: 'rival' })));
  assert.notEqual(next?.id, first.id);
  assert.equal(again?.id, next?.id);
  assert.deepEqual([next?.org, next?.paused, next?.isPublic, next?.archivedAt], ['rival', null, false, null]);
  const old = await monitors.find(first.id);
  assert.deepEqual([old?.org, old?.paused, old?.archivedAt === null], ['acme', paused, false]);
  const known = (await monitors.list({ org: null }, { cursor: null, limit: 9 })).items;
  const now = new Date('2026-11-02T10:00:00Z');
  const plan = planReconcile(known, new Set(['shop/sandbox']), { last: null, now });
  assert.deepEqual([plan.archive, plan.restore], [[], []], 'the service is there, and it is not theirs');
  assert.equal((await register({ environment: 'sandbox' })).org, 'acme');
  assert.equal((await monitors.list({ org: null, archived: false }, { cursor: null, limit: 9 })).items.length, 1);
});

test('in prod the status page shows what is deployed here, and not what an operator registers', async () => {
  const { register } = world();
  assert.equal((await register({})).isPublic, true);
  assert.equal((await register({ serviceName: 'erp', url: 'http://erp.corp/', unmanaged: true })).isPublic, false);
  assert.equal((await register({ environment: 'uat' })).isPublic, false);
});

test('intervals are those of the contract unless one is given', async () => {
  const { register } = world();
  const of = async (body: object) => (await register(body)).intervalSeconds;
  assert.equal(await of({ serviceName: 'a' }), 30);
  assert.equal(await of({ serviceName: 'b', environment: 'uat' }), 60);
  assert.equal(await of({ serviceName: 'c', url: 'https://c.com' }), 60);
  assert.equal(await of({ serviceName: 'd', interval: 3_600 }), 3_600);
  for (const interval of [4, 3_601, 30.5]) assert.throws(() => registration({ interval }), String(interval));
});

test('the interval that a person set stays when the service is deployed again, and what the deploy says else is taken over', async () => {
  const { register, monitors } = world();
  const { id } = await register({ interval: 30 });
  const set = async (asked: number | null) => {
    const next = await changeMonitor(monitors, id, (monitor) =>
      changedMonitor(monitor, intervalByHand(monitor, asked), new Date()),
    );
    return [next?.intervalSeconds, next?.deployedIntervalSeconds ?? null];
  };
  assert.deepEqual(await set(null), [30, null], 'there is nothing to reset');
  assert.deepEqual(await set(300), [300, 30]);
  assert.deepEqual(await set(600), [600, 30]);
  const again = await register({ interval: 20, url: 'https://other.apps.example.com/up' });
  assert.deepEqual(
    [again.intervalSeconds, again.check.kind === 'http' && again.check.url],
    [600, 'https://other.apps.example.com/up'],
  );
  assert.deepEqual(await set(null), [20, null]);
  assert.equal((await register({ interval: 15 })).intervalSeconds, 15);
});

test('of a monitor that a person added, the interval is theirs alone', () => {
  const byHand = { id: 'mon_1', key: manualKey('mon_1'), intervalSeconds: 60 };
  assert.deepEqual(intervalByHand(byHand, 30), { intervalSeconds: 30 });
  assert.deepEqual(intervalByHand(byHand, null), {});
});

test('a service of any name is known from what a person added', () => {
  const prod = { serviceName: 'manual', environment: 'prod', id: 'mon_1' } as const;
  const at = (url: string) => naturalKey({ ...prod, url }, (host) => host === HOST);
  assert.equal(customDomainOf({ ...prod, key: at(`https://${HOST}/`) }), null);
  assert.equal(customDomainOf({ ...prod, key: at('https://Shop.com/health') }), 'shop.com');
  assert.equal(customDomainOf({ ...prod, key: manualKey('mon_1') }), null);
  assert.deepEqual(
    [isByHand({ ...prod, key: at('https://shop.com/') }), isByHand({ ...prod, key: manualKey('mon_1') })],
    [false, true],
  );
});

test('a path is taken where the address has none', async () => {
  const { register } = world();
  const urlOf = async (body: object) => {
    const { check } = await register(body);
    return check.kind === 'http' ? check.url : null;
  };
  assert.equal(await urlOf({ url: `https://${HOST}`, healthEndpoint: '/up' }), `https://${HOST}/up`);
  assert.equal(await urlOf({ url: `https://${HOST}/health`, healthEndpoint: '/up' }), `https://${HOST}/health`);
});

test('a service that is registered again is back with its monitor', async () => {
  const { register, monitors } = world();
  const first = await register({});
  const archivedAt = new Date();
  await monitors.replace({ ...first, archivedAt, revision: first.revision + 1 });
  const back = await register({});
  assert.deepEqual([back.id, back.archivedAt, back.number], [first.id, null, first.number]);
});

test('addresses with a user name, other schemes and hidden characters are refused', () => {
  for (const body of [
    { url: 'https://user:password@shop.com/' },
    { url: 'file:///etc/passwd' },
    { url: 'gopher://shop.com' },
    { expectBodyContains: 'a\u202eb' },
    { expectBodyContains: 'x'.repeat(201) },
    { healthEndpoint: 'up' },
    { expectStatus: 99 },
  ]) {
    assert.throws(() => registration(body), JSON.stringify(body));
  }
});
