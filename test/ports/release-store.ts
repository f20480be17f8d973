import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReleaseStore } from '../../domain/deploys/release-store.ts';
import { eachItem } from '../../domain/each-item.ts';
import { targetKey } from '../../domain/ids.ts';
import { releaseRecord } from './records.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

/** An activation in an epoch, at the moment of that number. */
const activation = (epoch: number) => ({ at: at(epoch), epoch, buildId: `bld_${epoch}` });

/** What every {@link ReleaseStore} guarantees. */
export function releaseStoreSuite(store: () => ReleaseStore): void {
  describe('ReleaseStore', () => {
    it('the release activated last is the active one, also after a rollback', async () => {
      for (const id of ['rel_1', 'rel_2', 'rel_3']) await store().put(releaseRecord({ id, service: 'roll' }));
      assert.equal(await store().active('roll', 'prod'), null);
      await store().activate('rel_1', activation(1));
      await store().activate('rel_2', activation(2));
      assert.equal((await store().active('roll', 'prod'))?.id, 'rel_2');
      await store().activate('rel_1', activation(3));
      await store().activate('rel_1', activation(1));
      assert.equal((await store().active('roll', 'prod'))?.id, 'rel_1');
      const first = await store().list('roll', 'prod', { cursor: null, limit: 1 });
      const second = await store().list('roll', 'prod', { cursor: first.nextCursor, limit: 1 });
      assert.deepEqual(
        [...first.items, ...second.items].map((release) => release.id),
        ['rel_1', 'rel_2'],
      );
      assert.equal(second.nextCursor, null, 'never activated releases are left out');
    });

    it('keeps which services it calls, and whether their ids were known', async () => {
      const shop = { service: 'shop', url: 'http://shop.prod.internal:7600', variable: 'SHOP_URL' };
      const dependencies = [{ ...shop, serviceId: 'svc_shop' }, shop];
      await store().put(releaseRecord({ id: 'rel_d1', service: 'calls', dependencies }));
      assert.deepEqual((await store().find('rel_d1'))?.dependencies, dependencies);
    });

    it('remembers where a service turned out to answer', async () => {
      await store().put(releaseRecord({ id: 'rel_h1', service: 'answers' }));
      await store().setHealthEndpoint('rel_h1', '/');
      await store().setHealthEndpoint('rel_gone', '/');
      assert.equal((await store().find('rel_h1'))?.healthEndpoint, '/');
      assert.equal(await store().find('rel_gone'), null);
    });

    it('lists every release once, also those that never served, and replaces a sealed value by what it was made of', async () => {
      const sealed = (sealed: string) => ({ keyId: '00000000', sealed });
      for (const id of ['rel_s3', 'rel_s1', 'rel_s2']) {
        await store().put(releaseRecord({ id, service: 'sealed', secrets: { S: sealed('old') } }));
      }
      const seen: string[] = [];
      for await (const { id } of eachItem((page) => store().listAll({ ...page, limit: 2 }))) seen.push(id);
      assert.deepEqual(
        seen.filter((id) => id.startsWith('rel_s')),
        ['rel_s1', 'rel_s2', 'rel_s3'],
      );
      assert.equal(new Set(seen).size, seen.length);
      const replace = (id: string, from: string) =>
        store().replaceSecret(id, 'S', { from: sealed(from), to: sealed('new') });
      assert.deepEqual(
        [await replace('rel_s1', 'old'), await replace('rel_s2', 'other'), await replace('rel_gone', 'old')],
        [true, false, false],
      );
      assert.deepEqual((await store().find('rel_s1'))?.secrets, { S: sealed('new') });
      assert.deepEqual((await store().find('rel_s2'))?.secrets, { S: sealed('old') });
    });

    it('remembers where a service was found to listen', async () => {
      await store().put(releaseRecord({ id: 'rel_p1', service: 'listens' }));
      const found = { port: 8080, portRule: 'found', onLoopback: true } as const;
      await store().setListener('rel_p1', found);
      await store().setListener('rel_gone', found);
      const release = await store().find('rel_p1');
      assert.deepEqual([release?.port, release?.portRule, release?.onLoopback], [8080, 'found', true]);
      assert.equal(await store().find('rel_gone'), null);
    });

    it('remembers the folders that a service was found to make', async () => {
      await store().put(releaseRecord({ id: 'rel_f1', service: 'makes' }));
      for (const folder of ['/data', 'logs', '/data']) await store().addFoundFolder('rel_f1', folder);
      await store().addFoundFolder('rel_gone', '/data');
      assert.deepEqual((await store().find('rel_f1'))?.foundFolders, ['/data', 'logs']);
      assert.equal(await store().find('rel_gone'), null);
    });

    it('the newest epoch decides, whatever the clocks of the workers said', async () => {
      for (const id of ['rel_e1', 'rel_e2']) await store().put(releaseRecord({ id, service: 'clocks' }));
      await store().activate('rel_e2', { ...activation(4), at: at(10) });
      await store().activate('rel_e1', { ...activation(2), at: at(50) });
      const active = await store().active('clocks', 'prod');
      assert.deepEqual([active?.id, active?.epoch, active?.installedBy], ['rel_e2', 4, 'bld_4']);
      const first = await store().list('clocks', 'prod', { cursor: null, limit: 1 });
      const second = await store().list('clocks', 'prod', { cursor: first.nextCursor, limit: 1 });
      const listed = [...first.items, ...second.items].map(({ id }) => id);
      assert.deepEqual([listed, second.nextCursor], [['rel_e2', 'rel_e1'], null]);
    });

    it('an activation of version 0.1, which had no epochs, is older than all others', async () => {
      await store().put(releaseRecord({ id: 'rel_old1', service: 'older', activatedAt: at(50) }));
      await store().put(releaseRecord({ id: 'rel_old2', service: 'older', activatedAt: at(40) }));
      await store().put(releaseRecord({ id: 'rel_new', service: 'older' }));
      assert.equal((await store().active('older', 'prod'))?.id, 'rel_old1');
      await store().activate('rel_new', activation(2));
      assert.equal((await store().active('older', 'prod'))?.id, 'rel_new');
      const seen: string[] = [];
      for await (const { id } of eachItem(({ cursor }) => store().list('older', 'prod', { cursor, limit: 1 }))) {
        seen.push(id);
      }
      assert.deepEqual(seen, ['rel_new', 'rel_old1', 'rel_old2']);
    });

    it('of an activation and a withdrawal in the same epoch one counts, and both know which', async () => {
      for (let index = 0; index < 20; index += 1) {
        const id = `rel_w${index}`;
        await store().put(releaseRecord({ id, service: `either-${index}` }));
        const [withdrawn, activated] = await Promise.all([
          store().withdraw(id, 2),
          store()
            .activate(id, activation(2))
            .then(
              () => true,
              (error: unknown) => (error as { code?: string }).code !== 'CONFLICT',
            ),
        ]);
        assert.equal(withdrawn, !activated);
        assert.equal((await store().active(`either-${index}`, 'prod'))?.id ?? null, activated ? id : null);
        await store().activate(id, activation(4));
        assert.equal((await store().active(`either-${index}`, 'prod'))?.epoch, 4, 'a later epoch is not withdrawn');
      }
      assert.equal(await store().withdraw('rel_none', 2), true);
    });

    it('put is idempotent and keeps the activation', async () => {
      const release = releaseRecord({ id: 'rel_same', service: 'same' });
      await Promise.all([store().put(release), store().put(release)]);
      assert.deepEqual(await store().find('rel_same'), release);
      await store().activate('rel_same', activation(5));
      await store().put(release);
      assert.deepEqual((await store().find('rel_same'))?.activatedAt, at(5));
      await assert.rejects(store().activate('rel_none', activation(1)), { code: 'RELEASE_NOT_FOUND' });
    });

    it('lists each service and environment with an active release once, until the service is removed', async () => {
      await store().put(releaseRecord({ id: 'rel_a1', service: 'alpha', activatedAt: at(1) }));
      await store().put(releaseRecord({ id: 'rel_a2', service: 'alpha', activatedAt: at(2) }));
      await store().put(releaseRecord({ id: 'rel_a3', service: 'alpha', environment: 'uat', activatedAt: at(1) }));
      await store().put(releaseRecord({ id: 'rel_a4', service: 'alpha-never' }));
      const keys = async () => (await targetsLike('alpha')).sort();
      assert.deepEqual(await keys(), ['alpha/prod', 'alpha/uat']);
      await store().removeService({ id: 'svc_later', name: 'alpha' });
      assert.deepEqual(await keys(), ['alpha/prod', 'alpha/uat'], 'of another service record of that name');
      await store().removeService({ id: 'svc_hello', name: 'alpha' });
      assert.deepEqual(await keys(), []);
    });

    it('lists more services than a page holds, and one that was deployed more often than a page holds', async () => {
      const ids = Array.from({ length: 250 }, (_, index) => String(index).padStart(3, '0'));
      await Promise.all(
        ids.flatMap((id, index) => [
          store().put(releaseRecord({ id: `rel_m${id}`, service: `many-${id}`, activatedAt: at(1) })),
          store().put(releaseRecord({ id: `rel_o${id}`, service: 'many-often', activatedAt: at(index) })),
        ]),
      );
      const expected = [...ids.map((id) => `many-${id}/prod`), 'many-often/prod'];
      assert.deepEqual(await targetsLike('many-'), expected);
      await assert.rejects(store().listTargets({ cursor: 'WyJhIl0', limit: 2 }), { code: 'VALIDATION_FAILED' });
    });
  });

  async function targetsLike(start: string): Promise<string[]> {
    const keys: string[] = [];
    for await (const { service, environment } of eachItem((page) => store().listTargets(page))) {
      if (service.startsWith(start)) keys.push(targetKey(service, environment));
    }
    return keys;
  }
}
