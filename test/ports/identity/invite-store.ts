import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../../../domain/clock.ts';
import type { InviteStore } from '../../../domain/orgs/ports.ts';
import { atOnce, HOSTILE, winners } from './at-once.ts';
import { at, inviteRecord } from './records.ts';

/** What every {@link InviteStore} guarantees. */
export function inviteStoreSuite(create: (now: Clock) => InviteStore): void {
  const store = create(() => at(10));
  const open = async (orgId: string, now = at(10)) => (await store.listOpen(orgId, now)).map((invite) => invite.id);

  describe('InviteStore', () => {
    it('gives back what was put in, and null for what it does not know', async () => {
      const invite = inviteRecord({ id: 'inv_whole', orgId: 'ORG-WHOLE', role: 'admin' });
      await store.insert(invite);
      assert.deepEqual(await store.findByTokenHash(invite.tokenHash), invite);
      for (const text of ['none', ...HOSTILE]) {
        assert.equal(await store.findByTokenHash(text), null, text);
        assert.equal(await store.consume(text, text, at(1)), null, text);
        assert.equal(await store.revoke(text, text, at(1)), false, text);
        assert.deepEqual(await open(text), [], text);
      }
    });

    it('of 50 that accept it at once one gets it, with what it says', async () => {
      const invite = inviteRecord({ id: 'inv_race', orgId: 'ORG-RACE' });
      await store.insert(invite);
      const taken = await atOnce((caller) => store.consume(invite.tokenHash, `usr_${caller}`, at(5)));
      const [first] = taken.filter((one) => one !== null);
      assert.deepEqual(
        taken.filter((one) => one !== null),
        [{ ...invite, acceptedAt: at(5), acceptedBy: first?.acceptedBy ?? '' }],
      );
      assert.deepEqual(await open('ORG-RACE'), []);
      assert.equal(await store.revoke('inv_race', 'ORG-RACE', at(6)), false);
    });

    it('is gone on with by who accepted it, and by nobody else, until it is finished, once', async () => {
      const { tokenHash } = inviteRecord({ id: 'inv_cut', orgId: 'ORG-CUT' });
      await store.insert(inviteRecord({ id: 'inv_cut', orgId: 'ORG-CUT' }));
      assert.equal(await store.finish(tokenHash, at(1)), false, 'nobody accepted it');
      assert.ok(await store.consume(tokenHash, 'usr_ada', at(2)));
      assert.equal(await store.consume(tokenHash, 'usr_eve', at(3)), null);
      assert.equal((await store.consume(tokenHash, 'usr_ada', at(3)))?.acceptedBy, 'usr_ada');
      assert.equal(await winners(() => store.finish(tokenHash, at(4))), 1);
      assert.equal(await store.consume(tokenHash, 'usr_ada', at(5)), null);
    });

    it('works until the moment it expires, and not at that moment', async () => {
      const invite = inviteRecord({ id: 'inv_late', orgId: 'ORG-LATE' });
      await store.insert(invite);
      const lastMoment = new Date(invite.expiresAt.getTime() - 1);
      assert.equal(await store.consume(invite.tokenHash, 'usr_1', invite.expiresAt), null);
      assert.deepEqual(await open('ORG-LATE', invite.expiresAt), []);
      assert.equal(await store.revoke('inv_late', 'ORG-LATE', invite.expiresAt), false);
      assert.equal(await create(() => invite.expiresAt).findByTokenHash(invite.tokenHash), null);
      assert.deepEqual(await open('ORG-LATE', lastMoment), ['inv_late']);
      assert.ok(await store.consume(invite.tokenHash, 'usr_1', lastMoment));
    });

    it('a new one for the same address and org ends the one before, also when 50 are sent at once', async () => {
      const invite = (id: string, email = 'ada@example.test', orgId = 'ORG-AGAIN') =>
        store.insert(inviteRecord({ id, orgId, email }));
      await invite('inv_first');
      await invite('inv_someone', 'grace@example.test');
      await invite('inv_elsewhere', 'ada@example.test', 'ORG-OTHER');
      await atOnce((caller) => invite(`inv_${caller}`));
      assert.equal((await open('ORG-AGAIN')).length, 2);
      assert.equal(await store.consume('hash of inv_first', 'usr_1', at(1)), null);
      assert.equal(await winners((caller) => store.consume(`hash of inv_${caller}`, 'usr_1', at(1))), 1);
      assert.deepEqual(await open('ORG-AGAIN'), ['inv_someone']);
      assert.deepEqual(await open('ORG-OTHER'), ['inv_elsewhere']);
      await invite('inv_back');
      assert.ok(
        await store.consume('hash of inv_back', 'usr_1', at(2)),
        'who was a member before can be invited again',
      );
    });

    it('is revoked once, by its own org alone, and then accepted no more', async () => {
      await store.insert(inviteRecord({ id: 'inv_revoked', orgId: 'ORG-REVOKE' }));
      assert.equal(await store.revoke('inv_revoked', 'ORG-ELSE', at(1)), false);
      assert.equal(await winners(() => store.revoke('inv_revoked', 'ORG-REVOKE', at(1))), 1);
      assert.equal(await store.consume('hash of inv_revoked', 'usr_1', at(2)), null);
      assert.deepEqual(await open('ORG-REVOKE'), []);
    });

    it('that a person took is theirs no more once all of theirs in the org are finished, and others are as they were', async () => {
      const takenBy = async (name: string, userId: string | null, orgId = 'ORG-DONE') => {
        await store.insert(inviteRecord({ id: `inv_${name}`, orgId, email: `${name}@done.test` }));
        if (userId !== null) await store.consume(`hash of inv_${name}`, userId, at(1));
      };
      await takenBy('d1', 'usr_done');
      await takenBy('d2', 'usr_other');
      await takenBy('d3', null);
      await takenBy('d4', 'usr_done', 'ORG-DONE-TOO');
      for (const hostile of HOSTILE) await store.finishAllOf(hostile, 'ORG-DONE', at(2));
      await store.finishAllOf('usr_done', 'ORG-DONE', at(2));
      assert.equal(await store.consume('hash of inv_d1', 'usr_done', at(3)), null);
      assert.equal((await store.findByTokenHash('hash of inv_d1'))?.finishedAt?.getTime(), at(2).getTime());
      assert.ok(await store.consume('hash of inv_d2', 'usr_other', at(3)));
      assert.ok(await store.consume('hash of inv_d3', 'usr_done', at(3)));
      assert.ok(await store.consume('hash of inv_d4', 'usr_done', at(3)));
    });

    it('lists open ones, newest first', async () => {
      for (const [index, id] of ['inv_l1', 'inv_l2', 'inv_l3'].entries()) {
        await store.insert(inviteRecord({ id, orgId: 'ORG-LIST', email: `${id}@example.test`, createdAt: at(index) }));
      }
      assert.deepEqual(await open('ORG-LIST'), ['inv_l3', 'inv_l2', 'inv_l1']);
    });
  });
}
