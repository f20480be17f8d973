import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { decodeProtectedHeader } from 'jose';
import { createTokenVerifier, FairleadError, type TokenVerifier } from '../../sdk/index.ts';
import { type Providers, startProviders } from '../support/provider-processes.ts';

const REQUESTS = 2_000;
const AT_ONCE = 8;
/** Every so many tokens, one is revoked. */
const REVOKE_EACH = 40;
/** How long one request may be tried again: a restart of the provider takes a few seconds. */
const PATIENCE_MS = 30_000;
const CLIENT = 'load-prod';

let providers: Providers;
let verifier: TokenVerifier;
let secret: string;
before(async () => {
  providers = await startProviders(1);
  const { status, text, body } = await internal('POST', '/api/internal/oauth-clients', {
    clientId: CLIENT,
    name: 'Load',
    orgSlug: 'platform',
    allowedGrantTypes: ['client_credentials'],
  });
  assert.equal(status, 201, text);
  secret = body.data.clientSecret;
  verifier = createTokenVerifier({
    idpUrl: providers.issuer,
    audience: CLIENT,
    revocations: { clientId: CLIENT, clientSecret: secret },
  });
});
after(async () => {
  verifier?.close();
  await providers?.stop();
});

const internal = (method: string, path: string, json: unknown) =>
  providers.call(0, method, path, { json, headers: { 'x-internal-key': providers.internalKey } });

/** Tries until there is an answer: a provider that is away, or says to come back, is no answer. */
async function patiently<T>(what: string, attempt: () => Promise<T | null>): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const answer = await attempt();
    if (answer !== null) return answer;
    if (Date.now() > deadline) throw new Error(`${what}: no answer within ${PATIENCE_MS / 1000} s`);
    await delay(50);
  }
}

/** A request of the token or revocation endpoint. @throws Error for an answer that is wrong */
function post(path: string, form: Record<string, string>): Promise<Record<string, string>> {
  return patiently(path, async () => {
    const credentials = { client_id: CLIENT, client_secret: secret };
    const answer = await providers.call(0, 'POST', path, { form: { ...credentials, ...form } }).catch(() => null);
    if (answer === null || answer.status === 503) return null;
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status} ${answer.text}`);
    return answer.body;
  });
}

const mint = async (): Promise<string> =>
  (await post('/api/oauth/token', { grant_type: 'client_credentials' })).access_token ?? '';

/** What the verifier says of a token; `unknown` while it cannot know. */
async function verdict(token: string): Promise<'good' | 'refused' | 'unknown'> {
  try {
    const { claims } = await verifier.verify(token);
    assert.deepEqual([claims.sub, claims.aud], [CLIENT, CLIENT]);
    return 'good';
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    return error.code === 'UNAVAILABLE' ? 'unknown' : 'refused';
  }
}

const stateOf = (token: string) =>
  patiently('the verifier', async () => {
    const said = await verdict(token);
    return said === 'unknown' ? null : said;
  });

it('2,000 tokens through a rotation and a kill of the provider: no wrong answer, and none revoked is accepted', async (t) => {
  const began = performance.now();
  const wrong: string[] = [];
  const kids = new Set<string>();
  const kept: string[] = [];
  const revoked: string[] = [];
  const afterRevocation: Promise<void>[] = [];
  let minted = 0;

  async function revoke(token: string): Promise<void> {
    await post('/api/oauth/revoke', { token });
    revoked.push(token);
    afterRevocation.push(
      delay(1_000).then(async () => {
        if ((await verdict(token)) === 'good') wrong.push('a token was accepted a second after it was revoked');
      }),
    );
  }

  async function client(): Promise<void> {
    while (minted < REQUESTS) {
      minted += 1;
      const number = minted;
      const token = await mint();
      kids.add(decodeProtectedHeader(token).kid ?? '');
      if ((await stateOf(token)) !== 'good') wrong.push(`token ${number} was refused although it was new`);
      if (number % REVOKE_EACH === 0) await revoke(token);
      else if (number % 10 === 1) kept.push(token);
    }
  }

  const reached = (count: number) => patiently(`${count} tokens`, async () => (minted >= count ? true : null));
  async function disturb(): Promise<void> {
    await reached(REQUESTS / 4);
    await providers.ageKeys();
    const rotated = await internal('POST', '/api/admin/keys/rotate', { force: true });
    assert.equal(rotated.status, 200, rotated.text);
    await reached(REQUESTS / 2);
    const last = await Promise.all(Array.from({ length: 5 }, mint));
    for (const token of last) assert.equal(await stateOf(token), 'good');
    // The provider dies with these revoked, and nobody has heard of it yet.
    await Promise.all(last.map(revoke));
    await providers.kill(0);
    await delay(1_500);
    await providers.start(0);
  }

  await Promise.all([disturb(), ...Array.from({ length: AT_ONCE }, client)]);
  await Promise.all(afterRevocation);
  for (const token of revoked) assert.equal(await stateOf(token), 'refused');
  for (const token of kept) assert.equal(await stateOf(token), 'good', 'what was not revoked outlives both');
  assert.deepEqual(wrong, []);
  assert.equal(kids.size, 2, 'tokens of both keys were made');
  t.diagnostic(
    `${minted} tokens and ${revoked.length} revocations in ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );
});

it('a client that is deleted has every token of its own revoked within a second', async () => {
  const tokens = await Promise.all(Array.from({ length: 20 }, mint));
  for (const token of tokens) assert.equal(await stateOf(token), 'good');
  const watching = createTokenVerifier({
    idpUrl: providers.issuer,
    audience: CLIENT,
    revocations: { internalKey: providers.internalKey },
  });
  try {
    assert.equal((await watching.verify(tokens[0] ?? '')).claims.sub, CLIENT);
    const { status } = await internal('DELETE', `/api/internal/oauth-clients/${CLIENT}`, undefined);
    assert.equal(status, 200);
    await delay(1_000);
    for (const token of tokens) await assert.rejects(watching.verify(token), { code: 'UNAUTHORIZED' });
  } finally {
    watching.close();
  }
});
