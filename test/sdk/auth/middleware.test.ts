import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import express from 'express';
import { createTokenVerifier, type TokenVerifier, userOf } from '../../../sdk/index.ts';
import { AUDIENCE, type Provider, startProvider } from './test-provider.ts';

let provider: Provider;
let verifier: TokenVerifier;
let url: string;
let stop: () => void;
before(async () => {
  provider = await startProvider();
  verifier = createTokenVerifier({ idpUrl: provider.url, audience: AUDIENCE, revocations: 'off' });
  const app = express();
  app.get('/open', (request, response) => {
    response.json({ user: userOf(request).identityId });
  });
  app.get('/api/auth/me', verifier.middleware(), (request, response) => {
    const { identityId, orgSlug } = userOf(request);
    response.json({ identityId, orgSlug });
  });
  const server = app.listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  stop = () => {
    server.closeAllConnections();
    server.close();
  };
});
after(async () => {
  verifier.close();
  stop();
  await provider.stop();
});

const me = (headers: Record<string, string>) => fetch(`${url}/api/auth/me`, { headers });

it('an Express app gets the user of the header or of the cookie', async () => {
  const token = await provider.sign();
  for (const headers of [{ authorization: `Bearer ${token}` }, { cookie: `bd-token=${token}` }]) {
    const response = await me(headers);
    assert.deepEqual([response.status, await response.json()], [200, { identityId: 'usr_1', orgSlug: 'acme' }]);
  }
});

it('a bad bearer token is refused although the cookie is good', async () => {
  const response = await me({ authorization: 'Bearer a.b.c', cookie: `bd-token=${await provider.sign()}` });
  assert.equal(response.status, 401);
});

it('without a usable token the answer is 401, error Unauthorized, and a challenge', async () => {
  const none = await me({});
  assert.equal(none.status, 401);
  assert.equal(((await none.json()) as { error: string }).error, 'Unauthorized');
  assert.equal(none.headers.get('www-authenticate'), 'Bearer');
  const bad = await me({ authorization: `Bearer ${await provider.sign({ aud: 'billing-prod' })}` });
  assert.equal(((await bad.json()) as { error: string }).error, 'Unauthorized');
  const challenge = 'Bearer error="invalid_token", error_description="The token is for another service"';
  assert.deepEqual([bad.status, bad.headers.get('www-authenticate')], [401, challenge]);
});

it('answers 503 while the provider is down, so that an outage logs nobody out', async () => {
  const other = createTokenVerifier({ idpUrl: 'http://127.0.0.1:9', audience: AUDIENCE, revocations: 'off' });
  const app = express().use(other.middleware());
  const server = app.listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const response = await fetch(address, { headers: { authorization: `Bearer ${await provider.sign()}` } });
  assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '2']);
  other.close();
  server.closeAllConnections();
  server.close();
});

it('userOf on a route without the middleware is an error, not an anonymous user', async () => {
  assert.equal((await fetch(`${url}/open`)).status, 500);
});
