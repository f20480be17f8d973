import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SigningKeyStore } from '../../../domain/identity/ports.ts';
import { winners } from './at-once.ts';
import { at, signingKey } from './records.ts';

/** What every {@link SigningKeyStore} guarantees; begins with an empty one. */
export function signingKeyStoreSuite(create: () => SigningKeyStore): void {
  const store = create();

  describe('SigningKeyStore', () => {
    it('has version 0 and no keys before the first write', async () => {
      const nothing = { version: 0, keys: [], withdrawn: [] };
      assert.deepEqual(await store.read(), nothing);
      assert.equal(await store.write(1, [signingKey('key_early')]), false);
      assert.deepEqual(await store.read(), nothing);
      assert.deepEqual(await store.readWithdrawn(), []);
    });

    it('of 50 first writers at once one gets through, and so of 50 that replace a version', async () => {
      for (const version of [0, 1, 2]) {
        const won: number[] = [];
        const write = async (caller: number) => {
          const through = await store.write(version, [signingKey(`key_${version}_${caller}`)]);
          if (through) won.push(caller);
          return through;
        };
        assert.equal(await winners(write), 1, `version ${version}`);
        const keys = [signingKey(`key_${version}_${won[0]}`)];
        assert.deepEqual(await store.read(), { version: version + 1, keys, withdrawn: [] });
      }
    });

    it('gives back keys of every state as they were put in, and refuses a version that is past', async () => {
      const { version } = await store.read();
      const keys = [
        signingKey('key_a', { state: 'retiring', activatedAt: at(1), retiredAt: at(2) }),
        signingKey('key_b', { state: 'active', activatedAt: at(2) }),
        signingKey('key_c'),
      ];
      assert.equal(await store.write(version, keys), true);
      assert.deepEqual((await store.read()).keys, keys);
      for (const past of [0, version, version + 2]) assert.equal(await store.write(past, []), false, `${past}`);
      assert.deepEqual((await store.read()).keys, keys);
    });

    it('writes withdrawn keys with the others in one version, and keeps them when only the others change', async () => {
      const { version } = await store.read();
      const withdrawn = [{ id: 'key_leaked', withdrawnAt: at(3) }];
      assert.equal(await store.write(version, [signingKey('key_d')], withdrawn), true);
      assert.equal(await store.write(version, [signingKey('key_e')], []), false);
      assert.equal(await store.write(version + 1, [signingKey('key_f')]), true);
      assert.deepEqual(await store.read(), { version: version + 2, keys: [signingKey('key_f')], withdrawn });
      assert.deepEqual(await store.readWithdrawn(), withdrawn);
    });
  });
}
