import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OrgGrantStore } from '../../../domain/orgs/ports.ts';
import { atOnce, HOSTILE, winners } from './at-once.ts';
import { at, orgGrant } from './records.ts';

/** What every {@link OrgGrantStore} guarantees. */
export function orgGrantStoreSuite(create: () => OrgGrantStore): void {
  const store = create();

  describe('OrgGrantStore', () => {
    it('50 approvals at once make one grant, which keeps who approved it first', async () => {
      await atOnce((caller) => store.approve(orgGrant('shop', 'race', { approvedBy: `usr_${caller}` })));
      const granted = await store.listOfOrg('race');
      assert.equal(granted.length, 1);
      await store.approve(orgGrant('shop', 'race', { approvedBy: 'usr_later', approvedAt: at(9) }));
      assert.deepEqual(await store.listOfOrg('race'), granted);
    });

    it('counts for that client and that org alone', async () => {
      await store.approve(orgGrant('blog', 'acme'));
      assert.deepEqual(await store.find('blog', 'acme'), orgGrant('blog', 'acme'));
      assert.equal(await store.find('blog', 'other'), null);
      assert.equal(await store.find('shop', 'acme'), null);
      for (const text of HOSTILE) {
        assert.equal(await store.find('blog', text), null, text);
        assert.equal(await store.find(text, 'acme'), null, text);
        assert.equal(await store.revoke(text, text), false, text);
        assert.deepEqual(await store.listOfOrg(text), [], text);
      }
    });

    it('is revoked once, may be approved again, and is listed by client', async () => {
      for (const client of ['c', 'a', 'b']) await store.approve(orgGrant(client, 'listed'));
      assert.equal(await winners(() => store.revoke('b', 'listed')), 1);
      const clients = async () => (await store.listOfOrg('listed')).map((grant) => grant.clientId);
      assert.deepEqual(await clients(), ['a', 'c']);
      await store.approve(orgGrant('b', 'listed', { approvedBy: 'usr_again' }));
      assert.deepEqual(await clients(), ['a', 'b', 'c']);
      assert.equal((await store.find('b', 'listed'))?.approvedBy, 'usr_again');
    });
  });
}
