import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { revokeUser } from '../../../api/identity/revocation/revoke.ts';
import { issueTokens } from '../../../api/identity/tokens/issue-tokens.ts';
import { serviceClaims } from '../../../domain/identity/build-claims.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import { createTokenVerifier, type TokenVerifier } from '../../../sdk/index.ts';
import { buildRecord } from '../../ports/records.ts';
import { countDenylistReads, untilRefused } from '../../support/denylist-reads.ts';
import { assertNotLogged } from '../../support/not-logged.ts';
import { KEY, startApi, type TestApi } from '../../support/start-api.ts';
import { KEY as IDP_KEY, startIdp, type TestIdp } from '../../support/start-idp.ts';

let idp: TestIdp;
let api: TestApi;
let verifier: TokenVerifier;
const reads = countDenylistReads();
before(async () => {
  idp = await startIdp();
  const revocations = { internalKey: IDP_KEY };
  verifier = createTokenVerifier({ idpUrl: idp.issuer, audience: 'builder', revocations, fetch: reads.fetch });
  api = await startApi({ verifier, issuer: idp.issuer });
  await idp.seedOrg('acme');
  await idp.seedOrg('rival');
  const created = await api.call('POST', '/services', { name: 'shop', gitUrl: 'https://git.example/shop.git' });
  assert.equal(created.status, 201, created.text);
  await register('acme-shop', 'acme');
});
after(async () => {
  verifier.close();
  await api.stop();
  await idp.stop();
});

const register = async (name: string, org: string) => {
  const headers = { 'x-test-user': `${org}/admin` };
  const { status, text } = await api.call(
    'POST',
    '/services',
    { name, gitUrl: `https://git.example/${name}.git` },
    headers,
  );
  assert.equal(status, 201, text);
};

/** A token as the command line gets it after a login. */
async function tokenOf(user: UserRecord, audience = ['builder']): Promise<string> {
  const client = await idp.deps.clients.find('fairlead-cli');
  assert.ok(client !== null);
  const now = idp.deps.now();
  const reply = await issueTokens(idp.deps, {
    issuedAt: idp.deps.now(),
    user,
    client,
    origin: 'oauth',
    sessionId: null,
    scopes: ['openid'],
    audience,
    methods: ['pwd'],
    authenticatedAt: now,
    address: '127.0.0.1',
    userAgent: 'test',
  });
  return reply.access_token;
}

function serviceToken(clientId: string, orgSlug: string, scopes: string[]): Promise<string> {
  const issuedAt = idp.deps.now();
  const expiresAt = new Date(issuedAt.getTime() + 3_600_000);
  const frame = {
    issuer: idp.issuer,
    tokenId: idp.deps.newId('token'),
    audience: ['builder'],
    issuedAt,
    expiresAt,
    scopes,
  };
  return idp.deps.signer.sign(serviceClaims(frame, { clientId, orgSlug }), 'at+jwt');
}

async function call(token: string | null, method: string, path: string, headers: Record<string, string> = {}) {
  const body = method === 'POST' ? { method, body: '{}' } : { method };
  const response = await fetch(api.address + path, {
    ...body,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text) };
}
const names = (answer: { body: { data: { items: { name: string }[] } } }) =>
  answer.body.data.items.map(({ name }) => name);

let users = 0;
const person = (org: string, role: 'viewer' | 'member' | 'admin', platformRoles: 'super_admin'[] = []) => {
  users += 1;
  return idp.seedUser(`person-${users}@example.com`, { org, orgRoles: [role], platformRoles });
};

describe('a person with an access token', () => {
  it('sees the services of their org, and of no other: those answer 404', async () => {
    const token = await tokenOf(await person('acme', 'viewer'));
    assert.deepEqual(names(await call(token, 'GET', '/services')), ['acme-shop']);
    assert.equal((await call(token, 'GET', '/services/acme-shop')).status, 200);
    assert.equal((await call(token, 'GET', '/services/shop')).status, 404);
  });

  it('who is a viewer changes nothing; a member may; only an admin deletes', async () => {
    const viewer = await tokenOf(await person('acme', 'viewer'));
    const member = await tokenOf(await person('acme', 'member'));
    assert.equal((await call(viewer, 'POST', '/services')).status, 403);
    assert.equal((await call(member, 'POST', '/services')).status, 400, 'past the role, at the body');
    assert.equal((await call(member, 'DELETE', '/services/acme-shop')).status, 403);
    await idp.seedOrg('leaving');
    await register('doomed', 'leaving');
    const admin = await tokenOf(await person('leaving', 'admin'));
    assert.equal((await call(admin, 'DELETE', '/services/shop')).status, 404);
    assert.equal((await call(admin, 'DELETE', '/services/doomed')).status, 200);
  });

  it('acts in the org of the token: no header names another', async () => {
    const token = await tokenOf(await person('rival', 'admin'));
    for (const name of ['x-org', 'x-org-slug', 'x-user-org', 'x-forwarded-org']) {
      assert.deepEqual(names(await call(token, 'GET', '/services', { [name]: 'acme' })), [], name);
    }
  });

  it('who is in no org has no role anywhere', async () => {
    const token = await tokenOf(await idp.seedUser('nowhere@example.com'));
    assert.equal((await call(token, 'GET', '/services')).status, 403);
  });

  it('who is a super admin of the platform sees and may do everything; an org’s admin does not', async () => {
    const all = names(await call(await tokenOf(await person('rival', 'viewer', ['super_admin'])), 'GET', '/services'));
    assert.ok(all.includes('shop') && all.includes('acme-shop'));
    assert.equal((await call(await tokenOf(await person('rival', 'admin')), 'GET', '/services/shop')).status, 404);
  });

  it('who is a super admin in no org says whose a new service is', async () => {
    const token = await tokenOf(await idp.seedUser('root@example.com', { platformRoles: ['super_admin'] }));
    const put = (body: object) =>
      fetch(`${api.address}/services`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'ownerless', gitUrl: 'https://git.example/x.git', ...body }),
      });
    assert.equal((await put({})).status, 400);
    assert.equal((await put({ org: 'leaving' })).status, 201);
  });

  it('is refused with the next read of the denylist, although the token was good a moment before', async () => {
    const user = await person('acme', 'viewer');
    const token = await tokenOf(user);
    assert.equal((await call(token, 'GET', '/services')).status, 200);
    await revokeUser(idp.deps, null, user.id, { actor: 'internal', reason: 'suspended' });
    await untilRefused(async () => (await call(token, 'GET', '/services')).status === 200, reads.begun);
    assert.equal((await call(token, 'GET', '/services')).status, 401);
  });
});

it('a log that is followed ends when the token is revoked, while the build goes on', async () => {
  const user = await person('acme', 'viewer');
  const token = await tokenOf(user);
  const service = await api.services.find('acme-shop');
  assert.ok(service !== null);
  await api.builds.create(
    buildRecord({ id: 'bld_followed', serviceId: service.id, service: service.name, org: 'acme' }),
  );
  const response = await fetch(`${api.address}/builds/bld_followed/logs`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' },
    signal: AbortSignal.timeout(20_000),
  });
  assert.equal(response.status, 200);
  await revokeUser(idp.deps, null, user.id, { actor: 'internal' });
  const text = await response.text();
  assert.match(text, /event: status/);
  assert.ok(!text.includes('event: end'));
});

describe('a service with a token of its own', () => {
  it('has a role in its own org by its scope, and none without', async () => {
    const reader = await serviceToken('acme-ci', 'acme', ['builder:read']);
    assert.deepEqual(names(await call(reader, 'GET', '/services')), ['acme-shop']);
    assert.equal((await call(reader, 'POST', '/services')).status, 403);
    const writer = await serviceToken('acme-ci', 'acme', ['builder:write']);
    assert.equal((await call(writer, 'POST', '/services')).status, 400);
    assert.equal((await call(writer, 'DELETE', '/services/acme-shop')).status, 403);
    assert.equal((await call(writer, 'GET', '/services/shop')).status, 404);
    const bare = await serviceToken('acme-ci', 'acme', ['builder', 'builder:readx', 'other:read']);
    assert.equal((await call(bare, 'GET', '/services')).status, 403);
  });

  it('acts for the platform by org and scope together, and by neither alone', async () => {
    const both = await serviceToken('site-registry', 'platform', ['platform:manage']);
    assert.equal((await call(both, 'GET', '/services/shop')).status, 200);
    assert.equal((await call(both, 'GET', '/services/acme-shop')).status, 200);
    const orgAlone = await serviceToken('some-service', 'platform', []);
    assert.equal((await call(orgAlone, 'GET', '/services')).status, 403);
    const scopeAlone = await serviceToken('acme-ci', 'acme', ['platform:manage', 'builder:read']);
    assert.deepEqual(names(await call(scopeAlone, 'GET', '/services')), ['acme-shop']);
    assert.equal((await call(scopeAlone, 'GET', '/services/shop')).status, 404);
  });
});

describe('a credential that is not good', () => {
  it('is 401: a token for another service, an ID token, a cookie, a bad key beside a good token', async () => {
    const user = await person('acme', 'admin');
    const good = await tokenOf(user);
    assert.equal((await call(await tokenOf(user, ['shop-prod']), 'GET', '/services')).status, 401);
    const id = await idp.deps.signer.sign({ iss: idp.issuer, sub: user.id, aud: 'builder', exp: 9_999_999_999 }, 'JWT');
    assert.equal((await call(id, 'GET', '/services')).status, 401);
    assert.equal((await call(null, 'GET', '/services', { cookie: `bd-token=${good}` })).status, 401);
    assert.equal((await call(good, 'GET', '/services', { 'x-internal-key': 'guessed' })).status, 401);
    assert.equal((await call(null, 'GET', '/services', { authorization: `Basic ${good}` })).status, 401);
  });

  it('leads to the metadata, which leads to the identity provider', async () => {
    const refused = await call(null, 'GET', '/services');
    const address = `${api.address}/.well-known/oauth-protected-resource`;
    assert.equal(refused.status, 401);
    assert.equal(refused.headers.get('www-authenticate'), `Bearer resource_metadata="${address}"`);
    const metadata = await fetch(address);
    assert.deepEqual(await metadata.json(), {
      resource: api.address,
      authorization_servers: [idp.issuer],
      bearer_methods_supported: ['header'],
    });
  });

  it('is not in the log', async () => {
    const token = await tokenOf(await person('acme', 'viewer'));
    await call(token, 'GET', '/services');
    await call(`${token}x`, 'GET', '/services');
    assertNotLogged(api.logged, '/services', token.split('.').slice(1));
  });
});

it('the internal key works while the identity provider is down, and tokens answer 503', async () => {
  const away = createTokenVerifier({
    idpUrl: 'http://127.0.0.1:9',
    audience: 'builder',
    revocations: { internalKey: 'x' },
  });
  const alone = await startApi({ verifier: away, issuer: 'http://127.0.0.1:9' });
  try {
    assert.equal((await alone.call('GET', '/services')).status, 200);
    const token = await tokenOf(await person('acme', 'viewer'));
    const response = await fetch(`${alone.address}/services`, { headers: { authorization: `Bearer ${token}` } });
    assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '2']);
  } finally {
    away.close();
    await alone.stop();
  }
});

it('without an identity provider a bearer token is no credential, and the key is', async () => {
  const alone = await startApi();
  try {
    const token = await tokenOf(await person('acme', 'viewer'));
    const response = await fetch(`${alone.address}/services`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(response.status, 401);
    assert.equal((await fetch(`${alone.address}/services`, { headers: { 'x-internal-key': KEY } })).status, 200);
  } finally {
    await alone.stop();
  }
});
