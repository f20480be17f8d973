import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { changedProperty } from '../../../domain/properties/property.ts';
import { property } from '../../ports/properties/property-store.ts';
import { READER, ROOT, SYNCER, startSiteRegistry, type TestSiteRegistry } from '../../support/start-site-registry.ts';

const AT = new Date('2026-11-01T10:00:00Z');

describe('Properties', () => {
  let site: TestSiteRegistry;
  before(async () => {
    site = await startSiteRegistry();
    const rows = [
      { ...property({ family: 'cars', role: 'main' }), domain: 'a-cars.com' },
      { ...property({ family: 'cars' }), domain: 'b-cars.com' },
      { ...property({ family: 'homes' }), domain: 'homes.com' },
    ];
    for (const row of rows) await site.properties.insert(row);
    const ignored = { by: 'person', actor: 'usr_ada', reason: 'sold', at: AT } as const;
    const [, , homes] = rows;
    assert.ok(homes);
    await site.properties.replace(changedProperty(homes, { ignored }, { at: AT, event: 'ignored', detail: 'sold' }));
  });
  after(() => site.stop());

  it('are listed by domain, page by page, with how many there are', async () => {
    const { status, body } = await site.call('GET', '/api/properties?limit=2&offset=1', undefined, READER);
    assert.equal(status, 200);
    const { items, ...page } = body.data;
    assert.deepEqual(
      [items.map(({ domain }: { domain: string }) => domain), page],
      [['b-cars.com', 'homes.com'], { total: 3, limit: 2, offset: 1 }],
    );
  });

  it('are filtered by status, family and role', async () => {
    const domains = async (query: string): Promise<string[]> =>
      (await site.call('GET', `/api/properties?${query}`)).body.data.items.map((one: { domain: string }) => one.domain);
    assert.deepEqual(await domains('status=ignored'), ['homes.com']);
    assert.deepEqual(await domains('family=cars&role=main'), ['a-cars.com']);
    assert.deepEqual(await domains('source=legacy'), []);
  });

  it('an unknown filter value, or a page beyond all bounds, is refused', async () => {
    for (const query of ['status=done', 'source=x', 'limit=0', 'limit=201', 'offset=-1', 'kind=x']) {
      const { status, body } = await site.call('GET', `/api/properties?${query}`);
      assert.deepEqual([status, body.error.code], [400, 'VALIDATION_FAILED'], query);
    }
  });

  it('one is found by its domain in any form, with what happened to it', async () => {
    const path = `/api/properties/${encodeURIComponent('https://www.HOMES.com/x')}`;
    const { status, body } = await site.call('GET', path);
    assert.deepEqual([status, body.data.domain, body.data.status], [200, 'homes.com', 'ignored']);
    const events = body.data.timeline.map(({ event, detail }: Record<string, string>) => [event, detail]);
    assert.deepEqual(events, [
      ['added', null],
      ['ignored', 'sold'],
    ]);
  });

  it('a domain that is not there is not found, and what is no domain is refused', async () => {
    const unknown = await site.call('GET', '/api/properties/nobody.com');
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'NOT_FOUND']);
    const none = await site.call('GET', '/api/properties/co.uk');
    assert.deepEqual([none.status, none.body.error.code], [400, 'VALIDATION_FAILED']);
    assert.match(none.body.error.message, /public suffix/);
    // In any alphabet: the longest that the document allows is still a request that the server reads.
    const longest = await site.call('GET', `/api/properties/${encodeURIComponent('😀'.repeat(500))}`);
    assert.deepEqual([longest.status, longest.body.error.code], [400, 'VALIDATION_FAILED']);
    const widest = await site.call('GET', `/api/properties/${encodeURIComponent('あ'.repeat(1_000))}`);
    assert.deepEqual([widest.status, widest.body.error.code], [400, 'VALIDATION_FAILED']);
  });

  it('are counted by family', async () => {
    const { body } = await site.call('GET', '/api/overview', undefined, READER);
    const { total, unverified, manual, ignored, families } = body.data;
    assert.deepEqual({ total, unverified, manual, ignored }, { total: 3, unverified: 2, manual: 2, ignored: 1 });
    assert.deepEqual(Object.keys(families), ['cars', 'homes']);
  });

  it('whoami tells who calls, and for whom a service acts', async () => {
    const whoami = async (headers: Readonly<Record<string, string>>) =>
      (await site.call('GET', '/api/whoami', undefined, headers)).body.data;
    const root = await whoami(ROOT);
    assert.deepEqual([root.kind, root.id, root.scopes.length], ['person', 'usr_root', 4]);
    const service = await whoami({ ...SYNCER, 'x-acting-user': 'usr_ada' });
    assert.deepEqual(service, {
      ...{ kind: 'service', id: 'portal-prod', org: 'platform' },
      ...{ scopes: ['webmaster:sync'], actingUser: 'usr_ada' },
    });
  });
});
