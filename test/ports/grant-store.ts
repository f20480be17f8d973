import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Grant } from '../../domain/grants/grant.ts';
import type { GrantStore } from '../../domain/grants/ports.ts';
import { grantRecord } from './records.ts';

/** What every {@link GrantStore} guarantees. Services and orgs are new for each test, so one store serves them all. */
export function grantStoreSuite(store: () => GrantStore): void {
  describe('GrantStore', () => {
    const grantOf = (name: string, changes: Partial<Grant> = {}): Grant =>
      grantRecord({
        id: `sgr_${name}`,
        holder: { serviceId: `svc_${name}`, name, org: `org-${name}` },
        target: { serviceId: `svc_${name}_target`, name: `${name}-target`, org: `org-${name}-target` },
        ...changes,
      });

    it('keeps one grant of a service, environment and target, whoever comes first', async () => {
      const first = grantOf('once');
      const outcomes = await Promise.all([store().insert(first), store().insert({ ...first, id: 'sgr_once2' })]);
      assert.deepEqual(outcomes.filter(Boolean), [true]);
      const kept = await store().findFor(first);
      assert.equal((await store().find(kept?.id ?? ''))?.id, kept?.id);
      assert.equal(await store().insert({ ...first, id: 'sgr_once3', environment: 'uat' }), true);
    });

    it('tells services of the same names apart by their ids', async () => {
      const grant = grantOf('names');
      await store().insert(grant);
      for (const party of ['holder', 'target'] as const) {
        const other = { ...grant, [party]: { ...grant[party], serviceId: 'svc_later' } };
        assert.equal(await store().findFor(other), null);
      }
    });

    it('replaces a grant of the revision that was read, and no other', async () => {
      const grant = grantOf('turns');
      await store().insert(grant);
      const next = { ...grant, revision: 2, status: 'approved', wasApproved: true, granted: grant.scopes } as const;
      const outcomes = await Promise.all([store().replace(next, 1), store().replace(next, 1)]);
      assert.deepEqual(outcomes.filter(Boolean), [true]);
      assert.deepEqual(await store().findFor(grant), next);
      assert.equal(await store().replace({ ...next, id: 'sgr_nobody' }, 2), false);
    });

    it('lists what an org asks for and is asked for, newest first, in pages that miss and repeat nothing', async () => {
      const party = { serviceId: 'svc_lists', name: 'lists', org: 'org-lists' };
      const at = (minute: number) => new Date(1_700_000_000_000 + minute * 60_000);
      await store().insert(grantOf('lists1', { holder: party, requestedAt: at(1) }));
      await store().insert(grantOf('lists2', { target: party, requestedAt: at(2), status: 'denied' }));
      await store().insert(grantOf('lists3', { holder: party, requestedAt: at(2) }));
      await store().insert(grantOf('lists4', { requestedAt: at(3) }));
      const read = async (status?: Grant['status']): Promise<string[]> => {
        const ids: string[] = [];
        let cursor: string | null = null;
        do {
          const filter = { org: 'org-lists', ...(status === undefined ? {} : { status }) };
          const page = await store().list(filter, { cursor, limit: 1 });
          ids.push(...page.items.map(({ id }) => id));
          cursor = page.nextCursor;
        } while (cursor !== null);
        return ids;
      };
      assert.deepEqual(await read(), ['sgr_lists3', 'sgr_lists2', 'sgr_lists1']);
      assert.deepEqual(await read('denied'), ['sgr_lists2']);
    });

    it('finds and removes what a service asked for and was asked for', async () => {
      const party = { serviceId: 'svc_gone', name: 'gone', org: 'acme' };
      await store().insert(grantOf('gone1', { holder: party }));
      await store().insert(grantOf('gone2', { target: party }));
      const ids = async () => (await store().ofService('svc_gone')).map(({ id }) => id).sort();
      assert.deepEqual(await ids(), ['sgr_gone1', 'sgr_gone2']);
      await store().remove('sgr_gone1');
      await store().remove('sgr_gone1');
      assert.deepEqual(await ids(), ['sgr_gone2']);
    });
  });
}
