import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { revokeGrant } from '../../../../api/identity/revocation/revoke.ts';
import { issueTokens } from '../../../../api/identity/tokens/issue-tokens.ts';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { claimsOf, createLogins, type Logins, type Seeded } from './logins.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

describe('exchanging a login for a token of a service', () => {
  let idp: TestIdp;
  let logins: Logins;
  let cli: Seeded;
  let member: UserRecord;
  let login: Record<string, string>;
  before(async () => {
    idp = await startIdp();
    logins = createLogins(idp);
    await idp.seedOrg('acme');
    await idp.seedOrg('rival');
    await logins.client({ clientId: 'shop-prod', orgSlug: 'acme', service: 'shop', environment: 'prod' });
    await logins.client({ clientId: 'spy-prod', orgSlug: 'rival', service: 'spy', environment: 'prod' });
    const client = await idp.deps.clients.find('fairlead-cli');
    assert.ok(client, 'every installation has the command line as a client');
    cli = { client, secret: '' };
    member = await logins.person({ org: 'acme' });
    login = await loginOf(member);
  });
  after(() => idp.stop());

  const loginOf = async (user: UserRecord): Promise<Record<string, string>> => {
    const scopes = ['openid', 'profile', 'email', 'offline_access'];
    return (await logins.login(cli, user, { scopes, audience: ['builder'] })).tokens;
  };

  const exchange = (subject: string | undefined, form: Record<string, string> = {}, of = cli) =>
    logins.token(of, {
      grant_type: GRANT,
      subject_token: subject ?? '',
      subject_token_type: ACCESS_TOKEN,
      audience: 'shop-prod',
      ...form,
    });

  it('gives a member a token whose audience is the service, for 24 hours, naming the client that got it', async () => {
    const { status, body } = await exchange(login.access_token);
    assert.equal(status, 200);
    assert.equal(body.issued_token_type, ACCESS_TOKEN);
    assert.equal(body.refresh_token, undefined);
    assert.equal(body.expires_in, 86_400);
    const claims = claimsOf(body.access_token);
    const { sub, aud, act, orgSlug, orgRoles, client_id, scope, email } = claims;
    assert.deepEqual(
      { sub, aud, act, orgSlug, orgRoles, client_id, scope, email },
      {
        sub: member.id,
        aud: 'shop-prod',
        act: { sub: 'fairlead-cli' },
        orgSlug: 'acme',
        orgRoles: ['member'],
        client_id: 'fairlead-cli',
        scope: 'openid profile email',
        email: member.email,
      },
    );
    assert.equal(claims.exp - claims.iat, 86_400);
  });

  it('lives no longer than the login, and ends with it', async () => {
    const tokens = await loginOf(member);
    const grantId = String(claimsOf(tokens.access_token ?? '').gid);
    const grant = await idp.deps.grants.find(grantId);
    await idp.db
      .collection<{ _id: string }>('grants')
      .updateOne({ _id: grantId }, { $set: { expiresAt: new Date(idp.deps.now().getTime() + 7_200_000) } });
    assert.ok(grant);
    const { body } = await exchange(tokens.access_token);
    assert.ok(body.expires_in <= 7_200 && body.expires_in > 7_100, String(body.expires_in));
    await revokeGrant(idp.deps, null, grantId);
    assert.deepEqual(await logins.introspect(await logins.client(), body.access_token), { active: false });
    assert.equal((await exchange(tokens.access_token)).body.error, 'invalid_request');
  });

  it('refuses who is no member of the owning org, with the words for a service that does not exist', async () => {
    const known = await exchange(login.access_token, { audience: 'spy-prod' });
    const unknown = await exchange(login.access_token, { audience: 'ghost-prod' });
    assert.deepEqual([known.status, known.body.error], [400, 'invalid_target']);
    assert.match(known.body.error_description, /not a member of the organization that owns it/);
    assert.equal(known.text.replace('spy-prod', 'x'), unknown.text.replace('ghost-prod', 'x'));
  });

  it('refuses a member who was suspended there, and one whose org was', async () => {
    const bob = await logins.person({ org: 'acme' });
    const tokens = await loginOf(bob);
    const rival = await idp.deps.orgs.find('rival');
    assert.ok(rival);
    const membership = await idp.deps.memberships.find(bob.id, (await idp.deps.orgs.find('acme'))?.id ?? '');
    assert.ok(membership);
    await idp.deps.memberships.put({ ...membership, orgId: rival.id, orgSlug: 'rival' });
    assert.equal((await exchange(tokens.access_token, { audience: 'spy-prod' })).status, 200);
    await idp.deps.memberships.setSuspended(bob.id, rival.id, new Date());
    assert.equal((await exchange(tokens.access_token, { audience: 'spy-prod' })).body.error, 'invalid_target');
    await idp.deps.memberships.setSuspended(bob.id, rival.id, null);
    await idp.deps.orgs.update(rival.id, { suspendedAt: new Date() });
    assert.equal((await exchange(tokens.access_token, { audience: 'spy-prod' })).body.error, 'invalid_target');
    await idp.deps.orgs.update(rival.id, { suspendedAt: null });
  });

  it('lets a super admin in everywhere by a membership of the platform org, and not without', async () => {
    const root = await logins.person({ org: 'platform', platformRoles: ['super_admin'] });
    assert.equal((await exchange((await loginOf(root)).access_token)).status, 200);
    const guest = await logins.person({ org: 'rival', platformRoles: ['super_admin'] });
    assert.equal((await exchange((await loginOf(guest)).access_token)).body.error, 'invalid_target');
    const plain = await logins.person({ org: 'platform', orgRoles: ['admin'] });
    assert.equal((await exchange((await loginOf(plain)).access_token)).body.error, 'invalid_target');
  });

  it("the platform's own clients are no services: a token of 24 hours for its API is not to be had", async () => {
    const root = await logins.person({ org: 'platform', platformRoles: ['super_admin'] });
    const tokens = await loginOf(root);
    assert.equal((await exchange(tokens.access_token, { audience: 'builder' })).body.error, 'invalid_target');
  });

  it('tells who logged in with a password to log in again', async () => {
    const tokens = await issueTokens(idp.deps, {
      issuedAt: idp.deps.now(),
      user: member,
      client: cli.client,
      origin: 'password',
      sessionId: null,
      scopes: ['openid'],
      audience: ['builder'],
      methods: ['pwd'],
      authenticatedAt: idp.deps.now(),
      address: '127.0.0.1',
      userAgent: 'test',
    });
    const { body } = await exchange(tokens.access_token);
    assert.equal(body.error, 'invalid_request');
    assert.match(body.error_description, /password login .* log in again/);
  });

  it('takes nothing but the access token of the own login', async () => {
    const exchanged = await exchange(login.access_token);
    const shop = await logins.client({ orgSlug: 'acme' });
    const foreign = await logins.login(shop, member);
    const service = await logins.token(shop, { grant_type: 'client_credentials' });
    const subjects = [
      exchanged.body.access_token,
      foreign.tokens.access_token,
      service.body.access_token,
      login.refresh_token,
      login.id_token,
      `${login.access_token}x`,
      '',
    ];
    for (const subject of subjects) assert.equal((await exchange(subject)).body.error, 'invalid_request');
  });

  it('has no scope that the subject token has not, also where its login has it', async () => {
    const { refresh_token: refreshToken } = await loginOf(member);
    const narrow = (await logins.refresh(cli, refreshToken, { scope: 'openid' })).body.access_token;
    const { body } = await exchange(narrow);
    assert.deepEqual([body.scope, claimsOf(body.access_token).scope], ['openid', 'openid']);
    assert.equal((await exchange(narrow, { scope: 'email' })).body.error, 'invalid_scope');
  });

  it('is not for a token that was narrowed to some of its login’s audience', async () => {
    const audience = ['builder', 'audit-ledger'];
    const { tokens } = await logins.login(cli, member, { scopes: ['openid'], audience });
    const { access_token: narrow, refresh_token: next } = (
      await logins.refresh(cli, tokens.refresh_token, { audience: 'audit-ledger' })
    ).body;
    assert.equal(claimsOf(narrow).aud, 'audit-ledger');
    assert.equal((await exchange(narrow)).body.error, 'invalid_request');
    const whole = (await logins.refresh(cli, next)).body.access_token;
    assert.equal((await exchange(whole)).status, 200);
  });

  it('asks for one audience, and for types it has', async () => {
    assert.equal((await exchange(login.access_token, { audience: '' })).body.error, 'invalid_request');
    const two = await exchange(login.access_token, { resource: 'spy-prod' });
    assert.equal(two.body.error, 'invalid_target');
    const type = 'urn:ietf:params:oauth:token-type:refresh_token';
    assert.equal((await exchange(login.access_token, { subject_token_type: type })).body.error, 'invalid_request');
    assert.equal((await exchange(login.access_token, { requested_token_type: type })).body.error, 'invalid_request');
    assert.equal((await exchange(login.access_token, { actor_token: 'x' })).body.error, 'invalid_request');
    assert.equal((await exchange(login.access_token, { scope: 'openid' })).body.scope, 'openid');
    assert.equal((await exchange(login.access_token, { scope: 'offline_access' })).body.error, 'invalid_scope');
  });

  it('is for clients that were granted it', async () => {
    const shop = await logins.client({ orgSlug: 'acme' });
    const { tokens } = await logins.login(shop, member);
    assert.equal((await exchange(tokens.access_token, {}, shop)).body.error, 'unauthorized_client');
  });

  it('is in the audit trail, without the token', async () => {
    const { body } = await exchange(login.access_token);
    const { items } = await idp.deps.audit.list({ type: 'oauth.token_exchanged' }, { cursor: null, limit: 1 });
    assert.equal(items[0]?.actor, member.id);
    assert.equal(items[0]?.data.tokenId, claimsOf(body.access_token).jti);
    assert.ok(!JSON.stringify(items).includes(body.access_token));
  });
});
