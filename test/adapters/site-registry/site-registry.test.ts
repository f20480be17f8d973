import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { createSiteRegistry } from '../../../adapters/site-registry/site-registry.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { ServiceTokens } from '../../../sdk/auth/service-tokens.ts';
import { siteRegistrySuite } from '../../ports/site-registry.ts';
import { createInMemorySiteRegistry } from '../../support/in-memory/site-registry.ts';
import {
  answering,
  failing,
  PATIENCE_MS,
  refusedAddress,
  serveUpstream,
  UPSTREAM_FAULTS,
} from '../../support/upstream-faults.ts';

const SITE = { service: 'hello', env: 'prod', domains: ['hello.example'] } as const;

/** Tokens in turn; a forgotten one is not given again. */
function createTokens(...values: readonly string[]): ServiceTokens {
  const left = [...values];
  return {
    token: async () => left[0] ?? 'none',
    forget: (token) => void (left[0] === token && left.shift()),
  };
}

const connect = (url: string, tokens: ServiceTokens = createTokens('good')) =>
  createSiteRegistry({ url, tokens, timeoutMs: PATIENCE_MS });

/** A site registry that takes one token, and notes what it is sent beside it. */
async function startSiteRegistry(t: TestContext, tokens = createTokens('good')) {
  const told = new Map<string, object>();
  const keys: unknown[] = [];
  const listener: RequestListener = async (request, response) => {
    keys.push(request.headers['x-internal-key']);
    if (request.method !== 'POST' || request.headers.authorization !== 'Bearer good') {
      failing(401, 'UNAUTHORIZED')(request, response);
      return;
    }
    told.set(request.url ?? '', (await json(request)) as object);
    answering(202, JSON.stringify({ success: true, data: { indexNowKey: 'x' } }))(request, response);
  };
  const url = await serveUpstream(t, listener);
  return { registry: createSiteRegistry({ url, tokens }), told, keys };
}

describe('the site registry over HTTP', () => siteRegistrySuite(startSiteRegistry));

describe('the site registry in memory', () => {
  siteRegistrySuite(async () => {
    const registry = createInMemorySiteRegistry();
    return { registry, told: registry.told };
  });
});

describe('the client of a site registry', () => {
  for (const [what, listener, message] of UPSTREAM_FAULTS) {
    it(`takes ${what} for a site registry that is away`, async (t) => {
      const registry = connect(await serveUpstream(t, listener));
      const failure = { code: 'UNAVAILABLE', system: 'site-registry', retryable: true, message };
      await assert.rejects(registry.register(SITE), failure);
    });
  }

  it('takes a port where nobody listens for a site registry that is away', async () => {
    const failure = { code: 'UNAVAILABLE', system: 'site-registry', message: 'The site registry cannot be reached.' };
    await assert.rejects(connect(await refusedAddress()).register(SITE), failure);
  });

  it('gets another token, once, for one that was revoked, and sends no key of the installation', async (t) => {
    const { registry, told, keys } = await startSiteRegistry(t, createTokens('revoked', 'good'));
    await registry.register(SITE);
    assert.deepEqual([...told.keys()], ['/services/register']);
    assert.deepEqual(keys, [undefined, undefined]);
    const refused = await startSiteRegistry(t, createTokens('revoked', 'revoked', 'good'));
    await assert.rejects(refused.registry.register(SITE), { code: 'UNAVAILABLE', message: /BUILDER_CLIENT_SECRET/ });
    assert.equal(refused.keys.length, 2);
  });

  it('tells that there is no token as the system site-registry, and asks nothing then', async (t) => {
    const tokens = { ...createTokens(), token: () => Promise.reject(new FairleadError('UNAUTHORIZED', 'no')) };
    const { registry, keys } = await startSiteRegistry(t, tokens);
    const failure = { code: 'UNAVAILABLE', system: 'site-registry', retryable: true, message: /gives no token/ };
    await assert.rejects(registry.register(SITE), failure);
    assert.deepEqual(keys, []);
  });

  it('passes on what the site registry refuses, which retrying does not change', async (t) => {
    const registry = connect(await serveUpstream(t, failing(403, 'FORBIDDEN', 'no scope')));
    await assert.rejects(registry.register(SITE), { code: 'FORBIDDEN', message: 'no scope', retryable: false });
  });
});
