import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../../../domain/clock.ts';
import type { AuthorizationCodeStore } from '../../../domain/identity/ports.ts';
import { HOSTILE, winners } from './at-once.ts';
import { at, authorizationCode } from './records.ts';

const DAY = 86_400;

/** What every {@link AuthorizationCodeStore} guarantees. */
export function authorizationCodeStoreSuite(create: (now: Clock) => AuthorizationCodeStore): void {
  const store = create(() => at(10));

  describe('AuthorizationCodeStore', () => {
    it('gives back what was put in, once; null and false for what it does not know', async () => {
      const code = authorizationCode('code whole', { nonce: null });
      await store.insert(code);
      assert.deepEqual(await store.find('code whole'), code);
      await assert.rejects(store.insert(authorizationCode('code whole', { userId: 'usr_thief' })), {
        code: 'CONFLICT',
      });
      for (const text of ['none', ...HOSTILE]) {
        assert.equal(await store.find(text), null, text);
        assert.equal(await store.redeem(text, 'grt_1', at(1)), false, text);
      }
    });

    it('of 50 redemptions at once one gets it, and the code says for which grant', async () => {
      await store.insert(authorizationCode('code race'));
      const won: string[] = [];
      const redeem = async (caller: number) => {
        const taken = await store.redeem('code race', `grt_${caller}`, at(1));
        if (taken) won.push(`grt_${caller}`);
        return taken;
      };
      assert.equal(await winners(redeem), 1);
      assert.equal((await store.find('code race'))?.redeemedFor, won[0]);
    });

    it('is redeemed until the moment it expires, and not at that moment', async () => {
      const code = authorizationCode('code late');
      await store.insert(code);
      await store.insert(authorizationCode('code in time'));
      assert.equal(await store.redeem('code late', 'grt_1', code.expiresAt), false);
      assert.equal(await create(() => code.expiresAt).find('code late'), null);
      assert.equal(await store.redeem('code in time', 'grt_1', new Date(code.expiresAt.getTime() - 1)), true);
    });

    it('a redeemed code is known for as long as its grant may live, so that a replay is recognised', async () => {
      await store.insert(authorizationCode('code replayed'));
      await store.redeem('code replayed', 'grt_replayed', at(1));
      for (const days of [1, 30, 89]) {
        const later = create(() => at(days * DAY));
        await later.insert(authorizationCode(`code of day ${days}`, { expiresAt: at(days * DAY + 60) }));
        assert.equal((await later.find('code replayed'))?.redeemedFor, 'grt_replayed', `${days} days later`);
        assert.equal(await later.redeem('code replayed', 'grt_2', at(days * DAY)), false);
      }
    });
  });
}
