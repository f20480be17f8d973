import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../../../domain/clock.ts';
import type { DeviceAuthorizationStore } from '../../../domain/identity/ports.ts';
import { atOnce, CALLERS, HOSTILE, refusals, winners } from './at-once.ts';
import { at, deviceAuthorization, LIFE_SECONDS } from './records.ts';

const approval = (userId: string) =>
  ({ userId, sessionId: 'ses_1', methods: ['pwd'], authenticatedAt: at(0) }) as const;

/** What every {@link DeviceAuthorizationStore} guarantees. */
export function deviceAuthorizationStoreSuite(create: (now: Clock) => DeviceAuthorizationStore): void {
  const store = create(() => at(10));
  const insert = (name: string) =>
    store.insert(deviceAuthorization({ deviceCodeHash: `dev ${name}`, userCode: `USER ${name}` }));

  describe('DeviceAuthorizationStore', () => {
    it('gives back what was put in, and null for what it does not know', async () => {
      const device = deviceAuthorization({ deviceCodeHash: 'dev whole', userCode: 'WHOLE' });
      await store.insert(device);
      assert.deepEqual(await store.findByUserCode('WHOLE', at(1)), device);
      assert.deepEqual(await store.findByDeviceCodeHash('dev whole'), device);
      for (const text of ['none', ...HOSTILE]) {
        assert.equal(await store.findByUserCode(text, at(1)), null, text);
        assert.equal(await store.findByDeviceCodeHash(text), null, text);
        assert.equal(await store.poll(text, at(1)), null, text);
        assert.equal(await store.decide(text, null, at(1)), false, text);
        assert.equal(await store.redeem(text, 'grt_1', at(1)), false, text);
      }
    });

    it('a user code belongs to one flow while that lives, also when 50 begin with it at once', async () => {
      const begin = (caller: number) =>
        store.insert(deviceAuthorization({ deviceCodeHash: `dev r${caller}`, userCode: 'RACE' }));
      assert.equal(await refusals('CONFLICT', begin), CALLERS - 1);
    });

    it('the user code of a flow that has expired is free again', async () => {
      await insert('freed');
      const later = create(() => at(LIFE_SECONDS));
      const next = { deviceCodeHash: 'dev next', userCode: 'USER freed', expiresAt: at(2 * LIFE_SECONDS) };
      const tooEarly = create(() => at(LIFE_SECONDS - 1)).insert(deviceAuthorization(next));
      await assert.rejects(tooEarly, { code: 'CONFLICT' });
      await later.insert(deviceAuthorization(next));
      const found = await later.findByUserCode('USER freed', at(LIFE_SECONDS));
      assert.equal(found?.deviceCodeHash, 'dev next');
    });

    it('of 50 answers at once one counts, and none after it', async () => {
      await insert('decided');
      const won: (string | null)[] = [];
      const decide = async (caller: number) => {
        const userId = caller % 2 === 0 ? `usr_${caller}` : null;
        const counted = await store.decide('USER decided', userId === null ? null : approval(userId), at(2));
        if (counted) won.push(userId);
        return counted;
      };
      assert.equal(await winners(decide), 1);
      const device = await store.findByDeviceCodeHash('dev decided');
      assert.equal(device?.approval?.userId ?? null, won[0]);
      assert.equal(device?.status, won[0] === null ? 'denied' : 'approved');
    });

    it('of 50 redemptions at once one gets it; a flow nobody approved is never redeemed', async () => {
      for (const name of ['redeemed', 'denied', 'open']) await insert(name);
      await store.decide('USER redeemed', approval('usr_1'), at(1));
      await store.decide('USER denied', null, at(1));
      assert.equal(await winners((caller) => store.redeem('dev redeemed', `grt_${caller}`, at(2))), 1);
      const device = await store.findByDeviceCodeHash('dev redeemed');
      assert.equal(device?.status, 'redeemed');
      assert.match(device?.redeemedFor ?? '', /^grt_\d+$/);
      assert.equal(await store.redeem('dev denied', 'grt_1', at(2)), false);
      assert.equal(await store.redeem('dev open', 'grt_1', at(2)), false);
    });

    it('nothing is answered or taken at the moment it expires, but its device is still told of it', async () => {
      const device = deviceAuthorization({ deviceCodeHash: 'dev late', userCode: 'LATE' });
      await store.insert(device);
      const expiry = device.expiresAt;
      assert.equal(await store.findByUserCode('LATE', expiry), null);
      assert.equal(await store.decide('LATE', approval('usr_1'), expiry), false);
      assert.equal(await store.decide('LATE', approval('usr_1'), new Date(expiry.getTime() - 1)), true);
      assert.equal(await store.redeem('dev late', 'grt_1', expiry), false);
      const told = await create(() => expiry).poll('dev late', expiry);
      assert.deepEqual(told?.expiresAt, expiry);
      assert.deepEqual(await store.findByDeviceCodeHash('dev late'), told, 'the late poll changed nothing');
      assert.equal(await store.redeem('dev late', 'grt_1', new Date(expiry.getTime() - 1)), true);
    });

    it('a poll in time keeps the interval; one that comes too early makes it 5 seconds longer', async () => {
      await insert('polled');
      const before = async (seconds: number) => {
        const device = await store.poll('dev polled', at(seconds));
        return [device?.lastPolledAt ?? null, device?.intervalSeconds];
      };
      assert.deepEqual(await before(0), [null, 5]);
      assert.deepEqual(await before(5), [at(0), 5], 'exactly in time');
      assert.deepEqual(await before(9), [at(5), 5], 'a second too early');
      assert.deepEqual(await before(18), [at(9), 10], 'too early for the longer interval');
      assert.deepEqual(await before(33), [at(18), 15], 'in time');
      assert.deepEqual(await before(48), [at(33), 15]);
    });

    it('of 50 polls at once one came in time, and each of the others made the interval longer', async () => {
      await insert('rushed');
      const seen = await atOnce(() => store.poll('dev rushed', at(1)));
      assert.equal(seen.filter((device) => device?.lastPolledAt === null).length, 1);
      assert.equal((await store.findByDeviceCodeHash('dev rushed'))?.intervalSeconds, 5 + 5 * (CALLERS - 1));
    });
  });
}
