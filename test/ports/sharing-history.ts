import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SharingHistory } from '../../domain/authorized-orgs/ports.ts';

/** What every {@link SharingHistory} guarantees. Services are new for each test, so one history serves them all. */
export function sharingHistorySuite(history: () => SharingHistory): void {
  describe('SharingHistory', () => {
    const entry = (serviceId: string, number: number) => ({
      id: `soc_${serviceId}${number}`,
      serviceId,
      kind: number % 2 === 0 ? ('authorized' as const) : ('deauthorized' as const),
      org: 'helpers',
      repoRole: number % 2 === 0 ? ('write' as const) : null,
      by: 'usr_ada',
      at: new Date(1_700_000_000_000 + Math.floor(number / 2) * 1_000),
    });

    it('keeps an entry once, as it was first', async () => {
      const first = entry('svc_kept', 0);
      await history().add(first);
      await history().add({ ...first, by: 'usr_eve' });
      assert.deepEqual((await history().list('svc_kept', { cursor: null, limit: 5 })).items, [first]);
    });

    it('lists the newest first in pages that miss and repeat nothing, of one service', async () => {
      for (const number of [3, 0, 4, 1, 2]) await history().add(entry('svc_sharedpages', number));
      await history().add(entry('svc_sharedbeside', 9));
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await history().list('svc_sharedpages', { cursor, limit: 2 });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(
        seen,
        [4, 3, 2, 1, 0].map((number) => `soc_svc_sharedpages${number}`),
      );
    });

    it('lists who was taken out until that is finished, up to the change that is, also in pages', async () => {
      const unfinished = async (org: string) => {
        const found: unknown[] = [];
        let cursor: string | null = null;
        do {
          const page = await history().listUnfinished({ cursor, limit: 1 });
          found.push(...page.items.filter((each) => each.org === org));
          cursor = page.nextCursor;
        } while (cursor !== null);
        return found.map((each) => (each as { takenOut: number }).takenOut).sort();
      };
      const [out, beside] = ['svc_out', 'svc_outbeside'];
      await history().add({ ...entry(out, 0), org: 'leavers' });
      for (const [number, takenOut] of [
        [1, 2],
        [3, 4],
        [5, 6],
      ] as const) {
        const change = { ...entry(out, number), org: 'leavers' };
        await history().add(change, takenOut);
        await history().add(change, 9);
      }
      await history().add({ ...entry(beside, 1), org: 'leavers' }, 8);
      assert.deepEqual(await unfinished('leavers'), [2, 4, 6, 8]);
      for (const _ of ['once', 'twice']) await history().finish({ serviceId: out, org: 'leavers', takenOut: 4 });
      await history().finish({ serviceId: out, org: 'others', takenOut: 9 });
      assert.deepEqual(await unfinished('leavers'), [6, 8]);
      const change = { ...entry(out, 1), org: 'leavers' };
      await history().add(change, 2);
      assert.deepEqual(await unfinished('leavers'), [6, 8], 'what is told again is not begun again');
      assert.equal((await history().list(out, { cursor: null, limit: 9 })).items.length, 4);
      await history().removeService(beside);
      assert.deepEqual(await unfinished('leavers'), [6]);
    });

    it('forgets a service that is gone, and no other', async () => {
      for (const id of ['svc_unshared', 'svc_shared']) await history().add(entry(id, 0));
      await history().removeService('svc_unshared');
      const count = async (id: string) => (await history().list(id, { cursor: null, limit: 5 })).items.length;
      assert.deepEqual([await count('svc_unshared'), await count('svc_shared')], [0, 1]);
    });
  });
}
