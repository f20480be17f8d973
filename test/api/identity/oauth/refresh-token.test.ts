import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { revokeGrant, revokeSession, revokeUser } from '../../../../api/identity/revocation/revoke.ts';
import { voidAccessTokens } from '../../../../api/identity/revocation/void-access-tokens.ts';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { claimsOf, createLogins, fifty, type Logins, type Seeded } from './logins.ts';

const GRACE_MS = 30_000;

describe('a refresh token', () => {
  let idp: TestIdp;
  let logins: Logins;
  let shop: Seeded;
  let ada: UserRecord;
  before(async () => {
    idp = await startIdp({ database: 'server' });
    logins = createLogins(idp);
    await idp.seedOrg('acme');
    shop = await logins.client({ clientId: 'shop-prod', orgSlug: 'acme' });
    ada = await logins.person({ org: 'acme' });
  });
  after(() => idp.stop());

  const active = async (token: string | undefined): Promise<boolean> => (await logins.introspect(shop, token)).active;

  it('gives a new pair of the same login, with roles as they are now', async () => {
    const bob = await logins.person({ org: 'acme' });
    const { tokens } = await logins.login(shop, bob);
    const org = await idp.deps.orgs.find('acme');
    const membership = await idp.deps.memberships.find(bob.id, org?.id ?? '');
    assert.ok(membership);
    await idp.deps.memberships.put({ ...membership, roles: ['admin'] });
    const { status, body } = await logins.refresh(shop, tokens.refresh_token);
    assert.equal(status, 200);
    assert.notEqual(body.refresh_token, tokens.refresh_token);
    const [before, afterwards] = [claimsOf(tokens.access_token ?? ''), claimsOf(body.access_token)];
    assert.equal(afterwards.gid, before.gid);
    assert.equal(afterwards.sid, before.sid);
    assert.equal(afterwards.auth_time, before.auth_time);
    assert.notEqual(afterwards.jti, before.jti);
    assert.deepEqual([before.orgRoles, afterwards.orgRoles], [['member'], ['admin']]);
  });

  it('of fifty at once one makes the new pair and all get that pair', async () => {
    const { tokens } = await logins.login(shop, ada);
    const answers = await fifty(() => logins.refresh(shop, tokens.refresh_token));
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.ok(await active(answers[0]?.body.access_token));
  });

  it('repeated within the grace gives the same reply; after it the whole login ends', async () => {
    const { tokens } = await logins.login(shop, ada);
    const first = await logins.refresh(shop, tokens.refresh_token);
    idp.advance(GRACE_MS - 2_000);
    assert.equal((await logins.refresh(shop, tokens.refresh_token)).text, first.text);
    idp.advance(2_000);
    const replay = await logins.refresh(shop, tokens.refresh_token);
    assert.deepEqual([replay.status, replay.body.error], [400, 'invalid_grant']);
    assert.equal((await logins.refresh(shop, first.body.refresh_token)).body.error, 'invalid_grant');
    assert.equal(await active(first.body.access_token), false);
    const grantId = String(claimsOf(tokens.access_token ?? '').gid);
    const { items } = await idp.deps.audit.list({ type: 'oauth.grant_revoked' }, { cursor: null, limit: 10 });
    const ends = items.filter(({ subject }) => subject === grantId);
    assert.deepEqual(
      ends.map(({ data }) => data.reason),
      ['refresh token used again'],
    );
  });

  it('two generations old is a replay even within the grace', async () => {
    const { tokens } = await logins.login(shop, ada);
    const first = await logins.refresh(shop, tokens.refresh_token);
    const second = await logins.refresh(shop, first.body.refresh_token);
    assert.equal((await logins.refresh(shop, tokens.refresh_token)).body.error, 'invalid_grant');
    assert.equal((await logins.refresh(shop, second.body.refresh_token)).body.error, 'invalid_grant');
  });

  it('that we did not make is refused and ends nothing', async () => {
    const { tokens } = await logins.login(shop, ada);
    const genuine = tokens.refresh_token ?? '';
    const [grantId, , mac] = genuine.split('.');
    const forged = [
      `${grantId}.1.${mac}`,
      `${grantId}.0.${'A'.repeat(43)}`,
      `${genuine}=`,
      `${genuine.slice(0, -1)}${genuine.endsWith('A') ? 'B' : 'A'}`,
      grantId ?? '',
      '{"$gt":""}',
    ];
    for (const token of forged) assert.equal((await logins.refresh(shop, token)).body.error, 'invalid_grant', token);
    assert.equal((await logins.refresh(shop, genuine)).status, 200);
  });

  it('of another client is refused and ends nothing', async () => {
    const { tokens } = await logins.login(shop, ada);
    const other = await logins.client();
    assert.equal((await logins.refresh(other, tokens.refresh_token)).body.error, 'invalid_grant');
    assert.equal((await logins.refresh(shop, tokens.refresh_token)).status, 200);
  });

  it('narrows scopes for one access token, and never widens them', async () => {
    const { tokens } = await logins.login(shop, ada, { scopes: ['openid', 'email'] });
    const narrow = await logins.refresh(shop, tokens.refresh_token, { scope: 'email' });
    assert.equal(narrow.body.scope, 'email');
    assert.equal(narrow.body.id_token, undefined);
    const wide = await logins.refresh(shop, narrow.body.refresh_token);
    assert.equal(wide.body.scope, 'openid email');
    const more = await logins.refresh(shop, wide.body.refresh_token, { scope: 'openid profile' });
    assert.deepEqual([more.status, more.body.error], [400, 'invalid_scope']);
  });

  it('gives no scope that the client was refused since', async () => {
    const own = await logins.client();
    const { tokens } = await logins.login(own, ada);
    await idp.deps.clients.update(own.client.clientId, { allowedScopes: ['openid'] });
    assert.equal((await logins.refresh(own, tokens.refresh_token)).body.scope, 'openid');
  });

  it('narrows the audience, and never widens it', async () => {
    const { tokens } = await logins.login(shop, ada, { audience: ['shop-prod', 'builder'] });
    const narrow = await logins.refresh(shop, tokens.refresh_token, { resource: 'builder' });
    assert.equal(claimsOf(narrow.body.access_token).aud, 'builder');
    const { body } = await logins.refresh(shop, narrow.body.refresh_token, { resource: 'elsewhere' });
    assert.equal(body.error, 'invalid_target');
  });

  it('ends with the login however often it is refreshed, and the last access token with it', async () => {
    const own = await logins.client({ refreshTokenTtlSeconds: 3_600 });
    const { tokens } = await logins.login(own, ada);
    idp.advance(3_000_000);
    const late = await logins.refresh(own, tokens.refresh_token);
    assert.ok(late.body.expires_in <= 600, 'an access token does not outlive the login');
    idp.advance(600_000);
    assert.equal((await logins.refresh(own, late.body.refresh_token)).body.error, 'invalid_grant');
  });

  it('ends with its session, unless the login was to go on without it', async () => {
    const kept = await logins.client({ allowedScopes: ['openid', 'offline_access'] });
    const session = await logins.seedSession(ada);
    const short = await logins.login(shop, ada, { sessionId: session.id });
    const long = await logins.login(kept, ada, { sessionId: session.id, scopes: ['openid', 'offline_access'] });
    await revokeSession(idp.deps, null, session.id);
    assert.equal(await active(short.tokens.access_token), false);
    assert.equal((await logins.refresh(shop, short.tokens.refresh_token)).body.error, 'invalid_grant');
    assert.equal((await logins.introspect(kept, long.tokens.access_token)).active, true);
    assert.equal((await logins.refresh(kept, long.tokens.refresh_token)).status, 200);
  });

  it('ends with its grant and with its person; a login made afterwards is good', async () => {
    const bob = await logins.person({ org: 'acme' });
    const one = await logins.login(shop, bob);
    const two = await logins.login(shop, bob);
    await revokeGrant(idp.deps, null, String(claimsOf(one.tokens.access_token ?? '').gid));
    assert.deepEqual([await active(one.tokens.access_token), await active(two.tokens.access_token)], [false, true]);
    await revokeUser(idp.deps, null, bob.id);
    assert.equal(await active(two.tokens.access_token), false);
    assert.equal((await logins.refresh(shop, two.tokens.refresh_token)).body.error, 'invalid_grant');
    idp.advance(1_000);
    const three = await logins.login(shop, bob);
    assert.equal(await active(three.tokens.access_token), true);
  });

  it('gives a token that is good in the very second in which the access tokens were voided', async () => {
    const bob = await logins.person({ org: 'acme' });
    const { tokens } = await logins.login(shop, bob);
    const intoTheSecond = (await idp.deps.databaseTime()).getTime() % 1000;
    await sleep(1000 - intoTheSecond);
    await voidAccessTokens(idp.deps, bob.id);
    const refreshed = await logins.refresh(shop, tokens.refresh_token);
    assert.equal(await active(tokens.access_token), false);
    assert.equal(await active(refreshed.body.access_token), true);
  });

  it('of a suspended person gives nothing', async () => {
    const bob = await logins.person({ org: 'acme' });
    const { tokens } = await logins.login(shop, bob);
    await idp.deps.users.update(bob.id, { suspendedAt: new Date() });
    assert.equal((await logins.refresh(shop, tokens.refresh_token)).body.error, 'invalid_grant');
    assert.equal(await active(tokens.access_token), false);
  });

  it('revoked and refreshed at once ends revoked', async () => {
    const { tokens } = await logins.login(shop, ada);
    const grantId = String(claimsOf(tokens.access_token ?? '').gid);
    const refreshed = Promise.withResolvers<void>();
    const refreshing = fifty(async () => {
      const answer = await logins.refresh(shop, tokens.refresh_token);
      refreshed.resolve();
      return answer;
    });
    await refreshed.promise;
    const [answers] = await Promise.all([refreshing, revokeGrant(idp.deps, null, grantId)]);
    const pairs = answers.filter(({ status }) => status === 200);
    assert.ok(pairs.length > 0, 'one came before the revocation');
    for (const { body } of answers.filter(({ status }) => status !== 200)) assert.equal(body.error, 'invalid_grant');
    for (const { body } of pairs) {
      assert.equal(await active(body.access_token), false);
      assert.equal((await logins.refresh(shop, body.refresh_token)).body.error, 'invalid_grant');
    }
    assert.equal(await active(tokens.access_token), false);
    assert.equal((await logins.refresh(shop, tokens.refresh_token)).body.error, 'invalid_grant');
  });
});
