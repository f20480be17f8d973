import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../../../domain/clock.ts';
import type { MembershipStore } from '../../../domain/orgs/ports.ts';
import { allPages } from './all-pages.ts';
import { atOnce, HOSTILE, winners } from './at-once.ts';
import { at, membership } from './records.ts';

/** What every {@link MembershipStore} guarantees. */
export function membershipStoreSuite(create: (now: Clock) => MembershipStore): void {
  const store = create(() => at(10));

  describe('MembershipStore', () => {
    it('of 50 that insert one membership at once one does, and the others change nothing', async () => {
      const insert = (caller: number) =>
        store.insert(membership('usr_race', 'ORG-RACE', { modules: [`m${caller}`], roles: ['viewer'] }));
      assert.equal(await winners(insert), 1);
      const before = await store.find('usr_race', 'ORG-RACE');
      assert.equal(await store.insert(membership('usr_race', 'ORG-RACE', { roles: ['admin'] })), false);
      assert.deepEqual(await store.find('usr_race', 'ORG-RACE'), before);
    });

    it('50 that put one membership at once make one, with the roles and modules of one of them', async () => {
      const put = (caller: number) => {
        const roles = [caller % 2 === 0 ? ('admin' as const) : ('viewer' as const)];
        return store.put(membership('usr_put', 'ORG-PUT', { roles, modules: roles }));
      };
      await atOnce(put);
      const all = await store.listOfUser('usr_put');
      assert.equal(all.length, 1);
      assert.deepEqual(all[0]?.roles, all[0]?.modules);
    });

    it('putting replaces roles and modules, and nothing else', async () => {
      const first = membership('usr_keep', 'ORG-KEEP', { roles: ['admin'], modules: ['a', 'b'] });
      await store.put(first);
      assert.deepEqual(await store.find('usr_keep', 'ORG-KEEP'), first);
      assert.equal(await store.setSuspended('usr_keep', 'ORG-KEEP', at(5)), true);
      const again = { roles: ['member' as const], modules: ['c'], createdAt: at(7), updatedAt: at(8) };
      await store.put(membership('usr_keep', 'ORG-KEEP', again));
      assert.deepEqual(await store.find('usr_keep', 'ORG-KEEP'), {
        ...first,
        roles: ['member'],
        modules: ['c'],
        suspendedAt: at(5),
        updatedAt: at(8),
      });
    });

    it('replaces rights only over those that were read: of 50 that read the same at once one does', async () => {
      const read = membership('usr_cond', 'ORG-COND', { roles: ['viewer'], modules: ['a'] });
      await store.put(read);
      const replace = (caller: number) =>
        store.replaceRights(read, { roles: ['viewer', 'member'], modules: [`m${caller}`], updatedAt: at(8) });
      assert.equal(await winners(replace), 1);
      const after = await store.find('usr_cond', 'ORG-COND');
      assert.deepEqual(
        [after?.roles, after?.createdAt, after?.updatedAt],
        [['viewer', 'member'], read.createdAt, at(8)],
      );
      assert.equal(await store.replaceRights({ ...read, userId: 'usr_none' }, read), false);
    });

    it('counts members with a role, suspended ones left out', async () => {
      for (const user of ['usr_c1', 'usr_c2', 'usr_c3']) {
        await store.put(membership(user, 'ORG-COUNT', { roles: user === 'usr_c3' ? ['member'] : ['viewer', 'admin'] }));
      }
      await store.put(membership('usr_c1', 'ORG-ELSE', { roles: ['admin'] }));
      assert.equal(await store.countWithRole('ORG-COUNT', 'admin'), 2);
      await store.setSuspended('usr_c1', 'ORG-COUNT', at(1));
      assert.equal(await store.countWithRole('ORG-COUNT', 'admin'), 1);
      await store.setSuspended('usr_c1', 'ORG-COUNT', null);
      assert.equal(await store.countWithRole('ORG-COUNT', 'admin'), 2);
      for (const org of HOSTILE) assert.equal(await store.countWithRole(org, 'admin'), 0, org);
    });

    it('lists those of a person by slug, and those of an org in pages that miss and repeat nothing', async () => {
      for (const user of ['usr_p3', 'usr_p1', 'usr_p2']) await store.put(membership(user, 'ORG-PAGES'));
      await store.put(membership('usr_p1', 'ORG-A', { orgSlug: 'a' }));
      const users = async (orgId: string) =>
        (await allPages((page) => store.listOfOrg(orgId, page), 2)).map((member) => member.userId);
      assert.deepEqual(await users('ORG-PAGES'), ['usr_p1', 'usr_p2', 'usr_p3']);
      assert.deepEqual(
        (await store.listOfUser('usr_p1')).map((member) => member.orgSlug),
        ['a', 'org-pages'],
      );
      for (const text of HOSTILE) {
        assert.deepEqual(await users(text), [], text);
        assert.deepEqual(await store.listOfUser(text), [], text);
      }
    });

    it('lists those of several people at once', async () => {
      for (const user of ['usr_q1', 'usr_q2', 'usr_q3']) await store.put(membership(user, 'ORG-MANY'));
      await store.put(membership('usr_q1', 'ORG-MORE'));
      const found = await store.listOfUsers(['usr_q1', 'usr_q2', 'usr_none', ...HOSTILE]);
      const pairs = found.map(({ userId, orgId }) => `${userId} ${orgId}`).sort();
      assert.deepEqual(pairs, ['usr_q1 ORG-MANY', 'usr_q1 ORG-MORE', 'usr_q2 ORG-MANY']);
      assert.deepEqual(await store.listOfUsers([]), []);
    });

    it('is removed once, and then is no more', async () => {
      await store.put(membership('usr_gone', 'ORG-GONE'));
      for (const text of HOSTILE) assert.equal(await store.remove('usr_gone', text), false, text);
      assert.equal(await winners(() => store.remove('usr_gone', 'ORG-GONE')), 1);
      assert.equal(await store.find('usr_gone', 'ORG-GONE'), null);
      assert.equal(await store.setSuspended('usr_gone', 'ORG-GONE', at(1)), false);
    });
  });
}
