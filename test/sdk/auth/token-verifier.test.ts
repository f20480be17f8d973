import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { exportSPKI, importJWK } from 'jose';
import { createTokenVerifier, hasOrgRole, isPlatformAdmin, type TokenVerifier } from '../../../sdk/index.ts';
import { AUDIENCE, type Claims, type Provider, startProvider } from './test-provider.ts';

let provider: Provider;
let other: Provider;
before(async () => {
  [provider, other] = await Promise.all([startProvider(), startProvider()]);
});
after(() => Promise.all([provider.stop(), other.stop()]));

const opened: TokenVerifier[] = [];
afterEach(() => {
  for (const verifier of opened.splice(0)) verifier.close();
});
function verifierOf(options: Partial<Parameters<typeof createTokenVerifier>[0]> = {}): TokenVerifier {
  const verifier = createTokenVerifier({ idpUrl: provider.url, audience: AUDIENCE, revocations: 'off', ...options });
  opened.push(verifier);
  return verifier;
}
const refused = (verifier: TokenVerifier, token: string, reason: string, message?: string) =>
  assert.rejects(verifier.verify(token), { code: 'UNAUTHORIZED', details: { reason } }, message);
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const seconds = () => Math.floor(Date.now() / 1000);

describe('a good token', () => {
  it('gives the user, with platform roles and org roles apart', async () => {
    const user = await verifierOf().verify(await provider.sign({ roles: ['developer'], orgRoles: ['admin'] }));
    const { kind, identityId, email, orgSlug, roles, orgRoles, scopes, persona } = user;
    assert.deepEqual(
      { kind, identityId, email, orgSlug, roles, orgRoles, scopes, persona },
      {
        kind: 'user',
        identityId: 'usr_1',
        email: 'ann@acme.example',
        orgSlug: 'acme',
        roles: ['developer'],
        orgRoles: ['admin'],
        scopes: ['openid', 'email'],
        persona: false,
      },
    );
    assert.deepEqual([isPlatformAdmin(user), hasOrgRole(user, 'admin')], [false, true]);
  });

  it('of an org role called super_admin makes no platform admin, and of a platform role no org admin', async () => {
    const verifier = verifierOf();
    const crossed = await verifier.verify(await provider.sign({ roles: ['admin'], orgRoles: ['super_admin'] }));
    assert.deepEqual([isPlatformAdmin(crossed), hasOrgRole(crossed, 'viewer')], [false, false]);
  });

  it('of a service has no roles, whatever its claims say', async () => {
    const claims = {
      token_type: 'client_credentials',
      sub: 'caller-prod',
      identityId: undefined,
      roles: ['super_admin'],
    };
    const user = await verifierOf().verify(await provider.sign(claims));
    assert.deepEqual([user.kind, user.identityId, user.roles, user.orgRoles], ['service', 'caller-prod', [], []]);
  });

  it('gives each request a user of its own: what one handler changes, the next one does not see', async () => {
    const verifier = verifierOf();
    const token = await provider.sign();
    for (let request = 0; request < 3; request++) {
      const user = await verifier.verify(token);
      assert.deepEqual([user.roles, user.claims.roles], [[], []]);
      (user.roles as string[]).push('super_admin');
    }
  });

  it('is verified once and then known, until it expires', async (t) => {
    const signatures = t.mock.method(crypto.subtle, 'verify');
    let skewMs = 0;
    const verifier = verifierOf({ clock: () => new Date(Date.now() + skewMs) });
    const token = await provider.sign({ exp: seconds() + 20 });
    await verifier.verify(token);
    assert.equal(signatures.mock.callCount(), 1);
    for (let request = 0; request < 5; request += 1) await verifier.verify(token);
    assert.equal(signatures.mock.callCount(), 1, 'the signature is checked once');
    await verifier.verify(await provider.sign());
    assert.equal(signatures.mock.callCount(), 2, 'of another token as well');
    skewMs = 26_000;
    await refused(verifier, token, 'expired');
  });

  it('may name several audiences', async () => {
    await verifierOf().verify(await provider.sign({ aud: ['billing-prod', AUDIENCE] }));
  });
});

describe('a token is refused', () => {
  const claims: readonly [string, Claims, string][] = [
    ['for another audience', { aud: 'billing-prod' }, 'audience'],
    ['for an audience that only begins like ours', { aud: `${AUDIENCE}-2` }, 'audience'],
    ['without an audience', { aud: undefined }, 'audience'],
    ['of another issuer', { iss: 'https://evil.example' }, 'issuer'],
    ['without an issuer', { iss: undefined }, 'issuer'],
    ['that expired', { exp: seconds() - 6 }, 'expired'],
    ['without an end', { exp: undefined }, 'claims'],
    ['that begins later', { nbf: seconds() + 60 }, 'not-yet-valid'],
    ['without an id to revoke it by', { jti: undefined }, 'claims'],
    ['without a client', { client_id: undefined }, 'claims'],
    ['whose roles are no list', { roles: 'super_admin' }, 'claims'],
    ['whose roles hold objects', { roles: [{ toString: 'super_admin' }] }, 'claims'],
    ['whose expiry is a string', { exp: '9999999999' }, 'claims'],
  ];
  for (const [what, changes, reason] of claims) {
    it(what, async () => refused(verifierOf(), await provider.sign(changes), reason));
  }

  it('of an issuer that differs by a slash, a port or a letter', async () => {
    const { url } = provider;
    for (const iss of [`${url}/`, `${url}0`, url.replace('http', 'https'), url.toUpperCase(), [url]]) {
      await refused(verifierOf(), await provider.sign({ iss }), 'issuer', String(iss));
    }
  });

  it('within five seconds of skew it is not', async () => {
    await verifierOf().verify(await provider.sign({ exp: seconds() - 2, nbf: seconds() + 2 }));
  });

  it('when it is an ID token, a refresh token or of no type', async () => {
    const verifier = verifierOf();
    for (const typ of ['JWT', 'jwt', undefined, 'at+jwt2', 'logout+jwt']) {
      await refused(verifier, await provider.sign({}, { typ }), 'type', String(typ));
    }
  });

  it('with alg none, however it is spelt', async () => {
    const [, payload] = (await provider.sign()).split('.');
    for (const alg of ['none', 'None', 'NONE', '']) {
      const header = base64({ alg, typ: 'at+jwt', kid: 'key_1' });
      await refused(verifierOf(), `${header}.${payload}.`, 'malformed', alg);
    }
  });

  it('with HS256 and the public key as its secret', async () => {
    const jwk = provider.keys.get('key_1')?.publicJwk;
    assert.ok(jwk !== undefined);
    const key = await importJWK(jwk, 'RS256', { extractable: true });
    assert.ok(!(key instanceof Uint8Array));
    const [, payload] = (await provider.sign()).split('.');
    const signed = `${base64({ alg: 'HS256', typ: 'at+jwt', kid: 'key_1' })}.${payload}`;
    for (const secret of [await exportSPKI(key), JSON.stringify(jwk), jwk.n]) {
      const mac = createHmac('sha256', secret).update(signed).digest('base64url');
      await refused(verifierOf(), `${signed}.${mac}`, 'malformed');
    }
  });

  it('signed by a key of somebody else under a kid of ours', async () => {
    await refused(verifierOf(), await other.sign({ iss: provider.url }), 'signature');
  });

  it('whose header brings a key or the address of one, without that address being asked', async () => {
    const jwk = other.keys.get('key_1')?.publicJwk;
    const asked = other.seen.length;
    const address = `${other.url}/.well-known/jwks.json`;
    for (const header of [{ jku: address }, { x5u: address }, { jwk }, { jku: address, jwk, x5u: address }]) {
      await refused(verifierOf(), await other.sign({ iss: provider.url }, header), 'signature');
      await refused(
        verifierOf(),
        await other.sign({ iss: provider.url }, { ...header, kid: 'elsewhere' }),
        'unknown-key',
      );
    }
    assert.equal(other.seen.length, asked);
  });

  it('whose kid is a path, a query, a prototype, not a string, empty or missing', async () => {
    const verifier = verifierOf();
    const kids = [
      '../../dev/null',
      '/etc/passwd',
      "key_1' OR '1'='1",
      '__proto__',
      'constructor',
      '',
      'x'.repeat(5_000),
    ];
    for (const kid of kids) await refused(verifier, await provider.sign({}, { kid }), 'unknown-key', kid);
    for (const kid of [undefined, 7, ['key_1'], { kid: 'key_1' }, null]) {
      const [, payload, signature] = (await provider.sign()).split('.');
      const header = base64({ alg: 'RS256', typ: 'at+jwt', kid });
      await assert.rejects(verifier.verify(`${header}.${payload}.${signature}`), { code: 'UNAUTHORIZED' });
    }
  });

  it('with a critical header that nobody understands', async () => {
    const [, payload, signature] = (await provider.sign()).split('.');
    const header = base64({ alg: 'RS256', typ: 'at+jwt', kid: 'key_1', crit: ['exp2'], exp2: 1 });
    await refused(verifierOf(), `${header}.${payload}.${signature}`, 'malformed');
  });

  it('whose payload was changed, even after the good one was cached', async () => {
    const verifier = verifierOf();
    const token = await provider.sign();
    const { claims } = await verifier.verify(token);
    const [header, , signature] = token.split('.');
    const forged = base64({ ...claims, roles: ['super_admin'] });
    await refused(verifier, `${header}.${forged}.${signature}`, 'signature');
  });

  it('when any character of its header or payload is another', async () => {
    const verifier = verifierOf();
    const token = await provider.sign();
    await verifier.verify(token);
    const signed = token.lastIndexOf('.');
    const character = fc.constantFrom(...'ABCXYZabcxyz0189-_.=+/ \n\u0000é');
    const mutation = fc.tuple(fc.integer({ min: 0, max: signed }), character, fc.constantFrom(0, 1));
    await fc.assert(
      fc.asyncProperty(mutation, async ([at, put, removed]) => {
        const mutant = token.slice(0, at) + put + token.slice(at + removed);
        fc.pre(mutant !== token);
        await assert.rejects(verifier.verify(mutant), { code: 'UNAUTHORIZED' });
      }),
      { numRuns: 400 },
    );
  });

  it('when it is cut anywhere', async () => {
    const verifier = verifierOf();
    const token = await provider.sign();
    for (let length = 0; length < token.length; length += 1 + Math.floor(token.length / 97)) {
      await assert.rejects(verifier.verify(token.slice(0, length)), { code: 'UNAUTHORIZED' }, `cut at ${length}`);
    }
  });

  it('when it is huge, without a look inside', async () => {
    await refused(verifierOf(), await provider.sign({ padding: 'x'.repeat(20_000) }), 'malformed');
    await refused(verifierOf(), 'a.'.repeat(1_000_000), 'malformed');
  });

  it('when it is none: garbage, JSON, control characters', async () => {
    for (const token of ['', '.', '..', 'a.b.c', '{}', '\u0000', '💥.💥.💥', 'null', base64({}).repeat(3)]) {
      await assert.rejects(verifierOf().verify(token), { code: 'UNAUTHORIZED' }, JSON.stringify(token));
    }
  });
});

it('a verifier without its settings says which one is missing', () => {
  for (const [settings, name] of [
    [{ idpUrl: undefined }, /IDP_URL is required/],
    [{ audience: undefined }, /IDP_CLIENT_ID is required/],
    [{ audience: '' }, /IDP_CLIENT_ID is required/],
  ] as const) {
    assert.throws(() => verifierOf(settings), name);
  }
});

it('an error never repeats the token', async () => {
  const token = await provider.sign({ aud: 'billing-prod' });
  const error = await verifierOf()
    .verify(token)
    .catch((thrown: unknown) => thrown);
  assert.ok(error instanceof Error);
  const signature = token.split('.')[2] ?? '';
  assert.ok(!JSON.stringify([error.message, error.stack, error.cause]).includes(signature));
});
