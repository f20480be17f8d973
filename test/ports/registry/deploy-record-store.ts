import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DeployManifest } from '../../../domain/registry/deploy-record.ts';
import type { DeployRecordStore } from '../../../domain/registry/ports.ts';
import { snapshotOf } from './records.ts';

const MANIFEST: DeployManifest = { commit: 'c0ffee', sdkVersions: { '@fairlead/sdk': '1.2.0' }, deployedBy: 'usr_ada' };
const SNAPSHOT = snapshotOf();

const KEPT = 5;

const at = (second: number): Date => new Date(1_770_000_000_000 + second * 1_000);
const target = (serviceId: string) => ({ serviceId, environment: 'prod' as const });

/** What every {@link DeployRecordStore} guarantees. Services are new for each test, so one store serves them all. */
export function deployRecordStoreSuite(store: (kept?: number) => DeployRecordStore): void {
  describe('DeployRecordStore', () => {
    const key = (serviceId: string, number: number) => ({ ...target(serviceId), buildId: `bld_${serviceId}${number}` });
    const all = (serviceId: string) => store().list(target(serviceId), { cursor: null, limit: 200 });

    it('keeps manifest and snapshot of one build in one record, each as it was written first', async () => {
      await store().put(key('svc_parts', 1), { snapshot: SNAPSHOT }, at(1));
      await store().put(key('svc_parts', 1), { manifest: MANIFEST }, at(2));
      await store().put(key('svc_parts', 1), { manifest: { ...MANIFEST, commit: 'other' } }, at(3));
      const whole = { ...key('svc_parts', 1), at: at(1), manifest: MANIFEST, snapshot: SNAPSHOT };
      assert.deepEqual((await all('svc_parts')).items, [whole]);
    });

    it('keeps both parts that are written at the same moment', async () => {
      await Promise.all([
        store().put(key('svc_both', 1), { manifest: MANIFEST }, at(1)),
        store().put(key('svc_both', 1), { snapshot: SNAPSHOT }, at(1)),
      ]);
      const [record] = (await all('svc_both')).items;
      assert.deepEqual([record?.manifest, record?.snapshot], [MANIFEST, SNAPSHOT]);
    });

    it('refuses a build of another service, and writes nothing to it', async () => {
      await store().put(key('svc_mine', 1), { snapshot: SNAPSHOT }, at(1));
      const stolen = { ...key('svc_mine', 1), serviceId: 'svc_theirs' };
      await assert.rejects(store().put(stolen, { manifest: MANIFEST }, at(2)), { code: 'CONFLICT' });
      assert.deepEqual((await all('svc_theirs')).items, []);
      assert.equal((await all('svc_mine')).items[0]?.manifest, null);
    });

    it('the last manifest is that of the newest deploy that has one', async () => {
      assert.equal(await store().lastManifest(target('svc_last')), null);
      for (const number of [1, 2]) await store().put(key('svc_last', number), { manifest: MANIFEST }, at(number));
      await store().put(key('svc_last', 3), { snapshot: SNAPSHOT }, at(3));
      assert.equal((await store().lastManifest(target('svc_last')))?.buildId, 'bld_svc_last2');
      const sandbox = { serviceId: 'svc_last', environment: 'sandbox' } as const;
      assert.equal(await store().lastManifest(sandbox), null);
    });

    it('lists the newest first in pages that miss and repeat nothing', async () => {
      for (const number of [3, 0, 4, 1, 2]) {
        await store().put(key('svc_pages', number), { snapshot: SNAPSHOT }, at(Math.floor(number / 2)));
      }
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await store().list(target('svc_pages'), { cursor, limit: 2 });
        seen.push(...page.items.map(({ buildId }) => buildId.slice(-1)));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(seen, ['4', '3', '2', '1', '0']);
    });

    it('keeps the newest, and the last manifest however many deploys failed after it', async () => {
      await store(KEPT).put(key('svc_many', 0), { manifest: MANIFEST }, at(0));
      for (let number = 1; number <= KEPT + 2; number += 1) {
        await store(KEPT).put(key('svc_many', number), { snapshot: SNAPSHOT }, at(number));
      }
      const kept: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await store().list(target('svc_many'), { cursor, limit: 2 });
        kept.push(...page.items.map(({ buildId }) => buildId));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.equal(kept.length, KEPT + 1);
      assert.deepEqual([kept.at(-2), kept.at(-1)], ['bld_svc_many3', 'bld_svc_many0']);
      assert.equal((await store().lastManifest(target('svc_many')))?.buildId, 'bld_svc_many0');
    });

    it('forgets a service that is gone, and no other', async () => {
      for (const id of ['svc_left', 'svc_stays']) await store(KEPT).put(key(id, 1), { snapshot: SNAPSHOT }, at(1));
      await store().removeService('svc_left');
      const counts = [(await all('svc_left')).items.length, (await all('svc_stays')).items.length];
      assert.deepEqual(counts, [0, 1]);
    });
  });
}
