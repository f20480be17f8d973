import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Clock } from '../../../domain/clock.ts';
import type { UserChanges, UserStore } from '../../../domain/identity/ports.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import { allPages } from './all-pages.ts';
import { CALLERS, HOSTILE, refusals, winners } from './at-once.ts';
import { at, passkey, totpFactor, userRecord } from './records.ts';

/** What every {@link UserStore} guarantees, second factors apart (user-factors.ts). */
export function userStoreSuite(create: (now: Clock) => UserStore): void {
  const store = create(() => at(10));

  describe('UserStore', () => {
    it('gives back who was put in, and null for whom it does not know', async () => {
      const user = userRecord({
        id: 'usr_whole',
        totp: totpFactor(),
        passkeys: [passkey('cred-whole')],
        recoveryCodes: ['a', 'b'],
        onboardingPending: { orgSlug: 'acme', clientId: 'shop', since: at(0) },
      });
      await store.insert(user);
      assert.deepEqual(await store.find('usr_whole'), user);
      assert.deepEqual(await store.findByEmail(user.email), user);
      for (const text of ['usr_none', ...HOSTILE]) {
        assert.equal(await store.find(text), null, text);
        assert.equal(await store.findByEmail(text), null, text);
        assert.equal(await store.findByPasskey(text), null, text);
      }
      assert.equal(await store.update('usr_none', { firstName: 'x' }), null);
      assert.equal(await store.setPassword('usr_none', 0, 'x'), false);
    });

    it('finds many at once: those that exist, each once', async () => {
      for (const id of ['usr_found1', 'usr_found2'])
        await store.insert(userRecord({ id, email: `${id}@example.test` }));
      const found = await store.findMany(['usr_found2', 'usr_none', 'usr_found1', 'usr_found2', ...HOSTILE]);
      assert.deepEqual(found.map(({ id }) => id).sort(), ['usr_found1', 'usr_found2']);
      assert.deepEqual(await store.findMany([]), []);
    });

    it('50 sign-ups with one address at once make one account', async () => {
      const insert = (caller: number) => store.insert(userRecord({ id: `usr_s${caller}`, email: 'one@example.test' }));
      assert.equal(await refusals('USER_EXISTS', insert), CALLERS - 1);
    });

    it('sets what is given, keeps the rest, and writes no field that is not one to change', async () => {
      const user = userRecord({ id: 'usr_change', avatar: 'a.png' });
      await store.insert(user);
      const changed = await store.update('usr_change', { firstName: 'Grace', avatar: null, suspendedAt: at(3) });
      assert.deepEqual(changed, { ...user, firstName: 'Grace', avatar: null, suspendedAt: at(3), updatedAt: at(10) });
      const smuggled = { passwordHash: 'x', email: 'x@example.test', 'totp.lastStep': 1, passkeys: [] };
      await store.update('usr_change', smuggled as unknown as UserChanges);
      assert.deepEqual(await store.find('usr_change'), changed);
    });

    it('of 50 that change the platform roles they read at once one does; who read others changes nothing', async () => {
      await store.insert(userRecord({ id: 'usr_roles', platformRoles: ['developer'] }));
      const given = (caller: number) => (caller % 2 === 0 ? (['developer', 'devops'] as const) : ([] as const));
      const before = { platformRoles: ['developer'] as const };
      const change = async (caller: number) =>
        (await store.update('usr_roles', { platformRoles: given(caller), firstName: `${caller}` }, before)) !== null;
      assert.equal(await winners(change), 1);
      const user = await store.find('usr_roles');
      assert.deepEqual(user?.platformRoles, given(Number(user?.firstName)));
      for (const platformRoles of [['developer'], ['super_admin', 'developer']] as const) {
        assert.equal(await store.update('usr_roles', { platformRoles: ['super_admin'] }, { platformRoles }), null);
      }
      assert.deepEqual(await store.find('usr_roles'), user);
    });

    it('lists by address, in pages that miss and repeat nothing, and by a prefix that is no pattern', async () => {
      for (const name of ['pb', 'pa.x', 'pa', 'paz']) {
        await store.insert(userRecord({ id: `usr_${name}`, email: `${name}@list.test` }));
      }
      const emails = async (query: string | null) =>
        (await allPages((page) => store.list({ query }, page), 2)).map((user) => user.email);
      assert.deepEqual(await emails('pa'), ['pa.x@list.test', 'pa@list.test', 'paz@list.test']);
      assert.deepEqual(await emails('pa@'), ['pa@list.test']);
      for (const query of HOSTILE.filter((text) => text !== '')) assert.deepEqual(await emails(query), [], query);
      const all = await emails(null);
      assert.deepEqual(all, [...all].sort());
      assert.deepEqual(await emails(''), all);
    });

    it('lists those alone who have a platform role, suspended people as well, in pages', async () => {
      const insert = (name: string, fields: Partial<UserRecord> = {}) =>
        store.insert(userRecord({ id: `usr_${name}`, email: `${name}@holders.test`, ...fields }));
      await insert('plain');
      await insert('holder1', { platformRoles: ['devops'] });
      await insert('holder2', { platformRoles: ['developer', 'devops'], suspendedAt: at(1) });
      const names = async (query: string | null) =>
        (await allPages((page) => store.list({ query, platformRoles: true }, page), 1)).map((user) => user.email);
      assert.deepEqual(await names('holder'), ['holder1@holders.test', 'holder2@holders.test']);
      assert.ok((await names(null)).includes('holder2@holders.test'));
      assert.deepEqual(await names('plain'), []);
    });

    it('counts who has a platform role, suspended people left out', async () => {
      const admin = (id: string, suspendedAt: Date | null) =>
        store.insert(userRecord({ id, platformRoles: ['developer', 'super_admin'], suspendedAt }));
      assert.equal(await store.countWithPlatformRole('super_admin'), 0);
      await admin('usr_admin1', null);
      await admin('usr_admin2', at(1));
      assert.equal(await store.countWithPlatformRole('super_admin'), 1);
      for (const role of ['super', ...HOSTILE]) assert.equal(await store.countWithPlatformRole(role), 0, role);
    });

    it('a rehash takes the place of the hash it was made from, and of no other', async () => {
      await store.insert(userRecord({ id: 'usr_hash', passwordHash: 'old' }));
      await store.upgradePasswordHash('usr_hash', 'older', 'wrong');
      assert.equal((await store.find('usr_hash'))?.passwordHash, 'old');
      await store.upgradePasswordHash('usr_hash', 'old', 'new');
      assert.equal((await store.find('usr_hash'))?.passwordHash, 'new');
    });
  });

  describe('UserStore, passwords', () => {
    it('of 50 that replace one password at once one does, and its version grows by one', async () => {
      await store.insert(userRecord({ id: 'usr_replace', passwordHash: 'old' }));
      const won: string[] = [];
      const replace = async (caller: number) => {
        const done = await store.setPassword('usr_replace', 0, `hash ${caller}`);
        if (done) won.push(`hash ${caller}`);
        return done;
      };
      assert.equal(await winners(replace), 1);
      const user = await store.find('usr_replace');
      assert.deepEqual([user?.passwordHash, user?.passwordVersion], [won[0], 1]);
      for (const version of [0, 2]) assert.equal(await store.setPassword('usr_replace', version, 'late'), false);
      assert.equal(await store.setPassword('usr_replace', 1, 'next'), true);
    });

    it('says with a new password which logins are to end, until they have; an older call ends nothing of a newer one', async () => {
      await store.insert(userRecord({ id: 'usr_ending' }));
      const ending = async () => (await store.find('usr_ending'))?.endingLogins;
      assert.equal(await ending(), null);
      await store.setPassword('usr_ending', 0, 'first');
      assert.deepEqual(await ending(), { keepSession: null });
      await store.setPassword('usr_ending', 1, 'second', { keepSession: 'ses_kept', withoutFactors: true });
      await store.loginsEnded('usr_ending', 1);
      assert.deepEqual(await ending(), { keepSession: 'ses_kept' });
      await store.loginsEnded('usr_ending', 2);
      assert.equal(await ending(), null);
    });

    it('a first password makes a new version, a rehash does not', async () => {
      const onboardingPending = { orgSlug: 'acme', clientId: 'shop', since: at(0) };
      await store.insert(userRecord({ id: 'usr_version', onboardingPending }));
      await store.consumeOnboarding('usr_version', 'acme', 'first');
      await store.upgradePasswordHash('usr_version', 'first', 'rehashed');
      assert.equal((await store.find('usr_version'))?.passwordVersion, 1);
    });
  });

  describe('UserStore, onboarding', () => {
    const pending = { orgSlug: 'acme', clientId: 'shop', since: at(0) };

    it('of 50 that set the initial password at once one does, and it is the one that counts', async () => {
      await store.insert(userRecord({ id: 'usr_onboard', onboardingPending: pending }));
      for (const org of ['other', ...HOSTILE]) {
        assert.equal(await store.consumeOnboarding('usr_onboard', org, 'thief'), false, org);
      }
      const won: string[] = [];
      const consume = async (caller: number) => {
        const taken = await store.consumeOnboarding('usr_onboard', 'acme', `hash ${caller}`);
        if (taken) won.push(`hash ${caller}`);
        return taken;
      };
      assert.equal(await winners(consume), 1);
      const user = await store.find('usr_onboard');
      assert.equal(user?.onboardingPending, null);
      assert.equal(user?.passwordHash, won[0]);
    });

    it('a password or a login clears the marker; a rehash does not', async () => {
      const marked = { onboardingPending: pending, passwordHash: 'old' };
      for (const id of ['usr_marked1', 'usr_marked2', 'usr_marked3']) await store.insert(userRecord({ id, ...marked }));
      assert.equal(await store.setPassword('usr_marked1', 0, 'new'), true);
      await store.clearOnboarding('usr_marked2');
      await store.upgradePasswordHash('usr_marked3', 'old', 'new');
      assert.equal((await store.find('usr_marked1'))?.passwordHash, 'new');
      assert.equal(await store.consumeOnboarding('usr_marked1', 'acme', 'late'), false);
      assert.equal(await store.consumeOnboarding('usr_marked2', 'acme', 'late'), false);
      assert.equal(await store.consumeOnboarding('usr_marked3', 'acme', 'in time'), true);
    });
  });
}
