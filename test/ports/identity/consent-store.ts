import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ConsentStore } from '../../../domain/identity/ports.ts';
import { atOnce, CALLERS, HOSTILE, winners } from './at-once.ts';
import { at } from './records.ts';

/** What every {@link ConsentStore} guarantees. */
export function consentStoreSuite(create: () => ConsentStore): void {
  const store = create();

  describe('ConsentStore', () => {
    it('50 consents at once are all kept, each scope once', async () => {
      await atOnce((caller) => store.add('usr_race', 'shop', ['openid', `s:${caller}`], at(caller)));
      const scopes = await store.find('usr_race', 'shop');
      assert.equal(scopes.length, CALLERS + 1);
      assert.equal(new Set(scopes).size, CALLERS + 1);
    });

    it('counts for that person and that client alone, and is taken back once', async () => {
      await store.add('usr_one', 'shop', ['openid'], at(0));
      await store.add('usr_one', 'blog', ['email'], at(0));
      assert.deepEqual(await store.find('usr_two', 'shop'), []);
      assert.equal(await winners(() => store.remove('usr_one', 'shop')), 1);
      assert.deepEqual(await store.find('usr_one', 'shop'), []);
      assert.deepEqual(await store.find('usr_one', 'blog'), ['email']);
    });

    it('takes what it is given for values', async () => {
      for (const text of HOSTILE) {
        assert.deepEqual(await store.find('usr_one', text), [], text);
        assert.equal(await store.remove(text, text), false, text);
      }
      await store.add('$gt', 'a.b', HOSTILE, at(0));
      assert.deepEqual(await store.find('$gt', 'a.b'), HOSTILE);
      assert.deepEqual(await store.find('usr_one', 'blog'), ['email']);
    });

    it('forgets all that people agreed to for a client that is gone, and nothing for others', async () => {
      for (const [user, client] of [
        ['usr_c1', 'gone'],
        ['usr_c2', 'gone'],
        ['usr_c1', 'stays'],
      ] as const) {
        await store.add(user, client, ['openid'], at(1));
      }
      for (const clientId of ['gone', ...HOSTILE]) await store.removeAllOfClient(clientId);
      for (const user of ['usr_c1', 'usr_c2']) assert.deepEqual(await store.find(user, 'gone'), []);
      assert.deepEqual(await store.find('usr_c1', 'stays'), ['openid']);
    });
  });
}
