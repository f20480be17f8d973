import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../../../domain/clock.ts';
import type { SessionStore } from '../../../domain/identity/ports.ts';
import { HOSTILE, winners } from './at-once.ts';
import { at, LIFE_SECONDS, sessionRecord } from './records.ts';

const login = (secretHash: string) => ({ secretHash, methods: ['pwd', 'otp', 'mfa'] as const });

/** What every {@link SessionStore} guarantees. */
export function sessionStoreSuite(create: (now: Clock) => SessionStore): void {
  const store = create(() => at(10));

  describe('SessionStore', () => {
    it('gives back what was put in, and null for what it does not know', async () => {
      const session = sessionRecord({ id: 'ses_whole' });
      await store.insert(session);
      assert.deepEqual(await store.find('ses_whole'), session);
      assert.deepEqual(await store.findBySecretHash(session.secretHash), session);
      for (const text of ['none', ...HOSTILE]) {
        assert.equal(await store.find(text), null, text);
        assert.equal(await store.findBySecretHash(text), null, text);
      }
    });

    it('refuses a second session with one secret', async () => {
      await store.insert(sessionRecord({ id: 'ses_first', secretHash: 'one secret' }));
      const second = store.insert(sessionRecord({ id: 'ses_second', secretHash: 'one secret' }));
      await assert.rejects(second, { code: 'CONFLICT' });
    });

    it('is gone at the moment it expires, not a millisecond before', async () => {
      const session = sessionRecord({ id: 'ses_expiring', userId: 'usr_expiring' });
      await store.insert(session);
      const lastMoment = new Date(session.expiresAt.getTime() - 1);
      const justBefore = create(() => lastMoment);
      const then = create(() => session.expiresAt);
      assert.deepEqual(await justBefore.find('ses_expiring'), session);
      assert.deepEqual(await justBefore.findBySecretHash(session.secretHash), session);
      assert.equal((await store.listOfUser('usr_expiring', lastMoment)).length, 1);
      assert.equal(await then.find('ses_expiring'), null);
      assert.equal(await then.findBySecretHash(session.secretHash), null);
      assert.deepEqual(await store.listOfUser('usr_expiring', session.expiresAt), []);
      assert.equal(await store.reauthenticate('ses_expiring', login('a'), session.expiresAt), false);
      assert.equal(await store.revoke('ses_expiring', session.expiresAt), false);
    });

    it('is revoked once, by one of 50 at once; its secret opens nothing any more', async () => {
      const session = sessionRecord({ id: 'ses_revoked', userId: 'usr_revoked' });
      await store.insert(session);
      assert.equal(await winners(() => store.revoke('ses_revoked', at(5))), 1);
      assert.equal(await store.findBySecretHash(session.secretHash), null);
      assert.deepEqual((await store.find('ses_revoked'))?.revokedAt, at(5));
      assert.deepEqual(await store.listOfUser('usr_revoked', at(6)), []);
      assert.equal(await store.reauthenticate('ses_revoked', login('b'), at(6)), false);
      assert.equal(await store.revoke('ses_none', at(5)), false);
    });

    it('a new full login is what it says it is, and the old secret ends with it', async () => {
      const before = sessionRecord({ id: 'ses_stepup' });
      await store.insert(before);
      assert.equal(await store.reauthenticate('ses_stepup', login('new secret'), at(7)), true);
      const session = await store.findBySecretHash('new secret');
      assert.deepEqual(session?.methods, ['pwd', 'otp', 'mfa']);
      assert.deepEqual(session?.authenticatedAt, at(7));
      assert.equal(session?.id, 'ses_stepup');
      assert.equal(await store.findBySecretHash(before.secretHash), null);
    });

    it('notes that it was seen at most once a minute, and never moves back', async () => {
      await store.insert(sessionRecord({ id: 'ses_seen' }));
      const seen = async () => (await store.find('ses_seen'))?.lastSeenAt;
      await store.touch('ses_seen', at(59));
      assert.deepEqual(await seen(), at(0));
      await store.touch('ses_seen', at(60));
      assert.deepEqual(await seen(), at(60));
      await store.touch('ses_seen', at(30));
      assert.deepEqual(await seen(), at(60));
    });

    it("lists a person's live ones, newest first, and revokes them all without touching another's", async () => {
      for (const [index, id] of ['ses_l1', 'ses_l3', 'ses_l2'].entries()) {
        await store.insert(
          sessionRecord({ id, userId: 'usr_many', createdAt: at(index), expiresAt: at(LIFE_SECONDS) }),
        );
      }
      await store.insert(sessionRecord({ id: 'ses_lx', userId: 'usr_else' }));
      const ids = async (userId: string) => (await store.listOfUser(userId, at(10))).map((session) => session.id);
      assert.deepEqual(await ids('usr_many'), ['ses_l2', 'ses_l3', 'ses_l1']);
      await store.revoke('ses_l1', at(4));
      await store.revokeAllOfUser('usr_many', at(9));
      assert.deepEqual(await ids('usr_many'), []);
      assert.deepEqual((await store.find('ses_l1'))?.revokedAt, at(4), 'the first revocation stands');
      assert.deepEqual(await ids('usr_else'), ['ses_lx']);
      for (const hostile of HOSTILE) assert.deepEqual(await ids(hostile), [], hostile);
    });
  });
}
