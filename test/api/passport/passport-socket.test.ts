import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { revokeGrant, revokeUser } from '../../../api/identity/revocation/revoke.ts';
import { voidAccessTokens } from '../../../api/identity/revocation/void-access-tokens.ts';
import { serviceClaims } from '../../../domain/identity/build-claims.ts';

import { untilRefused } from '../../support/denylist-reads.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { usePassportSockets } from './use-passport-sockets.ts';

describe('the passport socket', () => {
  const sockets = usePassportSockets();
  const { person, loginOf, listener, connected, closing } = sockets;

  it('says who somebody is on connect', async () => {
    const user = await person();
    const { state } = await connected(user);
    const [event] = state.events;
    assert.equal(event?.type, 'identity');
    const { identityId, orgSlug, orgName, roles, userType, permissions, connectedServices, branding } =
      event?.passport ?? {};
    assert.deepEqual(
      {
        identityId,
        orgSlug,
        orgName,
        roles,
        userType,
        permissions,
        connectedServices,
        displayName: branding?.displayName,
      },
      {
        identityId: user.id,
        orgSlug: 'acme',
        orgName: 'Org acme',
        roles: ['member'],
        userType: 'user',
        permissions: { scopes: ['openid', 'email'] },
        connectedServices: ['shop-prod'],
        displayName: 'Org acme',
      },
    );
  });

  it('closes with 4001 without a token, and 4003 for one that is not valid', async () => {
    for (const query of ['', '?token=', '?other=x']) assert.equal((await closing(listener(query))).code, 4001, query);
    const { token } = await loginOf(await person());
    const tampered = `${token.slice(0, -6)}AAAAAA`;
    for (const query of [`?token=${tampered}`, '?token=a.b.c', `?token=${token}&token=${token}`]) {
      const state = listener(query);
      assert.deepEqual([(await closing(state)).code, state.events], [4003, []], query);
    }
  });

  it('closes with 4003 for an expired or revoked token, and with 4004 for someone suspended or unknown', async () => {
    const revoked = await loginOf(await person());
    await revokeGrant(sockets.idp.deps, null, revoked.grantId, { actor: 'internal' });
    assert.equal((await closing(listener(`?token=${revoked.token}`))).code, 4003);
    const suspended = await person();
    const { token } = await loginOf(suspended);
    await sockets.idp.deps.users.update(suspended.id, { suspendedAt: sockets.idp.deps.now() });
    assert.equal((await closing(listener(`?token=${token}`))).code, 4004);
    const stranger = await person();
    const stale = await loginOf(stranger);
    await sockets.idp.db.collection('users').deleteOne({ email: stranger.email });
    assert.equal((await closing(listener(`?token=${stale.token}`))).code, 4004);
  });

  it('ends by an entry that became visible half a minute after its time', async () => {
    const { state, grantId } = await connected(await person());
    const reads = { count: 0 };
    const { revocations } = sockets.idp.deps;
    const since: typeof revocations.since = (moment) => {
      reads.count += 1;
      return revocations.since(moment);
    };
    Object.assign(sockets.idp.deps, { revocations: { ...revocations, since } });
    await waitUntil('two reads', () => reads.count >= 2);
    const now = sockets.idp.deps.now().getTime();
    const [made, expiresAt] = [new Date(now - 30_000), new Date(now + 3_600_000)];
    await revocations.add({ kind: 'grant', value: grantId, issuedUntil: made, revokedAt: made, expiresAt });
    assert.equal((await closing(state)).code, 4003);
    Object.assign(sockets.idp.deps, { revocations });
  });

  it('is ended once that can be judged, when the database was away at the moment of its revocation', async () => {
    const { state } = await connected(await person());
    const user = state.events[0]?.passport?.identityId ?? '';
    const { grants } = sockets.idp.deps;
    let failed = 0;
    const find: typeof grants.find = (id) => {
      failed += 1;
      return failed > 2 ? grants.find(id) : Promise.reject(new Error('the database is away'));
    };
    Object.assign(sockets.idp.deps, { grants: { ...grants, find } });
    await voidAccessTokens(sockets.idp.deps, user);
    assert.equal((await closing(state)).code, 4003);
    Object.assign(sockets.idp.deps, { grants });
  });

  it('tells of a changed role, org and branding, to all of a person’s connections and to nobody else', async () => {
    const user = await person();
    const [one, two, other] = [
      await connected(user),
      await connected(user),
      await connected(await person(), 'fairlead-cli'),
    ];
    const acme = await sockets.idp.deps.orgs.find('acme');
    assert.ok(acme !== null);
    const membership = await sockets.idp.deps.memberships.find(user.id, acme.id);
    assert.ok(membership !== null);
    await sockets.idp.deps.memberships.put({ ...membership, roles: ['admin'] });
    for (const { state } of [one, two]) await waitUntil('the new role', () => state.events.length === 2);
    assert.deepEqual(
      [one.state.events[1]?.type, one.state.events[1]?.passport?.roles],
      ['passport_updated', ['admin']],
    );

    const beta = await sockets.idp.deps.orgs.find('beta');
    assert.ok(beta !== null);
    await sockets.idp.deps.memberships.put({ ...membership, orgId: beta.id, orgSlug: 'beta', roles: ['viewer'] });
    await waitUntil('the new org', () => one.state.events.length === 3);
    assert.deepEqual(one.state.events[2]?.passport?.orgs.map(({ orgSlug }) => orgSlug).sort(), ['acme', 'beta']);

    await sockets.idp.deps.orgs.update(acme.id, { whiteLabel: { ...acme.whiteLabel, primaryColor: '#112233' } });
    await waitUntil('the new branding', () => one.state.events.length === 4);
    assert.equal(one.state.events[3]?.passport?.branding?.primaryColor, '#112233');
    assert.equal(other.state.events.length, 1, 'a client without branding, a person without the change');
  });

  it('says revoked and closes with 4003 with the next look after a log-out, and goes on for others', async (t) => {
    const [gone, stays] = [await connected(await person()), await connected(await person())];
    await revokeGrant(sockets.idp.deps, null, gone.grantId, { actor: 'internal' });
    const looks = t.mock.method(sockets.idp.deps.revocations, 'since');
    await untilRefused(
      async () => gone.state.closed === null,
      () => looks.mock.callCount(),
    );
    assert.deepEqual([gone.state.closed?.code, gone.state.events.at(-1)], [4003, { type: 'revoked' }]);
    assert.equal(stays.state.closed, null);
  });

  it('shows the new passport and asks for a new token when rights are taken away, for the login goes on', async () => {
    const user = await person();
    const { state } = await connected(user);
    const acme = await sockets.idp.deps.orgs.find('acme');
    const membership = await sockets.idp.deps.memberships.find(user.id, acme?.id ?? '');
    assert.ok(membership !== null);
    await sockets.idp.deps.memberships.put({ ...membership, roles: ['viewer'] });
    await voidAccessTokens(sockets.idp.deps, user.id);
    const { code } = await closing(state);
    const last = state.events.at(-1);
    assert.deepEqual([code, last?.type, last?.passport?.roles], [4003, 'passport_updated', ['viewer']]);
    assert.ok(!state.events.some(({ type }) => type === 'revoked'));
  });

  it('says revoked and closes with 4004 when the person is suspended', async () => {
    const user = await person();
    const { state } = await connected(user);
    await sockets.idp.deps.users.update(user.id, { suspendedAt: sockets.idp.deps.now() });
    assert.deepEqual([(await closing(state)).code, state.events.at(-1)], [4004, { type: 'revoked' }]);
  });

  it('ends all of a person’s connections at once', async () => {
    const user = await person();
    const all = [await connected(user), await connected(user), await connected(user)];
    await revokeUser(sockets.idp.deps, null, user.id, { actor: 'internal' });
    for (const { state } of all) assert.equal((await closing(state)).code, 4003);
  });

  it('gives a service its own passport', async () => {
    const issuedAt = sockets.idp.deps.now();
    const expiresAt = new Date(issuedAt.getTime() + 60_000);
    const frame = {
      issuer: sockets.idp.issuer,
      tokenId: sockets.idp.deps.newId('token'),
      audience: ['x'],
      issuedAt,
      expiresAt,
      scopes: [],
    };
    const client = { clientId: 'shop-prod', orgSlug: 'acme' };
    const token = await sockets.idp.deps.signer.sign(serviceClaims(frame, client), 'at+jwt');
    const state = listener(`?token=${token}`);
    await waitUntil('the identity', () => state.events.length === 1);
    const { identityId, userType, orgSlug } = state.events[0]?.passport ?? {};
    assert.deepEqual([identityId, userType, orgSlug], ['shop-prod', 'service', 'acme']);
  });

  it('closes with 4003 when the token expires, without saying revoked: a new token continues the login', async () => {
    const { state } = await connected(await person());
    sockets.idp.advance(3_601_000);
    assert.deepEqual([(await closing(state)).code, state.events.map(({ type }) => type)], [4003, ['identity']]);
  });
});
