import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createTokenVerifier } from '../../../../sdk/index.ts';
import { KEY, startIdp, type TestIdp } from '../../../support/start-idp.ts';
import { basic, createLogins } from './logins.ts';

const PER_MINUTE = 20;
const FEED = '/api/oauth/revocations';

let idp: TestIdp;
before(async () => {
  idp = await startIdp({ requestsPerMinute: PER_MINUTE });
});
after(() => idp.stop());

it('a flood from the address of a service does not keep it from the denylist, so it verifies tokens on', async () => {
  const logins = createLogins(idp);
  const shop = await logins.client();
  const token = (await logins.token(shop, { grant_type: 'client_credentials' })).body.access_token;
  const { clientId } = shop.client;
  const credentials = { clientId, clientSecret: shop.secret };
  const byClient = createTokenVerifier({ idpUrl: idp.issuer, audience: clientId, revocations: credentials });
  await byClient.verify(token);

  const wrong = basic(clientId, 'flcs_wrong');
  const flood = Array.from({ length: 2 * PER_MINUTE }, () => idp.call('GET', FEED, { headers: wrong }));
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  assert.ok(statuses.includes(429), 'who proves nothing is counted by address');
  for (const path of ['/.well-known/jwks.json', FEED]) assert.equal((await idp.call('GET', path)).status, 429, path);
  const badKey = { 'x-internal-key': 'internal-key-of-nobody-0123456789' };
  assert.equal((await idp.call('GET', FEED, { headers: badKey })).status, 429);

  for (const headers of [basic(clientId, shop.secret), { 'x-internal-key': KEY }]) {
    const read = await idp.call('GET', FEED, { headers });
    assert.deepEqual([read.status, Array.isArray(read.body.revocations)], [200, true]);
  }
  await byClient.verify(token);
  byClient.close();
});

it('reads of the whole denylist have a limit of their own, lower than that of those who poll', async () => {
  const agoMs = (ms: number) => `?since=${new Date(idp.deps.now().getTime() - ms).toISOString()}`;
  const limitOf = async (query: string) => {
    const { headers } = await idp.call('GET', FEED + query, { headers: { 'x-internal-key': KEY } });
    return headers.get('ratelimit-policy');
  };
  assert.deepEqual([await limitOf(''), await limitOf(agoMs(3_600_000))], ['600;w=60', '600;w=60']);
  assert.equal(await limitOf(agoMs(60_000)), '12000;w=60');
});
