import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openBuild } from '../../../activities/deploys/open-build.ts';
import { removeService, removeTarget } from '../../../activities/deploys/remove-service.ts';
import type { UptimeMonitor } from '../../../domain/deploys/uptime-monitor.ts';
import type { Workload } from '../../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { clientRecord } from '../../ports/identity/records.ts';
import { buildRecord, buildRequest, releaseRecord } from '../../ports/records.ts';
import { serviceLogLine } from '../../ports/service-logs.ts';
import { readBehind } from '../../support/in-memory/read-behind.ts';
import { createInMemoryServiceLogs } from '../../support/in-memory/service-logs.ts';
import { createInMemoryServiceRegistry } from '../../support/in-memory/service-registry.ts';
import { createInMemoryUptimeMonitor } from '../../support/in-memory/uptime-monitor.ts';
import { NOW, upkeepParts } from './upkeep-parts.ts';

const SHOP = { id: 'svc_shop', name: 'shop' };
const TARGET = { service: 'shop', environment: 'prod' } as const;
const END = { status: 'completed', reason: null, failure: null, supersededBy: null, finishedAt: NOW } as const;

/** A service that serves, and coordinators that remove what they are asked for. */
async function servedShop() {
  const parts = upkeepParts();
  const { deps, workflows } = parts;
  await deps.services.upsert({ ...SHOP, org: 'acme' }, {});
  const build = async (id: string, serviceId: string): Promise<Workload> => {
    await deps.builds.create(buildRecord({ id, service: 'shop', serviceId }));
    await deps.builds.finish(id, END);
    return await parts.startWorkload({ ...TARGET, buildId: id });
  };
  const route = async ({ id, address }: Workload) =>
    deps.edge.route('shop', 'prod', { workloadId: id, address }, await deps.epochs.next(TARGET));
  await deps.releases.put(releaseRecord({ id: 'rel_shop', service: 'shop', serviceId: SHOP.id }));
  await deps.releases.activate('rel_shop', { at: NOW, epoch: await deps.epochs.next(TARGET), buildId: 'bld_shop' });
  await route(await build('bld_shop', SHOP.id));
  workflows.whenRemoving(async (removal) => removeTarget(deps, { ...removal, epoch: await deps.epochs.next(removal) }));
  const left = async () => (await parts.runtime.listAll()).map(({ buildId }) => buildId);
  const routed = () => deps.edge.current('shop', 'prod');
  return { ...parts, build, route, left, routed };
}

describe('removing a service', () => {
  it('removes its workloads, routes, releases and record; a second time changes nothing', async () => {
    const { deps, left, routed } = await servedShop();
    await removeService(deps, SHOP);
    assert.deepEqual([await left(), await routed()], [[], null]);
    assert.equal(await deps.releases.active('shop', 'prod'), null);
    assert.equal(await deps.services.find(SHOP.id), null);
    await removeService(deps, SHOP);
  });

  it('ends its monitors before its workloads are gone, and is removed whatever the uptime monitor says', async () => {
    const { deps, left } = await servedShop();
    const monitor = createInMemoryUptimeMonitor();
    const watch = (serviceName: string) =>
      monitor.register({
        ...{ serviceName, org: 'acme', namespace: `${serviceName}-prod`, environment: 'prod' },
        ...{ url: deps.edge.url(serviceName, 'prod'), healthEndpoint: '/', interval: 30 },
      });
    for (const name of ['shop', 'mail']) await watch(name);
    const running: number[] = [];
    const noting: UptimeMonitor = {
      ...monitor,
      async unregister(known) {
        running.push((await left()).length);
        await monitor.unregister(known);
        throw new FairleadError('UNAVAILABLE', 'The uptime monitor is away', { system: 'monitor', retryable: true });
      },
    };
    await removeService({ ...deps, monitor: noting }, SHOP);
    assert.deepEqual(
      [...monitor.monitors.values()].map(({ serviceName }) => serviceName),
      ['mail'],
    );
    assert.deepEqual(running, [1, 1, 1]);
    assert.equal(await deps.services.find(SHOP.id), null);
  });

  it('removes nothing in an attempt that was paused while another one found a build', async () => {
    const { deps, left } = await servedShop();
    const list: typeof deps.builds.list = async (...asked) => {
      const page = await deps.builds.list(...asked);
      assert.equal(await deps.services.setRemoving(SHOP.id, false), true, 'what the other one does');
      return page;
    };
    const paused = { ...deps, builds: { ...deps.builds, list } };
    await assert.rejects(removeService(paused, SHOP), { code: 'SERVICE_BUSY' });
    assert.deepEqual(await left(), ['bld_shop']);
    assert.equal((await deps.services.find(SHOP.id))?.removingSince, null);
  });

  it('gives its names back before its own name is free, and waits for each', async () => {
    const { deps } = await servedShop();
    const released: string[] = [];
    let isAway = true;
    const customDomains = {
      ...deps.customDomains,
      async release(serviceId: string) {
        if (isAway) throw new FairleadError('UNAVAILABLE', 'still being removed', { retryable: true });
        released.push(serviceId);
      },
    };
    await assert.rejects(removeService({ ...deps, customDomains }, SHOP), { code: 'UNAVAILABLE' });
    assert.ok(await deps.services.find(SHOP.id));
    isAway = false;
    await removeService({ ...deps, customDomains }, SHOP);
    assert.deepEqual([released, await deps.services.find(SHOP.id)], [[SHOP.id], null]);
  });

  it('removes what its workloads printed, and nothing of another service', async () => {
    const { deps } = await servedShop();
    const serviceLogs = createInMemoryServiceLogs();
    const writer = await serviceLogs.takeOver();
    for (const serviceId of [SHOP.id, 'svc_other']) {
      const log = await writer.open({ serviceId, environment: 'prod' });
      await log.append([serviceLogLine('printed')]);
    }
    await removeService({ ...deps, serviceLogs }, SHOP);
    assert.deepEqual(await serviceLogs.serviceIds(), ['svc_other']);
  });

  it('removes the lockfiles of its builds, and none of another service', async () => {
    const { deps } = await servedShop();
    const lockfile = { name: 'yarn.lock', text: '# yarn lockfile v1' };
    for (const [buildId, serviceId] of [
      ['bld_shop', SHOP.id],
      ['bld_other', 'svc_other'],
    ] as const) {
      await deps.builds.keepLockfile({ buildId, serviceId }, lockfile);
    }
    await removeService(deps, SHOP);
    assert.equal(await deps.builds.lockfileOf('bld_shop'), null);
    assert.deepEqual(await deps.builds.lockfileOf('bld_other'), lockfile);
  });

  it('removes what the service registry has of it before its record; while the registry is away the record stays', async () => {
    const { deps } = await servedShop();
    const registry = createInMemoryServiceRegistry({ now: () => NOW });
    const entry = () => registry.stores.entries.find(SHOP.id);
    await registry.declare({ ...SHOP, org: 'acme', serviceSince: NOW });
    for (const environment of ['prod', 'sandbox', 'uat', 'dev'] as const) {
      const binding = { kind: 'queue', name: 'mail', port: 1, path: '/', cron: null } as const;
      await registry.putBinding({ serviceId: SHOP.id, environment, epoch: 1 }, binding);
    }
    const away = new FairleadError('UNAVAILABLE', 'away', { system: 'registry', retryable: true });
    const refusing = { ...registry, removeService: () => Promise.reject(away) };
    await assert.rejects(removeService({ ...deps, serviceRegistry: refusing }, SHOP), (error) => error === away);
    assert.notEqual(await deps.services.find(SHOP.id), null);
    assert.equal((await entry())?.removedAt, null);
    await removeService({ ...deps, serviceRegistry: registry }, SHOP);
    assert.equal(await deps.services.find(SHOP.id), null);
    const left = await entry();
    assert.deepEqual([left?.environments, left?.removedAt], [{}, NOW]);
  });

  it('takes what was granted of it from every client, so that the next owner of its name finds nothing granted', async () => {
    const { deps, clientStore } = await servedShop();
    await clientStore.insert(
      clientRecord({ clientId: 'desk-prod', allowedScopes: ['openid', 'shop:admin', 'shopper:x'] }),
    );
    await removeService(deps, SHOP);
    assert.deepEqual((await clientStore.find('desk-prod'))?.allowedScopes, ['openid', 'shopper:x']);
  });

  it('removes the client of a killed deploy that stored no secret, and none of somebody else', async () => {
    const { deps, clientStore } = await servedShop();
    const of = (clientId: string, fields: object) => clientStore.insert(clientRecord({ clientId, ...fields }));
    await of('shop-uat', { orgSlug: 'acme', service: 'shop', environment: 'uat' });
    await of('shop-prod', { orgSlug: 'rival', service: 'shop', environment: 'prod' });
    await of('shop-sandbox', { orgSlug: 'acme', service: null });
    await removeService(deps, SHOP);
    const left = await clientStore.list({ orgSlug: null, clientIds: [] }, { cursor: null, limit: 10 });
    assert.deepEqual(
      left.items.map(({ clientId }) => clientId),
      ['shop-prod', 'shop-sandbox'],
    );
  });

  it('removes a client that the database does not show yet while it fails over', async () => {
    const { deps, clientStore } = await servedShop();
    const services = await readBehind(deps.services, [SHOP.id]);
    await clientStore.insert(clientRecord({ clientId: 'shop-prod' }));
    const secret = { keyId: '00000000', sealed: 'x' };
    await deps.services.setOAuthCredential(SHOP.id, 'prod', { clientId: 'shop-prod', secret });
    await removeService({ ...deps, services }, SHOP);
    assert.equal(await clientStore.find('shop-prod'), null);
  });

  it('killed anywhere, it keeps the name until the next attempt has removed all', async () => {
    for (let kill = 1; ; kill += 1) {
      const { deps, left, routed } = await servedShop();
      let calls = 0;
      const dying = <T extends object>(port: T): T =>
        new Proxy(port, {
          get:
            (target, name) =>
            (...args: unknown[]) => {
              calls += 1;
              if (calls === kill) return Promise.reject(new Error('killed'));
              return (target as Record<string | symbol, (...args: unknown[]) => unknown>)[name]?.(...args);
            },
        });
      const { services, builds, workflows, releases, clients } = deps;
      const attempt = removeService(
        {
          ...deps,
          services: dying(services),
          builds: dying(builds),
          workflows: dying(workflows),
          releases: dying(releases),
          clients: clients && dying(clients),
        },
        SHOP,
      );
      const wasKilled = await attempt.then(
        () => false,
        () => true,
      );
      if (!wasKilled) return assert.ok(kill > 5);
      const taken = deps.services.upsert({ id: 'svc_other', name: 'shop', org: 'globex' }, {});
      await assert.rejects(taken, { code: 'SERVICE_OWNER_MISMATCH' }, `killed at call ${kill}`);
      await removeService(deps, SHOP);
      assert.deepEqual([await left(), await routed()], [[], null], `killed at call ${kill}`);
      assert.equal(await deps.services.find(SHOP.id), null);
    }
  });

  it('opens no build of a service that is being removed, or is gone', async () => {
    const { deps, workflows } = await servedShop();
    const request = () => buildRequest({ serviceId: SHOP.id, service: 'shop' });
    const refused = { code: 'SERVICE_NOT_FOUND' };
    const before = request();
    await openBuild(deps, before);
    await deps.builds.finish(before.buildId, END);
    workflows.whenRemoving(async () => {
      await assert.rejects(openBuild(deps, request()), refused);
      await openBuild(deps, before);
    });
    await removeService(deps, SHOP);
    await assert.rejects(openBuild(deps, request()), refused);
  });

  it('is refused while a build is open, and the service goes on as before', async () => {
    const { deps, left } = await servedShop();
    await deps.builds.create(buildRecord({ id: 'bld_open', service: 'shop', serviceId: SHOP.id }));
    await assert.rejects(removeService(deps, SHOP), { code: 'SERVICE_BUSY' });
    assert.equal((await deps.services.find(SHOP.id))?.removingSince, null);
    assert.deepEqual(await left(), ['bld_shop']);
  });

  it('an attempt that was paused touches nothing of another org’s service of that name', async () => {
    const { deps, build, route, left, routed } = await servedShop();
    const paused = { ...TARGET, serviceId: SHOP.id, epoch: await deps.epochs.next(TARGET) };
    await removeService(deps, SHOP);
    await deps.services.upsert({ id: 'svc_other', name: 'shop', org: 'globex' }, {});
    const other = await build('bld_other', 'svc_other');
    await deps.releases.put(
      releaseRecord({ id: 'rel_other', service: 'shop', serviceId: 'svc_other', activatedAt: NOW }),
    );
    await route(other);
    await assert.rejects(removeTarget(deps, paused), { code: 'CONFLICT' });
    await removeService(deps, SHOP);
    assert.deepEqual([await left(), (await routed())?.workloadId], [['bld_other'], other.id]);
    assert.equal((await deps.releases.active('shop', 'prod'))?.id, 'rel_other');
  });

  it('a target that cannot be removed keeps the record, and with it the name', async () => {
    const { deps, workflows } = await servedShop();
    workflows.whenRemoving(() => Promise.reject(new FairleadError('UNAVAILABLE', 'no worker answers')));
    await assert.rejects(removeService(deps, SHOP), /no worker answers/);
    assert.notEqual((await deps.services.find(SHOP.id))?.removingSince ?? null, null);
  });
});
