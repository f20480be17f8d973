import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createServiceTokens, type ServiceTokens } from '../../../sdk/index.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { type Provider, startProvider } from './test-provider.ts';

const TOKEN = '/api/oauth/token';

describe('service tokens', () => {
  let provider: Provider;
  let laterMs: number;
  let tokens: ServiceTokens;
  beforeEach(async () => {
    provider = await startProvider();
    laterMs = 0;
    tokens = open();
  });
  afterEach(() => provider.stop());
  const open = (): ServiceTokens =>
    createServiceTokens({
      idpUrl: provider.url,
      clientId: 'shop-prod',
      clientSecret: 'flcs_secret',
      scope: 'orders:read',
      clock: () => new Date(Date.now() + laterMs),
    });
  const answer = (token: string, expiresIn = 3600) => {
    provider.tokenReply = { status: 200, body: { access_token: token, token_type: 'Bearer', expires_in: expiresIn } };
  };

  it('are asked for once, however many callers there are', async () => {
    const got = await Promise.all(Array.from({ length: 50 }, () => tokens.token()));
    assert.deepEqual([new Set(got), provider.count(TOKEN)], [new Set(['service-token-1']), 1]);
    const { body } = provider.seen[0] ?? { body: '' };
    assert.deepEqual(Object.fromEntries(new URLSearchParams(body)), {
      grant_type: 'client_credentials',
      client_id: 'shop-prod',
      client_secret: 'flcs_secret',
      scope: 'orders:read',
    });
  });

  it('are renewed before the old one expires, so that no caller waits', async () => {
    await tokens.token();
    answer('service-token-2');
    laterMs = 3_000_000;
    assert.equal(await tokens.token(), 'service-token-1');
    await waitUntil('the renewal', () => provider.count(TOKEN) === 2);
    let token = await tokens.token();
    for (const deadline = Date.now() + 5_000; token === 'service-token-1' && Date.now() < deadline; ) {
      await new Promise((done) => setTimeout(done, 10));
      token = await tokens.token();
    }
    assert.equal(token, 'service-token-2');
  });

  it('are used to their end while the provider is away, and not after it', async () => {
    await tokens.token();
    provider.broken.set(TOKEN, 503);
    laterMs = 3_500_000;
    assert.equal(await tokens.token(), 'service-token-1');
    laterMs = 3_600_000;
    await assert.rejects(tokens.token(), { code: 'UNAVAILABLE', retryable: true });
    provider.broken.delete(TOKEN);
    answer('service-token-2');
    assert.equal(await tokens.token(), 'service-token-2');
  });

  it('are got anew when the one that was refused is forgotten, and only then', async () => {
    const first = await tokens.token();
    answer('service-token-2');
    tokens.forget('some-other-token');
    assert.equal(await tokens.token(), first);
    tokens.forget(first);
    assert.equal(await tokens.token(), 'service-token-2');
  });

  it('are refused in the provider’s own word, and the secret is not in the error', async () => {
    provider.tokenReply = { status: 401, body: { error: 'invalid_client' } };
    const error = await tokens.token().catch((thrown: unknown) => thrown);
    assert.ok(error instanceof Error);
    assert.match(error.message, /shop-prod no token: invalid_client/);
    assert.ok(!`${error.message}${error.stack}`.includes('flcs_secret'));
  });

  it('without a client say that IDP_CLIENT_ID is required', () => {
    const settings = { idpUrl: provider.url, clientId: undefined, clientSecret: 'x' };
    assert.throws(() => createServiceTokens(settings), /^FairleadError: IDP_CLIENT_ID is required/);
    const none = { idpUrl: undefined, clientId: '', clientSecret: undefined };
    assert.throws(() => createServiceTokens(none), /IDP_URL and IDP_CLIENT_ID and IDP_CLIENT_SECRET are required/);
  });
});
