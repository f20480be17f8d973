import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ReleaseStore } from '../../domain/deploys/ports.ts';
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

    it('names one active release for each service and environment, until the service is removed', async () => {
      await store().put(releaseRecord({ id: 'rel_a1', service: 'alpha', activatedAt: at(1) }));
      await store().put(releaseRecord({ id: 'rel_a2', service: 'alpha', activatedAt: at(2) }));
      await store().put(releaseRecord({ id: 'rel_a3', service: 'alpha', environment: 'uat', activatedAt: at(1) }));
      const ids = async () => (await store().allActive()).filter((row) => row.service === 'alpha').map((row) => row.id);
      assert.deepEqual((await ids()).sort(), ['rel_a2', 'rel_a3']);
      await store().removeService('alpha');
      assert.deepEqual(await ids(), []);
    });
  });
}
