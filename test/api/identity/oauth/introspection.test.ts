import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { SignJWT, UnsecuredJWT } from 'jose';
import { revokeClient, revokeSession, revokeUser } from '../../../../api/identity/revocation/revoke.ts';
import type { UserRecord } from '../../../../domain/identity/user.ts';
import { startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { basic, claimsOf, createLogins, type Logins, type Seeded } from './logins.ts';

describe('what is said of tokens', () => {
  let idp: TestIdp;
  let logins: Logins;
  let shop: Seeded;
  let stranger: Seeded;
  let ada: UserRecord;
  before(async () => {
    idp = await startIdp();
    logins = createLogins(idp);
    await idp.seedOrg('acme');
    shop = await logins.client({
      clientId: 'shop-prod',
      orgSlug: 'acme',
      allowedScopes: ['openid', 'email', 'x:read'],
    });
    stranger = await logins.client({ clientId: 'stranger', allowedScopes: ['openid', 'shop-prod:call'] });
    ada = await logins.person({ org: 'acme' });
  });
  after(() => idp.stop());

  const serviceToken = async (of: Seeded, form: Record<string, string> = {}): Promise<string> =>
    (await logins.token(of, { grant_type: 'client_credentials', ...form })).body.access_token;

  const revoke = (of: Seeded, token: string | undefined) =>
    idp.call('POST', '/api/oauth/revoke', { form: { ...logins.credentials(of), token: token ?? '' } });

  const userinfo = (token: string | undefined, method = 'GET') =>
    idp.call(method, '/api/oauth/userinfo', { headers: { authorization: `Bearer ${token}` } });

  describe('introspection', () => {
    it('tells the audience and the client of a token all about it, with the org', async () => {
      const token = await serviceToken(stranger, { audience: 'shop-prod' });
      for (const asking of [shop, stranger]) {
        const { active, sub, aud, org_slug, token_type, grant_type, jti } = await logins.introspect(asking, token);
        assert.deepEqual(
          { active, sub, aud, org_slug, token_type, grant_type },
          {
            active: true,
            sub: 'stranger',
            aud: 'shop-prod',
            org_slug: 'platform',
            token_type: 'Bearer',
            grant_type: 'client_credentials',
          },
        );
        assert.equal(jti, claimsOf(token).jti);
      }
      const { tokens } = await logins.login(shop, ada);
      const person = await logins.introspect(shop, tokens.access_token);
      assert.deepEqual([person.username, person.org_slug, person.sub], [ada.email, 'acme', ada.id]);
    });

    it('tells nobody else more than that it is inactive', async () => {
      const { tokens } = await logins.login(shop, ada);
      assert.deepEqual(await logins.introspect(stranger, tokens.access_token), { active: false });
      assert.deepEqual(await logins.introspect(stranger, tokens.refresh_token), { active: false });
    });

    it('knows refresh tokens of the asking client, of the generation that is good now', async () => {
      const { tokens } = await logins.login(shop, ada);
      const before = await logins.introspect(shop, tokens.refresh_token);
      assert.deepEqual([before.active, before.sub, before.client_id], [true, ada.id, 'shop-prod']);
      await logins.refresh(shop, tokens.refresh_token);
      assert.deepEqual(await logins.introspect(shop, tokens.refresh_token), { active: false });
    });

    it('finds forged, altered, unsigned, expired and foreign tokens inactive', async () => {
      const token = await serviceToken(shop, { audience: 'shop-prod' });
      const claims = claimsOf(token);
      const [header, payload, signature] = token.split('.');
      const other = `${payload?.slice(0, -2)}AA`;
      const secret = new TextEncoder().encode(JSON.stringify((await idp.deps.signer.publicKeys())[0]));
      const [key] = await idp.deps.signer.publicKeys();
      const forged = [
        `${header}.${other}.${signature}`,
        `${header}.${payload}.`,
        new UnsecuredJWT(claims).encode(),
        await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: key?.kid ?? '' }).sign(secret),
        'not.a.token',
        '',
      ];
      for (const one of forged.slice(0, -1))
        assert.deepEqual(await logins.introspect(shop, one), { active: false }, one);
      assert.equal((await logins.introspect(shop, '')).error, 'invalid_request');
      const short = await logins.client({ accessTokenTtlSeconds: 60 });
      const expiring = await serviceToken(short);
      assert.equal((await logins.introspect(short, expiring)).active, true);
      idp.advance(61_000);
      assert.deepEqual(await logins.introspect(short, expiring), { active: false });
    });

    it('is refused to public clients and to wrong secrets', async () => {
      const open = await logins.client({ clientType: 'public' });
      for (const asking of [open, { ...shop, secret: 'flcs_wrong' }]) {
        assert.equal((await logins.introspect(asking, 'x')).error, 'invalid_client');
      }
    });

    it('finds tokens of a client that was removed, or whose tokens were revoked, inactive', async () => {
      const caller = { orgSlug: 'acme', allowedScopes: ['shop-prod:call'] };
      const own = await logins.client(caller);
      const token = await serviceToken(own, { audience: 'shop-prod' });
      await revokeClient(idp.deps, null, own.client.clientId);
      assert.deepEqual(await logins.introspect(shop, token), { active: false });
      const gone = await logins.client(caller);
      const orphan = await serviceToken(gone, { audience: 'shop-prod' });
      await idp.deps.clients.remove(gone.client.clientId);
      assert.deepEqual(await logins.introspect(shop, orphan), { active: false });
    });
  });

  describe('revocation', () => {
    it('of an access token ends it alone, within the second it was issued', async () => {
      const { tokens } = await logins.login(shop, ada);
      const answer = await revoke(shop, tokens.access_token);
      assert.deepEqual([answer.status, answer.body], [200, {}]);
      assert.deepEqual(await logins.introspect(shop, tokens.access_token), { active: false });
      assert.equal((await logins.refresh(shop, tokens.refresh_token)).status, 200);
    });

    it('of a refresh token ends the login with its access tokens', async () => {
      const { tokens } = await logins.login(shop, ada);
      assert.equal((await revoke(shop, tokens.refresh_token)).status, 200);
      assert.deepEqual(await logins.introspect(shop, tokens.access_token), { active: false });
      assert.equal((await logins.refresh(shop, tokens.refresh_token)).body.error, 'invalid_grant');
      assert.equal((await revoke(shop, tokens.refresh_token)).status, 200, 'again is no error');
    });

    it('of an unknown token is no error; of another client one', async () => {
      assert.equal((await revoke(shop, 'unknown')).status, 200);
      const { tokens } = await logins.login(shop, ada);
      for (const token of [tokens.access_token, tokens.refresh_token]) {
        const { status, body } = await revoke(stranger, token);
        assert.deepEqual([status, body.error], [400, 'unauthorized_client']);
      }
      assert.equal((await logins.introspect(shop, tokens.access_token)).active, true);
    });

    it('is open to public clients for their own tokens', async () => {
      const open = await logins.client({ clientType: 'public' });
      const { tokens } = await logins.login(open, ada);
      assert.equal((await revoke(open, tokens.refresh_token)).status, 200);
      assert.equal((await logins.refresh(open, tokens.refresh_token)).body.error, 'invalid_grant');
    });
  });

  describe('the denylist feed', () => {
    it('shows what was revoked to the platform and to clients with a secret, and to nobody else', async () => {
      const since = new Date(idp.deps.now().getTime() - 1_000).toISOString();
      const { tokens } = await logins.login(shop, ada);
      await revoke(shop, tokens.access_token);
      const { jti } = claimsOf(tokens.access_token ?? '');
      const path = `/api/oauth/revocations?since=${encodeURIComponent(since)}`;
      const allowed = [
        idp.internal,
        basic('shop-prod', shop.secret),
        { 'x-client-id': 'shop-prod', 'x-client-secret': shop.secret },
      ];
      for (const headers of allowed) {
        const { status, body } = await idp.call('GET', path, { headers });
        assert.equal(status, 200);
        const id = createHash('sha256').update(`token:${jti}`).digest('hex');
        const entry = body.revocations.find((one: { id: string }) => one.id === id);
        assert.equal(entry.kind, 'token');
        assert.ok(Date.parse(body.asOf) >= Date.parse(since));
      }
      const open = await logins.client({ clientType: 'public' });
      const refused = [
        {},
        basic('shop-prod', 'flcs_wrong'),
        { 'x-client-id': open.client.clientId },
        { authorization: `Bearer ${tokens.access_token}` },
      ];
      for (const headers of refused) assert.equal((await idp.call('GET', path, { headers })).status, 401);
    });

    it('tells no id of a token, login, session, person or client', async () => {
      const { tokens, sessionId } = await logins.login(shop, ada);
      const { jti, gid } = claimsOf(tokens.access_token ?? '');
      const own = await logins.client();
      await revoke(shop, tokens.access_token);
      await revoke(shop, tokens.refresh_token);
      await revokeSession(idp.deps, null, sessionId);
      await revokeUser(idp.deps, null, ada.id);
      await revokeClient(idp.deps, null, own.client.clientId);
      const { text, body } = await idp.call('GET', '/api/oauth/revocations', { headers: idp.internal });
      const kinds = new Set(body.revocations.map(({ kind }: { kind: string }) => kind));
      assert.deepEqual([...kinds].sort(), ['client', 'grant', 'session', 'token', 'user']);
      for (const id of [jti, gid, sessionId, ada.id, own.client.clientId]) assert.ok(!text.includes(String(id)), id);
      idp.advance(2_000);
    });

    it('leaves out what was revoked before the moment asked for, and refuses what is none', async () => {
      const { tokens } = await logins.login(shop, ada);
      await revoke(shop, tokens.access_token);
      idp.advance(10_000);
      const since = idp.deps.now().toISOString();
      const { body } = await idp.call('GET', `/api/oauth/revocations?since=${since}`, { headers: idp.internal });
      assert.deepEqual(body.revocations, []);
      const bad = await idp.call('GET', '/api/oauth/revocations?since=yesterday', { headers: idp.internal });
      assert.deepEqual([bad.status, bad.body.error], [400, 'invalid_request']);
    });
  });

  describe('userinfo', () => {
    it('tells who the person is, as far as the scopes go', async () => {
      const { tokens } = await logins.login(shop, ada, { scopes: ['openid', 'email'] });
      for (const method of ['GET', 'POST']) {
        const { status, body } = await userinfo(tokens.access_token, method);
        assert.equal(status, 200);
        assert.deepEqual(body, { sub: ada.id, email: ada.email, email_verified: true });
      }
    });

    it('can be asked by pages of other sites, which never send cookies along', async () => {
      const { tokens } = await logins.login(shop, ada);
      const origin = 'https://shop.example';
      const asked = {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'authorization',
      };
      const preflight = await idp.call('OPTIONS', '/api/oauth/userinfo', { headers: asked });
      assert.equal(preflight.headers.get('access-control-allow-headers')?.toLowerCase(), 'authorization');
      const headers = { authorization: `Bearer ${tokens.access_token}`, origin };
      const answer = await idp.call('GET', '/api/oauth/userinfo', { headers });
      assert.equal(answer.headers.get('access-control-allow-origin'), origin);
      assert.equal(answer.headers.get('access-control-allow-credentials'), null);
    });

    it('says invalid_token with the Bearer scheme for missing, wrong and revoked tokens', async () => {
      const { tokens } = await logins.login(shop, ada);
      await revoke(shop, tokens.access_token);
      for (const token of ['', 'x.y.z', tokens.access_token, tokens.refresh_token]) {
        const { status, body, headers } = await userinfo(token);
        assert.deepEqual([status, body.error], [401, 'invalid_token']);
        assert.match(headers.get('www-authenticate') ?? '', /^Bearer .*error="invalid_token"/);
      }
    });

    it('says insufficient_scope for tokens without openid and for those of services', async () => {
      const { tokens } = await logins.login(shop, ada, { scopes: ['email'] });
      for (const token of [tokens.access_token, await serviceToken(shop)]) {
        const { status, body } = await userinfo(token);
        assert.deepEqual([status, body.error], [403, 'insufficient_scope']);
      }
    });
  });
});
