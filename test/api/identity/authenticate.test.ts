import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Caller } from '../../../api/http/caller.ts';
import { createIdpAuthenticate } from '../../../api/identity/authenticate.ts';
import { cookieName } from '../../../api/identity/login/cookies.ts';
import { revokeSession, revokeUser } from '../../../api/identity/revocation/revoke.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';
import { createLogins, type Logins, type Seeded } from './oauth/logins.ts';

describe('who calls the identity provider', () => {
  let idp: TestIdp;
  let logins: Logins;
  let cli: Seeded;
  let authenticate: (headers: Record<string, string>, method?: string) => Promise<Caller | null>;
  before(async () => {
    idp = await startIdp();
    logins = createLogins(idp);
    await idp.seedOrg('acme');
    const client = await idp.deps.clients.find('fairlead-cli');
    assert.ok(client);
    cli = { client, secret: '' };
    const find = createIdpAuthenticate(idp.deps, async () => null);
    authenticate = (headers, method = 'GET') => find({ method, headers });
  });
  after(() => idp.stop());

  const bearer = (token: string | undefined) => ({ authorization: `Bearer ${token}` });

  const refused = (promise: Promise<unknown>) =>
    assert.rejects(promise, (error) => error instanceof FairleadError && error.code === 'UNAUTHORIZED');

  /** A browser's cookie of a new session. */
  async function browserOf(email: string, given: Parameters<TestIdp['seedUser']>[1]) {
    const user = await idp.seedUser(email, given);
    const secret = idp.deps.tokens.create('flss_');
    const session = await logins.seedSession(user);
    const own = { ...session, id: idp.deps.newId('session'), secretHash: idp.deps.tokens.hash(secret) };
    await idp.deps.sessions.insert(own);
    return { user, session: own, headers: { cookie: `${cookieName(idp.deps.settings, 'session')}=${secret}` } };
  }

  it('a token for the platform makes a person, with roles of both kinds', async () => {
    const ada = await logins.person({ org: 'acme', orgRoles: ['member'], platformRoles: ['super_admin'] });
    const { tokens } = await logins.login(cli, ada, { audience: ['builder'] });
    const caller = await authenticate(bearer(tokens.access_token), 'POST');
    assert.ok(caller?.kind === 'platform-admin');
    const { via, userId, org, role, clientId } = caller;
    assert.deepEqual(
      { via, userId, org, role, clientId },
      {
        via: 'token',
        userId: ada.id,
        org: 'acme',
        role: 'member',
        clientId: 'fairlead-cli',
      },
    );
  });

  it('a token for the provider makes a service; the platform is one of its org with its scope', async () => {
    const callers: (Caller | null)[] = [];
    for (const [orgSlug, scope] of [
      ['acme', 'platform:manage'],
      ['platform', 'x:y'],
      ['platform', 'platform:manage'],
    ] as const) {
      const of = await logins.client({ orgSlug, allowedScopes: [scope] });
      const { body } = await logins.token(of, { grant_type: 'client_credentials', resource: idp.issuer });
      callers.push(await authenticate(bearer(body.access_token)));
    }
    assert.deepEqual(
      callers.map((caller) => caller !== null && [caller.kind, caller.org, 'scopes' in caller && caller.scopes]),
      [
        ['service', 'acme', ['platform:manage']],
        ['service', 'platform', ['x:y']],
        ['platform-service', 'platform', ['platform:manage']],
      ],
    );
  });

  it('a token for another audience identifies no caller; a revoked one is refused', async () => {
    const ada = await logins.person({ org: 'acme' });
    const shop = await logins.client();
    const { tokens } = await logins.login(shop, ada);
    assert.equal(await authenticate(bearer(tokens.access_token)), null);
    const own = await logins.login(cli, ada, { audience: ['builder'] });
    await revokeUser(idp.deps, null, ada.id);
    await refused(authenticate(bearer(own.tokens.access_token)));
    await refused(authenticate(bearer('x.y.z')));
    assert.equal(await authenticate({ authorization: 'Basic eDp5' }), null);
  });

  it('a session cookie makes a person where nothing changes, and where the own pages ask', async () => {
    const { user, headers } = await browserOf('browser@example.com', { org: 'acme', orgRoles: ['admin'] });
    const caller = await authenticate(headers);
    assert.ok(caller?.kind === 'user');
    assert.deepEqual([caller.via, caller.userId, caller.role, caller.clientId], ['session', user.id, 'admin', null]);
    assert.equal((await authenticate({ ...headers, origin: idp.issuer }, 'POST'))?.kind, 'user');
  });

  it('a session cookie that another site sent along changes nothing', async () => {
    const { headers } = await browserOf('victim@example.com', { org: 'acme' });
    for (const origin of ['https://evil.example', 'null', `${idp.issuer}.evil.example`, idp.issuer.toUpperCase()]) {
      assert.equal(await authenticate({ ...headers, origin }, 'POST'), null, origin);
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) assert.equal(await authenticate(headers, method), null);
  });

  it('an ended session, or one of a suspended person, identifies no caller', async () => {
    const ended = await browserOf('ended@example.com', { org: 'acme' });
    await revokeSession(idp.deps, null, ended.session.id);
    assert.equal(await authenticate(ended.headers), null);
    const suspended = await browserOf('suspended@example.com', { org: 'acme' });
    await idp.deps.users.update(suspended.user.id, { suspendedAt: new Date() });
    assert.equal(await authenticate(suspended.headers), null);
  });
});
