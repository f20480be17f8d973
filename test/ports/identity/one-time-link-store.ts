import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../../../domain/clock.ts';
import type { OneTimeLinkStore } from '../../../domain/identity/ports.ts';
import { atOnce, CALLERS, HOSTILE, winners } from './at-once.ts';
import { at, oneTimeLink } from './records.ts';

/** What every {@link OneTimeLinkStore} guarantees. */
export function oneTimeLinkStoreSuite(create: (now: Clock) => OneTimeLinkStore): void {
  const store = create(() => at(10));
  const works = async (token: string) => (await store.find(token, 'magic_link'))?.consumedAt === null;

  describe('OneTimeLinkStore', () => {
    it('gives back what was put in, for its own purpose only', async () => {
      const link = oneTimeLink('link whole', { userId: 'usr_link', clientId: 'shop' });
      await store.insert(link);
      assert.deepEqual(await store.find('link whole', 'magic_link'), link);
      assert.equal(await store.find('link whole', 'password_reset'), null);
      assert.equal(await store.consume('link whole', 'password_reset', at(1)), null);
      for (const text of ['none', ...HOSTILE]) {
        assert.equal(await store.find(text, 'magic_link'), null, text);
        assert.equal(await store.consume(text, 'magic_link', at(1)), null, text);
      }
      assert.ok(await works('link whole'), 'nothing of that used it up');
    });

    it('of 50 that follow a link at once one gets it, with what it says', async () => {
      const link = oneTimeLink('link race', { userId: 'usr_lrace' });
      await store.insert(link);
      const taken = await atOnce(() => store.consume('link race', 'magic_link', at(5)));
      assert.deepEqual(
        taken.filter((one) => one !== null),
        [{ ...link, consumedAt: at(5) }],
      );
      assert.equal(await works('link race'), false);
    });

    it('works until the moment it expires, and not at that moment', async () => {
      const link = oneTimeLink('link late', { userId: 'usr_late' });
      await store.insert(link);
      assert.equal(await store.consume('link late', 'magic_link', link.expiresAt), null);
      assert.equal(await create(() => link.expiresAt).find('link late', 'magic_link'), null);
      assert.ok(await store.consume('link late', 'magic_link', new Date(link.expiresAt.getTime() - 1)));
    });

    it('of one purpose and person the newest works alone, also when 50 are sent at once', async () => {
      const userId = 'usr_newest';
      await store.insert(oneTimeLink('link other purpose', { userId, purpose: 'password_reset' }));
      await store.insert(oneTimeLink('link other person', { userId: 'usr_older' }));
      await store.insert(oneTimeLink('link old', { userId }));
      await store.insert(oneTimeLink('link new', { userId }));
      assert.equal(await store.consume('link old', 'magic_link', at(1)), null);
      assert.ok(await works('link new'));
      await atOnce((caller) => store.insert(oneTimeLink(`link ${caller}`, { userId })));
      assert.equal(await winners((caller) => store.consume(`link ${caller}`, 'magic_link', at(1))), 1);
      assert.equal(await store.consume('link new', 'magic_link', at(1)), null);
      assert.ok(await store.consume('link other purpose', 'password_reset', at(1)));
      assert.ok(await store.consume('link other person', 'magic_link', at(1)));
    });

    it('there is one link for the first administrator, before anybody exists', async () => {
      const first = { userId: null, purpose: 'first_admin' } as const;
      await atOnce((caller) => store.insert(oneTimeLink(`first ${caller}`, first)));
      const open = Array.from({ length: CALLERS }, (_, caller) => store.find(`first ${caller}`, 'first_admin'));
      assert.equal((await Promise.all(open)).filter((link) => link !== null).length, 1);
    });

    it("a person's open links are voided together, and nobody else's", async () => {
      await store.insert(oneTimeLink('link v1', { userId: 'usr_void' }));
      await store.insert(oneTimeLink('link v2', { userId: 'usr_void', purpose: 'email_verification' }));
      await store.insert(oneTimeLink('link vx', { userId: 'usr_novoid' }));
      for (const userId of ['usr_void', ...HOSTILE]) await store.consumeAllOfUser(userId, at(2));
      assert.equal(await store.consume('link v1', 'magic_link', at(3)), null);
      assert.equal(await store.consume('link v2', 'email_verification', at(3)), null);
      assert.ok(await store.consume('link vx', 'magic_link', at(3)));
    });
  });
}
