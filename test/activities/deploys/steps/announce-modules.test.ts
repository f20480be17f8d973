import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { announceModules } from '../../../../activities/deploys/steps/announce-modules.ts';
import { registerRoutes } from '../../../../activities/deploys/steps/register-routes.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { moduleViews } from '../../../../domain/registry/views.ts';
import { catalogRecord, releaseRecord } from '../../../ports/records.ts';
import { useDeploy } from '../use-deploy.ts';

const AWAY = new FairleadError('UNAVAILABLE', 'away', { system: 'registry', retryable: true });
const named = (...names: string[]) => catalogRecord({ modules: names.map((name) => ({ name, title: null })) });

async function useModules() {
  const deploy = await useDeploy({ opened: true });
  const { parts, attempt } = deploy;
  await parts.releases.put(releaseRecord({ id: 'rel_1', service: 'hello', serviceId: 'svc_hello', port: 4000 }));
  return {
    ...deploy,
    announce: (...names: string[]) => announceModules(parts, attempt({ catalog: named(...names) })),
    release: (...names: string[]) => registerRoutes(parts, attempt({ catalog: named(...names), releaseId: 'rel_1' })),
    /** As in `orders`, and `orders?` for one that does not serve. */
    async shown(): Promise<string[]> {
      const entry = await parts.serviceRegistry.stores.entries.find('svc_hello');
      return entry === null ? [] : moduleViews(entry).map(({ name, serving }) => (serving ? name : `${name}?`));
    },
  };
}

describe('modules', () => {
  it('are announced before the release serves, and are those of the service once it does', async () => {
    const { announce, release, shown } = await useModules();
    await announce('orders', 'bills');
    await announce('orders', 'bills');
    assert.deepEqual(await shown(), ['orders?', 'bills?']);
    await release('orders', 'bills');
    assert.deepEqual(await shown(), ['orders', 'bills']);
    await release('orders');
    assert.deepEqual(await shown(), ['orders'], 'what a catalog drops is gone');
  });

  it('catalogs that alternate and never serve leave the modules that serve alone, and pile up nowhere', async () => {
    const { announce, release, shown } = await useModules();
    await release('orders');
    for (let round = 0; round < 300; round += 1) await announce(`m${round}`, 'orders');
    assert.deepEqual(await shown(), ['orders', 'm299?']);
  });

  it('killed between its writes, it is made whole by the next attempt', async () => {
    for (const write of ['declare', 'announceModules'] as const) {
      const { parts, attempt, announce, shown } = await useModules();
      const serviceRegistry = { ...parts.serviceRegistry, [write]: () => Promise.reject(AWAY) };
      const cut = announceModules({ ...parts, serviceRegistry }, attempt({ catalog: named('orders') }));
      await assert.rejects(cut, (error) => error === AWAY);
      await announce('orders');
      assert.deepEqual(await shown(), ['orders?'], write);
    }
  });

  it('a worker without a registry says so, as a failure of the registry', async () => {
    const { parts, attempt } = await useModules();
    const without = announceModules({ ...parts, serviceRegistry: null }, attempt({ catalog: named('orders') }));
    await assert.rejects(without, { code: 'UNAVAILABLE', system: 'registry' });
  });
});
