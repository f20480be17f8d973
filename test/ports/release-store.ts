import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReleaseStore } from '../../domain/deploys/ports.ts';
import { eachItem } from '../../domain/each-item.ts';
import { targetKey } from '../../domain/ids.ts';
import { releaseRecord } from './records.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));

/** What every {@link ReleaseStore} guarantees. */
export function releaseStoreSuite(store: () => ReleaseStore): void {
  describe('ReleaseStore', () => {
    it('the release activated last is the active one, also after a rollback', async () => {
      for (const id of ['rel_1', 'rel_2', 'rel_3']) await store().put(releaseRecord({ id, service: 'roll' }));
      assert.equal(await store().active('roll', 'prod'), null);
      await store().activate('rel_1', at(1));
      await store().activate('rel_2', at(2));
      assert.equal((await store().active('roll', 'prod'))?.id, 'rel_2');
      await store().activate('rel_1', at(3));
      await store().activate('rel_1', at(1));
      assert.equal((await store().active('roll', 'prod'))?.id, 'rel_1');
      const first = await store().list('roll', 'prod', { cursor: null, limit: 1 });
      const second = await store().list('roll', 'prod', { cursor: first.nextCursor, limit: 1 });
      assert.deepEqual(
        [...first.items, ...second.items].map((release) => release.id),
        ['rel_1', 'rel_2'],
      );
      assert.equal(second.nextCursor, null, 'never activated releases are left out');
    });

    it('put is idempotent and keeps the activation', async () => {
      const release = releaseRecord({ id: 'rel_same', service: 'same' });
      await Promise.all([store().put(release), store().put(release)]);
      assert.deepEqual(await store().find('rel_same'), release);
      await store().activate('rel_same', at(5));
      await store().put(release);
      assert.deepEqual((await store().find('rel_same'))?.activatedAt, at(5));
      await assert.rejects(store().activate('rel_none', at(1)), { code: 'RELEASE_NOT_FOUND' });
    });

    it('lists each service and environment with an active release once, until the service is removed', async () => {
      await store().put(releaseRecord({ id: 'rel_a1', service: 'alpha', activatedAt: at(1) }));
      await store().put(releaseRecord({ id: 'rel_a2', service: 'alpha', activatedAt: at(2) }));
      await store().put(releaseRecord({ id: 'rel_a3', service: 'alpha', environment: 'uat', activatedAt: at(1) }));
      await store().put(releaseRecord({ id: 'rel_a4', service: 'alpha-never' }));
      const keys = async () => (await targetsLike('alpha')).sort();
      assert.deepEqual(await keys(), ['alpha/prod', 'alpha/uat']);
      await store().removeService('alpha');
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
