import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { decodeProtectedHeader, exportJWK, SignJWT } from 'jose';
import WebSocket from 'ws';
import type { AccessTokenClaims } from '../../../../domain/identity/claims.ts';
import type { PublicKey } from '../../../../domain/identity/ports.ts';
import { createTokenVerifier, FairleadError, type TokenVerifier } from '../../../../sdk/index.ts';
import { startApi, type TestApi } from '../../../support/start-api.ts';
import { KEY, startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { claimsOf, createLogins, type Logins, type Seeded } from '../oauth/logins.ts';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a token that the provider did not make so', () => {
  let idp: TestIdp;
  let api: TestApi;
  let logins: Logins;
  let verifier: TokenVerifier;
  let cli: Seeded;
  let shop: Seeded;
  /** A real login of the command line: good everywhere below. */
  let genuine: string;
  let claims: AccessTokenClaims;
  let idToken: string;
  let published: PublicKey;
  let fetched = 0;
  /** Publishes the attacker's keys, for whoever is talked into reading them there. */
  const elsewhere = createServer((_request, response) => {
    fetched += 1;
    response.end('{"keys":[]}');
  });
  before(async () => {
    idp = await startIdp();
    logins = createLogins(idp);
    elsewhere.listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    verifier = createTokenVerifier({ idpUrl: idp.issuer, audience: 'builder', revocations: { internalKey: KEY } });
    api = await startApi({ verifier, issuer: idp.issuer });
    await idp.seedOrg('acme');
    shop = await logins.client({ clientId: 'shop-prod', orgSlug: 'acme', service: 'shop', environment: 'prod' });
    const client = await idp.deps.clients.find('fairlead-cli');
    assert.ok(client !== null);
    cli = { client, secret: '' };
    const user = await logins.person({ org: 'acme' });
    const { tokens } = await logins.login(cli, user, {
      scopes: ['openid', 'email'],
      audience: ['builder', 'shop-prod'],
    });
    genuine = tokens.access_token ?? '';
    idToken = tokens.id_token ?? '';
    claims = claimsOf(genuine);
    const { kid } = decodeProtectedHeader(genuine);
    const key = (await idp.deps.signer.publicKeys()).find((one) => one.kid === kid);
    assert.ok(key !== undefined);
    published = key;
  });
  after(async () => {
    verifier.close();
    elsewhere.close();
    await api.stop();
    await idp.stop();
  });

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

  /** Every place that takes an access token: what it makes of one. */
  const places: Readonly<Record<string, (token: string) => Promise<'good' | 'refused'>>> = {
    'the user info endpoint': async (token) =>
      verdict((await idp.call('GET', '/api/oauth/userinfo', { headers: bearer(token) })).status, 401),
    "the provider's own API": async (token) =>
      verdict((await idp.call('GET', '/api/v2/me', { headers: bearer(token) })).status, 401),
    introspection: async (token) => {
      const answer = await logins.introspect(shop, token);
      return answer.active === true ? 'good' : 'refused';
    },
    'token exchange': async (token) => {
      const form = {
        grant_type: EXCHANGE,
        subject_token: token,
        subject_token_type: ACCESS_TOKEN,
        audience: 'shop-prod',
      };
      return verdict((await logins.token(cli, form)).status, 400);
    },
    'the passport socket': async (token) => {
      const url = `${idp.address.replace('http', 'ws')}/passport?token=${encodeURIComponent(token)}`;
      const socket = new WebSocket(url);
      const first = await Promise.race([
        once(socket, 'message').then(() => 200),
        once(socket, 'close').then(([code]) => Number(code)),
      ]);
      socket.terminate();
      return verdict(first, 4003);
    },
    "the builder's API": async (token) => {
      const response = await fetch(`${api.address}/services`, { headers: bearer(token) });
      await response.arrayBuffer();
      return verdict(response.status, 401);
    },
    'the verifier of services': async (token) => {
      try {
        await verifier.verify(token);
        return 'good';
      } catch (error) {
        assert.ok(error instanceof FairleadError && error.code === 'UNAUTHORIZED', String(error));
        return 'refused';
      }
    },
  };

  function verdict(status: number, refusal: number): 'good' | 'refused' {
    if (status === 200) return 'good';
    assert.equal(status, refusal);
    return 'refused';
  }

  async function refusedEverywhere(tokens: Readonly<Record<string, string>>, except: readonly string[] = []) {
    for (const [what, token] of Object.entries(tokens)) {
      for (const [place, ask] of Object.entries(places)) {
        if (!except.includes(place)) assert.equal(await ask(token), 'refused', `${what} at ${place}`);
      }
    }
  }

  const header = () => decodeProtectedHeader(genuine);
  const escalated = () => ({ ...claims, roles: ['super_admin'], jti: `tok_${randomUUID()}` });

  it('the genuine one is good at every place, so that a refusal means something', async () => {
    for (const [place, ask] of Object.entries(places)) assert.equal(await ask(genuine), 'good', place);
  });

  it('without a signature is refused, however "none" is written', async () => {
    const [, payload = '', signature = ''] = genuine.split('.');
    const unsigned = (alg: string) => `${encode({ ...header(), alg })}.${encode(escalated())}.`;
    await refusedEverywhere({
      none: unsigned('none'),
      None: unsigned('None'),
      NONE: unsigned('NONE'),
      'none with a signature': `${encode({ ...header(), alg: 'none' })}.${payload}.${signature}`,
      'RS256 with none': `${encode(header())}.${encode(escalated())}.`,
      'no third part': `${encode(header())}.${encode(escalated())}`,
    });
  });

  it('signed with the public key as if it were a shared secret (HS256) is refused, in every form of that key', async () => {
    const key = createPublicKey({ key: { ...published }, format: 'jwk' });
    const secrets = {
      'as PEM': key.export({ type: 'spki', format: 'pem' }),
      'as PKCS 1': key.export({ type: 'pkcs1', format: 'pem' }),
      'as DER': key.export({ type: 'spki', format: 'der' }),
      'as JWK': JSON.stringify(published),
      'as its modulus': published.n,
    };
    const tokens = Object.entries(secrets).map(([what, secret]) => {
      const signed = `${encode({ ...header(), alg: 'HS256' })}.${encode(escalated())}`;
      return [what, `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`];
    });
    await refusedEverywhere(Object.fromEntries(tokens));
  });

  it("signed with the attacker's key is refused, wherever the header says that key is", async () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const address = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/keys`;
    const jwk = { ...(await exportJWK(publicKey)), kid: published.kid, alg: 'RS256' };
    const headers: Record<string, object> = {
      'under the real kid': {},
      'with its key inside': { jwk },
      'with a key set elsewhere': { jku: address },
      'with a certificate elsewhere': { x5u: address, x5c: ['AAAA'] },
      'with a kid that is a path': { kid: '../../../../dev/null' },
      'with a kid that is a URL': { kid: address },
      'with a kid that is a query': { kid: '{"$gt":""}' },
      'with a kid that is an injection': { kid: "' UNION SELECT 'key" },
      'with a kid that objects have by birth': { kid: '__proto__' },
      'with an endless kid': { kid: 'k'.repeat(4_000) },
      'without a kid': { kid: undefined },
    };
    const tokens = Object.entries(headers).map(async ([what, more]) => {
      const protectedHeader = { ...header(), alg: 'RS256', ...more };
      return [what, await new SignJWT(escalated()).setProtectedHeader(protectedHeader).sign(privateKey)] as const;
    });
    const kidOfAnotherType = `${encode({ ...header(), kid: { $gt: '' } })}.${genuine.split('.').slice(1).join('.')}`;
    await refusedEverywhere({
      ...Object.fromEntries(await Promise.all(tokens)),
      'with an object for kid': kidOfAnotherType,
    });
    assert.equal(fetched, 0, 'nobody was talked into reading keys elsewhere');
  });

  it('altered in any part, or dressed up, is refused', async () => {
    const [head = '', payload = '', signature = ''] = genuine.split('.');
    await refusedEverywhere({
      'other claims': `${head}.${encode(escalated())}.${signature}`,
      'another type': `${encode({ ...header(), typ: 'JWT' })}.${payload}.${signature}`,
      'a critical extension': `${encode({ ...header(), crit: ['b64'], b64: false })}.${payload}.${signature}`,
      'a cut signature': `${head}.${payload}.${signature.slice(0, -4)}`,
      'a longer signature': `${head}.${payload}.${signature}AAAA`,
      'a fourth part': `${genuine}.${signature}`,
      'as JSON': JSON.stringify({ protected: head, payload, signature }),
    });
  });

  it('signed by the provider but of another kind, issuer or time is refused', async () => {
    const sign = (changes: object, type = 'at+jwt') => idp.deps.signer.sign({ ...claims, ...changes }, type);
    const seconds = Math.floor(idp.deps.now().getTime() / 1000);
    await refusedEverywhere({
      'an ID token': idToken,
      'of no type': await sign({}, 'JWT'),
      expired: await sign({ exp: seconds - 60, iat: seconds - 3_660 }),
      'not valid yet': await sign({ nbf: seconds + 3_600 }),
      'of another issuer': await sign({ iss: 'https://idp.evil.example' }),
      'of an issuer with a slash': await sign({ iss: `${idp.issuer}/` }),
    });
  });

  it('for another audience is refused by whoever it is not for', async () => {
    const sign = (aud: unknown) => idp.deps.signer.sign({ ...claims, aud }, 'at+jwt');
    const audiences = {
      another: 'stock-prod',
      'a longer name': 'builder-2',
      'another case': 'Builder',
      'a list of others': ['a', 'b'],
    };
    const tokens = await Promise.all(
      Object.entries(audiences).map(async ([what, aud]) => [what, await sign(aud)] as const),
    );
    // The user info endpoint takes a login's token whatever its audience; the client that got a token may ask about it,
    // and the passport is about its holder.
    await refusedEverywhere(Object.fromEntries(tokens), [
      'the user info endpoint',
      'the passport socket',
      'token exchange',
    ]);
    await refusedEverywhere({ 'no audience': await sign(undefined), 'an empty list': await sign([]) }, [
      'the user info endpoint',
      'the passport socket',
      'token exchange',
    ]);
  });
});
