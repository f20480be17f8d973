import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { VariableHistory } from '../../domain/config/variable-history.ts';

/** What every {@link VariableHistory} guarantees. Services are new for each test, so one history serves them all. */
export function variableHistorySuite(history: () => VariableHistory): void {
  describe('VariableHistory', () => {
    const entry = (serviceId: string, number: number) => ({
      id: `chg_${serviceId}${number}`,
      serviceId,
      environment: number % 2 === 0 ? null : ('uat' as const),
      changedBy: 'usr_ada',
      at: new Date(1_700_000_000_000 + Math.floor(number / 2) * 1_000),
      set: ['COLOUR'],
      setSecret: ['API_KEY'],
      unset: ['OLD'],
    });

    it('keeps an entry once, as it was first, unmade until it is confirmed', async () => {
      const first = entry('svc_once', 0);
      await history().begin(first);
      await history().begin({ ...first, changedBy: 'usr_eve' });
      const stored = async () => (await history().list('svc_once', { cursor: null, limit: 5 })).items;
      assert.deepEqual(await stored(), [{ ...first, made: false }]);
      await history().confirm(first.id);
      await history().confirm('chg_nobody');
      assert.deepEqual(await stored(), [{ ...first, made: true }]);
    });

    it('lists the newest first in pages that miss and repeat nothing, of one service', async () => {
      for (const number of [3, 0, 4, 1, 2]) await history().begin(entry('svc_pages', number));
      await history().begin(entry('svc_beside', 9));
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await history().list('svc_pages', { cursor, limit: 2 });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(
        seen,
        [4, 3, 2, 1, 0].map((number) => `chg_svc_pages${number}`),
      );
    });

    it('forgets a service that is gone, and no other', async () => {
      for (const id of ['svc_left', 'svc_stays']) await history().begin(entry(id, 0));
      await history().removeService('svc_left');
      const count = async (id: string) => (await history().list(id, { cursor: null, limit: 5 })).items.length;
      assert.deepEqual([await count('svc_left'), await count('svc_stays')], [0, 1]);
    });
  });
}
