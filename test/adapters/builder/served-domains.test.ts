import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createServedDomains } from '../../../adapters/builder/served-domains.ts';
import { KEY } from '../../support/start-registry.ts';
import { answering, failing, PATIENCE_MS, serveUpstream, UPSTREAM_FAULTS } from '../../support/upstream-faults.ts';

const NEVER = new AbortController().signal;
const connect = (url: string) => createServedDomains({ url, internalKey: KEY, timeoutMs: PATIENCE_MS });
const of = (domain: string, state = 'active') => ({ domain, service: 'shop', environment: 'prod', state });
const page = (items: readonly object[], nextCursor: string | null) =>
  answering(200, JSON.stringify({ success: true, data: { items, nextCursor } }));

describe('the names that the builder lists', () => {
  it('are read page by page, by its key, without those that are being removed', async (t) => {
    const asked: string[] = [];
    const url = await serveUpstream(t, (request, response) => {
      asked.push(`${request.headers['x-internal-key'] === KEY} ${request.url}`);
      const isFirst = !request.url?.includes('cursor=');
      const items = isFirst ? [of('a.dev'), of('b.dev', 'removing')] : [of('c.dev', 'pending-dns')];
      page(items, isFirst ? 'next page' : null)(request, response);
    });
    assert.deepEqual([...(await connect(url).list(NEVER))], ['shop/prod/a.dev', 'shop/prod/c.dev']);
    assert.deepEqual(asked, ['true /domains?limit=200', 'true /domains?limit=200&cursor=next+page']);
  });

  it('are none where a page is missing', async (t) => {
    const url = await serveUpstream(t, (request, response) => {
      const isFirst = !request.url?.includes('cursor=');
      (isFirst ? page([of('a.dev')], 'next') : failing(500, 'INTERNAL'))(request, response);
    });
    await assert.rejects(connect(url).list(NEVER), { code: 'UNAVAILABLE', system: 'builder', retryable: true });
  });

  for (const [what, listener] of UPSTREAM_FAULTS) {
    it(`are none where it answers ${what}`, async (t) => {
      const url = await serveUpstream(t, listener);
      await assert.rejects(connect(url).list(NEVER), { code: 'UNAVAILABLE', system: 'builder', retryable: true });
    });
  }
});
