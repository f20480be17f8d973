import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../../../domain/clock.ts';
import type { UserStore } from '../../../domain/identity/ports.ts';
import { CALLERS, HOSTILE, winners } from './at-once.ts';
import { at, passkey, totpFactor, userRecord } from './records.ts';

/** What every {@link UserStore} guarantees about second factors. */
export function userFactorsSuite(create: (now: Clock) => UserStore): void {
  const store = create(() => at(10));

  describe('UserStore, codes', () => {
    it('a code of a time step is taken once, by one of 50 at once, and none of an earlier step after it', async () => {
      await store.insert(userRecord({ id: 'usr_totp', totp: totpFactor() }));
      assert.equal(await winners(() => store.takeTotpStep('usr_totp', 100)), 1);
      assert.equal(await store.takeTotpStep('usr_totp', 100), false);
      assert.equal(await store.takeTotpStep('usr_totp', 99), false);
      assert.equal(await store.takeTotpStep('usr_totp', 101), true);
      assert.equal((await store.find('usr_totp'))?.totp?.lastStep, 101);
    });

    it('takes no code of a generator that is not confirmed, or that is not there', async () => {
      await store.insert(userRecord({ id: 'usr_unconfirmed', totp: totpFactor({ confirmedAt: null }) }));
      await store.insert(userRecord({ id: 'usr_nototp' }));
      for (const id of ['usr_unconfirmed', 'usr_nototp', 'usr_none']) {
        assert.equal(await store.takeTotpStep(id, 1), false, id);
      }
    });

    it('a generator is confirmed once, while it is still the one that was shown, and its first code is used up', async () => {
      const { secret } = totpFactor();
      await store.insert(userRecord({ id: 'usr_confirm' }));
      assert.equal(await store.confirmTotp('usr_confirm', secret, 7, at(1), at(1)), false, 'there is none');
      await store.setTotp('usr_confirm', totpFactor({ confirmedAt: null }));
      for (const sealed of ['other', ...HOSTILE]) {
        assert.equal(
          await store.confirmTotp('usr_confirm', { keyId: secret.keyId, sealed }, 7, at(1), at(1)),
          false,
          sealed,
        );
      }
      assert.equal(await winners(() => store.confirmTotp('usr_confirm', secret, 7, at(1), at(1))), 1);
      assert.deepEqual(
        (await store.find('usr_confirm'))?.totp,
        totpFactor({ confirmedAt: at(1), lastStep: 7, since: at(1) }),
      );
      assert.equal(await store.takeTotpStep('usr_confirm', 7), false);
      assert.equal(await store.setTotp('usr_confirm', totpFactor({ confirmedAt: null })), false, 'one is in use');
      assert.deepEqual((await store.find('usr_confirm'))?.totp?.confirmedAt, at(1));
      await store.setTotp('usr_confirm', null);
      assert.equal((await store.find('usr_confirm'))?.totp, null);
    });

    it('each recovery code is taken by one of 50 at once', async () => {
      await store.insert(userRecord({ id: 'usr_recovery', recoveryCodes: ['a', 'b', 'c'] }));
      assert.equal(await winners(() => store.takeRecoveryCode('usr_recovery', 'b')), 1);
      assert.deepEqual((await store.find('usr_recovery'))?.recoveryCodes, ['a', 'c']);
      for (const code of ['b', 'none', ...HOSTILE]) {
        assert.equal(await store.takeRecoveryCode('usr_recovery', code), false, code);
      }
      assert.equal(await winners((caller) => store.takeRecoveryCode('usr_recovery', caller % 2 ? 'a' : 'c')), 2);
    });
  });

  describe('UserStore, passkeys', () => {
    it('a credential belongs to one person: of 50 who register it at once one does', async () => {
      for (let caller = 0; caller < CALLERS; caller += 1) await store.insert(userRecord({ id: `usr_k${caller}` }));
      assert.equal(await winners((caller) => store.addPasskey(`usr_k${caller}`, passkey('cred-race'), 0)), 1);
      const owner = await store.findByPasskey('cred-race');
      assert.deepEqual(owner?.passkeys, [passkey('cred-race')]);
      assert.equal(await store.addPasskey(owner?.id ?? '', passkey('cred-race', { name: 'again' }), 0), false);
      assert.deepEqual((await store.findByPasskey('cred-race'))?.passkeys, [passkey('cred-race')]);
    });

    it('a credential of a registration that was begun before a reset is not added, and is free again', async () => {
      for (const id of ['usr_late', 'usr_next']) await store.insert(userRecord({ id }));
      assert.equal(await store.setPassword('usr_late', 0, 'new'), true);
      assert.equal(await store.addPasskey('usr_late', passkey('cred-late'), 0), false);
      assert.equal(await store.addPasskey('usr_next', passkey('cred-late'), 0), true);
    });

    it('a password is set, or taken away, with all second factors or with none of them', async () => {
      const factors = { totp: totpFactor(), recoveryCodes: ['a'] };
      for (const id of ['usr_with', 'usr_other']) await store.insert(userRecord({ id, ...factors }));
      await store.addPasskey('usr_with', passkey('cred-with'), 0);
      assert.equal(await store.setPassword('usr_with', 0, 'new'), true);
      assert.deepEqual((await store.find('usr_with'))?.passkeys.length, 1);
      assert.equal(await store.setPassword('usr_with', 0, null, { withoutFactors: true }), false, 'of another version');
      assert.deepEqual((await store.find('usr_with'))?.passkeys.length, 1);
      assert.equal(await store.setPassword('usr_with', 1, null, { withoutFactors: true }), true);
      const { totp, passkeys, recoveryCodes, passwordHash, passwordVersion } = (await store.find('usr_with')) ?? {};
      assert.deepEqual([totp, passkeys, recoveryCodes, passwordHash, passwordVersion], [null, [], [], null, 2]);
      assert.equal(await store.addPasskey('usr_other', passkey('cred-with'), 0), true, 'it is free again');
    });

    it('50 registrations by one person at once make one passkey', async () => {
      await store.insert(userRecord({ id: 'usr_same' }));
      assert.equal(await winners(() => store.addPasskey('usr_same', passkey('cred-same'), 0)), 1);
    });

    it('a credential whose passkey was removed, or whose owner never was, is free again', async () => {
      for (const id of ['usr_key1', 'usr_key2']) await store.insert(userRecord({ id }));
      assert.equal(await store.addPasskey('usr_none', passkey('cred-free'), 0), false);
      assert.equal(await store.addPasskey('usr_key1', passkey('cred-free'), 0), true);
      assert.equal(await store.addPasskey('usr_key1', passkey('cred-kept'), 0), true);
      assert.equal(await store.removePasskey('usr_key2', 'cred-free'), false, 'it is not theirs');
      assert.equal(await winners(() => store.removePasskey('usr_key1', 'cred-free')), 1);
      assert.equal(await store.findByPasskey('cred-free'), null);
      assert.equal(await store.addPasskey('usr_key2', passkey('cred-free'), 0), true);
      assert.deepEqual((await store.find('usr_key1'))?.passkeys, [passkey('cred-kept')]);
    });

    it('a counter that does not grow gives a cloned authenticator away; one that is always zero does not count', async () => {
      await store.insert(userRecord({ id: 'usr_counter' }));
      await store.addPasskey('usr_counter', passkey('cred-count', { counter: 5 }), 0);
      await store.addPasskey('usr_counter', passkey('cred-zero'), 0);
      const use = (credentialId: string, counter: number) =>
        store.usePasskey('usr_counter', credentialId, counter, at(9));
      assert.equal(await use('cred-count', 5), false);
      assert.equal(await use('cred-count', 4), false);
      assert.equal(await use('cred-count', 0), false);
      assert.equal(await winners(() => use('cred-count', 6)), 1, 'one signature is one use');
      assert.equal(await use('cred-zero', 0), true);
      assert.equal(await use('cred-zero', 0), true);
      assert.deepEqual((await store.find('usr_counter'))?.passkeys, [
        passkey('cred-count', { counter: 6, lastUsedAt: at(9) }),
        passkey('cred-zero', { lastUsedAt: at(9) }),
      ]);
      for (const credentialId of ['cred-none', ...HOSTILE])
        assert.equal(await use(credentialId, 9), false, credentialId);
    });
  });
}
