import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../../../domain/clock.ts';
import type { GrantStore } from '../../../domain/identity/ports.ts';
import { atOnce, HOSTILE, winners } from './at-once.ts';
import { at, grantRecord } from './records.ts';

const reply = (text: string) => ({ sealed: { keyId: '01234567', sealed: text }, graceUntil: at(30) });

/** What every {@link GrantStore} guarantees. */
export function grantStoreSuite(create: (now: Clock) => GrantStore): void {
  const store = create(() => at(10));

  describe('GrantStore', () => {
    it('gives back what was put in, and null for what it does not know', async () => {
      const grant = grantRecord({ id: 'grt_whole', sessionId: 'ses_1', lastReply: reply('r') });
      await store.insert(grant);
      assert.deepEqual(await store.find('grt_whole'), grant);
      for (const text of ['none', ...HOSTILE]) assert.equal(await store.find(text), null, text);
    });

    it('of 50 refreshes with one token at once one moves it on, and the reply kept is its own', async () => {
      await store.insert(grantRecord({ id: 'grt_rotate' }));
      const won: string[] = [];
      const rotate = async (caller: number) => {
        const moved = await store.rotate('grt_rotate', 1, reply(`${caller}`), at(5));
        if (moved) won.push(`${caller}`);
        return moved;
      };
      assert.equal(await winners(rotate), 1);
      const grant = await store.find('grt_rotate');
      assert.equal(grant?.generation, 2);
      assert.deepEqual(grant?.lastReply, reply(won[0] ?? ''));
      assert.deepEqual(grant?.lastUsedAt, at(5));
      assert.equal(await store.rotate('grt_rotate', 1, reply('late'), at(6)), false);
      assert.equal(await store.rotate('grt_rotate', 3, reply('early'), at(6)), false);
      assert.equal(await store.rotate('grt_rotate', 2, reply('next'), at(6)), true);
      assert.equal(await store.rotate('grt_none', 1, reply('none'), at(6)), false);
    });

    it('is gone at the moment it expires, and refreshing never moves that', async () => {
      const grant = grantRecord({ id: 'grt_expiring', userId: 'usr_gexp' });
      await store.insert(grant);
      const lastMoment = new Date(grant.expiresAt.getTime() - 1);
      assert.equal(await store.rotate('grt_expiring', 1, reply('r'), lastMoment), true);
      assert.deepEqual((await create(() => lastMoment).find('grt_expiring'))?.expiresAt, grant.expiresAt);
      assert.equal(await store.rotate('grt_expiring', 2, reply('r'), grant.expiresAt), false);
      assert.equal(await create(() => grant.expiresAt).find('grt_expiring'), null);
      assert.deepEqual(await store.listOfUser('usr_gexp', grant.expiresAt), []);
      assert.equal(await store.revoke('grt_expiring', grant.expiresAt), false);
    });

    it('is revoked once, by one of 50 at once, found as revoked, and refreshed no more', async () => {
      await store.insert(grantRecord({ id: 'grt_revoked' }));
      assert.equal(await winners(() => store.revoke('grt_revoked', at(5))), 1);
      assert.deepEqual((await store.find('grt_revoked'))?.revokedAt, at(5));
      assert.equal(await store.rotate('grt_revoked', 1, reply('r'), at(6)), false);
      assert.equal(await store.revoke('grt_none', at(5)), false);
    });

    it('with its session end those that do not outlive it; each is named to one caller', async () => {
      const session = { sessionId: 'ses_end' };
      await store.insert(grantRecord({ id: 'grt_e1', ...session }));
      await store.insert(grantRecord({ id: 'grt_e2', ...session }));
      await store.insert(grantRecord({ id: 'grt_offline', ...session, offline: true }));
      await store.insert(grantRecord({ id: 'grt_before', ...session, revokedAt: at(1) }));
      await store.insert(grantRecord({ id: 'grt_other', sessionId: 'ses_other' }));
      const named = (await atOnce(() => store.revokeOfSession('ses_end', at(5)))).flat();
      assert.deepEqual(named.sort(), ['grt_e1', 'grt_e2']);
      for (const id of ['grt_offline', 'grt_other']) assert.equal((await store.find(id))?.revokedAt, null, id);
      assert.deepEqual((await store.find('grt_before'))?.revokedAt, at(1));
      for (const hostile of HOSTILE) assert.deepEqual(await store.revokeOfSession(hostile, at(5)), [], hostile);
    });

    it('ends all of a person or of a client, and no others; lists live ones, newest first', async () => {
      const owner = { userId: 'usr_gmany', clientId: 'cl-gmany' };
      for (const [index, id] of ['grt_m1', 'grt_m2', 'grt_m3'].entries()) {
        await store.insert(grantRecord({ id, ...owner, createdAt: at(index) }));
      }
      await store.insert(grantRecord({ id: 'grt_mx', userId: 'usr_gmany', clientId: 'cl-else' }));
      await store.insert(grantRecord({ id: 'grt_my', userId: 'usr_gelse', clientId: 'cl-gmany' }));
      const ids = async (userId: string) => (await store.listOfUser(userId, at(10))).map((grant) => grant.id);
      assert.deepEqual(await ids('usr_gmany'), ['grt_m3', 'grt_m2', 'grt_mx', 'grt_m1']);
      await store.revokeAllOfClient('cl-gmany', at(5));
      assert.deepEqual(await ids('usr_gmany'), ['grt_mx']);
      assert.deepEqual(await ids('usr_gelse'), []);
      await store.revokeAllOfUser('usr_gmany', at(6));
      assert.deepEqual(await ids('usr_gmany'), []);
      assert.deepEqual((await store.find('grt_m1'))?.revokedAt, at(5), 'the first revocation stands');
    });
  });
}
