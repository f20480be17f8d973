import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { FairleadError } from '../../../domain/errors.ts';
import type { PropertyCommands } from '../../../domain/properties/messages.ts';
import { changedProperty, type Property } from '../../../domain/properties/property.ts';
import { property } from '../../ports/properties/property-store.ts';
import { createInMemoryPropertyCommands } from '../../support/in-memory/property-commands.ts';
import { SYNCER, startSiteRegistry, type TestSiteRegistry } from '../../support/start-site-registry.ts';

const AT = new Date('2026-11-01T10:00:00Z');
const IGNORED = { by: 'map', actor: null, reason: null, at: AT } as const;

describe('verification over HTTP', () => {
  let site: TestSiteRegistry;
  let asked: string[] = [];
  let changes: Partial<PropertyCommands> = {};
  before(async () => {
    const told = (name: string) => async (request: unknown) => void asked.push(`${name} ${JSON.stringify(request)}`);
    const commands = { verify: told('verify'), verifyMany: told('verifyMany'), tellIgnored: told('tellIgnored') };
    const base = createInMemoryPropertyCommands(commands);
    // Each test sets what it needs of them.
    const delegate = new Proxy(base, { get: (target, name: keyof PropertyCommands) => changes[name] ?? target[name] });
    site = await startSiteRegistry({ commands: delegate });
  });
  beforeEach(() => {
    asked = [];
    changes = {};
  });
  after(() => site.stop());

  async function add(fields: Partial<Property> = {}): Promise<Property> {
    const one = property(fields);
    await site.properties.insert(one);
    return one;
  }
  const post = (path: string, body: unknown = {}) => site.call('POST', path, body, SYNCER);
  const withState = (state: 'verified' | 'error', token: string | null = null): Partial<Property> => {
    return { verification: { ...property().verification, state, token } };
  };

  it('verify: 202 with a job that can be asked for, and its run is begun', async () => {
    const { domain } = await add();
    const { status, body } = await post(`/api/properties/www.${domain}/verify`);
    const { jobId, poll, property: shown } = body.data;
    assert.deepEqual([status, body.data.domain, shown.domain, poll], [202, domain, domain, `/api/jobs/${jobId}`]);
    assert.deepEqual(asked, [`verify ${JSON.stringify({ domain, jobId })}`]);
    const job = (await site.call('GET', poll)).body.data;
    assert.deepEqual(
      [job.kind, job.status, job.progress, job.outcomes, job.requestedBy],
      ['verify', 'running', { total: 1, done: 0 }, [], 'portal-prod'],
    );
    await site.jobs.recordOutcome(jobId, { domain, outcome: 'verified', message: null, at: AT });
    const done = (await site.call('GET', poll)).body.data;
    assert.deepEqual(
      [done.status, done.progress, done.outcomes[0].outcome],
      ['done', { total: 1, done: 1 }, 'verified'],
    );
  });

  it('verify of an unknown, an ignored or a busy domain is refused, and leaves no job', async () => {
    const unknown = await post('/api/properties/unknown.com/verify');
    assert.deepEqual([unknown.status, unknown.body.error.code], [404, 'NOT_FOUND']);
    const { domain: ignored } = await add({ ignored: IGNORED });
    const refused = await post(`/api/properties/${ignored}/verify`);
    assert.deepEqual([refused.status, refused.body.error.code], [409, 'PROPERTY_IGNORED']);
    let jobId = '';
    changes.verify = async (request) => {
      jobId = request.jobId;
      throw new FairleadError('VERIFY_IN_PROGRESS', 'A run verifies it already');
    };
    const { domain } = await add();
    const busy = await post(`/api/properties/${domain}/verify`);
    assert.deepEqual([busy.status, busy.body.error.code], [409, 'VERIFY_IN_PROGRESS']);
    assert.equal((await site.call('GET', `/api/jobs/${jobId}`)).status, 404);
  });

  it('verify while Temporal is away: 503, and the job stays for a run that may have begun', async () => {
    let jobId = '';
    changes.verify = async (request) => {
      jobId = request.jobId;
      throw new FairleadError('UNAVAILABLE', 'cannot be reached', { retryable: true });
    };
    const { domain } = await add();
    assert.equal((await post(`/api/properties/${domain}/verify`)).status, 503);
    assert.equal((await site.call('GET', `/api/jobs/${jobId}`)).status, 200);
  });

  it('verify-bulk: named domains, each once; or all that are automatable and not verified', async () => {
    const zone = { automatable: true, checkedAt: AT };
    const waiting = await add({ zone });
    const failed = await add({ zone, ...withState('error') });
    await add({ zone, ...withState('verified') });
    await add({ zone, ignored: IGNORED });
    const named = await post('/api/properties/verify-bulk', { domains: ['a.com', 'https://www.a.com/', 'b.com'] });
    assert.deepEqual([named.status, named.body.data.total], [202, 2]);
    const { jobId } = named.body.data;
    assert.deepEqual(asked, [`verifyMany ${JSON.stringify({ jobId, domains: ['a.com', 'b.com'] })}`]);
    const all = await post('/api/properties/verify-bulk', { filter: 'automatable' });
    const { domains = [] } = (await site.jobs.find(all.body.data.jobId)) ?? {};
    assert.deepEqual(domains, [waiting.domain, failed.domain].sort());
  });

  it('verify-bulk of nothing is done at once, and starts nothing', async () => {
    const empty = await startSiteRegistry();
    try {
      const { body } = await empty.call('POST', '/api/properties/verify-bulk', { filter: 'automatable' });
      const job = (await empty.call('GET', body.data.poll)).body.data;
      assert.deepEqual([body.data.total, job.status], [0, 'done']);
    } finally {
      await empty.stop();
    }
  });

  it('verify-bulk takes either a filter or up to 500 domains', async () => {
    const many = Array.from({ length: 501 }, (_, index) => `d${index}.com`);
    for (const body of [{}, { filter: 'all' }, { domains: [] }, { domains: many }, { domains: ['co.uk'] }]) {
      assert.equal((await post('/api/properties/verify-bulk', body)).status, 400);
    }
    const both = { filter: 'automatable', domains: ['a.com'] };
    assert.equal((await post('/api/properties/verify-bulk', both)).status, 400);
  });

  it('the verification record: the one that is known, else the search engine is asked', async () => {
    const known = await add(withState('error', 'google-site-verification=known'));
    const record = (await site.call('GET', `/api/properties/${known.domain}/verification-record`)).body.data;
    assert.deepEqual(record, {
      ...{ domain: known.domain, type: 'TXT', name: known.domain, value: 'google-site-verification=known', path: null },
    });
    const { domain } = await add();
    const { body } = await site.call('GET', `/api/properties/${domain}/verification-record`);
    assert.equal(body.data.value, `google-site-verification=${domain}`);
    changes.readRecord = async () => {
      throw new FairleadError('GOOGLE_NOT_CONFIGURED', 'set GOOGLE_APPLICATION_CREDENTIALS');
    };
    const refused = await site.call('GET', `/api/properties/${domain}/verification-record`);
    assert.deepEqual([refused.status, refused.body.error.code], [503, 'GOOGLE_NOT_CONFIGURED']);
  });

  it('check now: what the search engine said, with the Property; an ignored one is not asked for', async () => {
    const { domain } = await add();
    const { body } = await post(`/api/properties/${domain}/check-now`);
    assert.deepEqual([body.data.verified, body.data.reason], [false, 'the record was not found']);
    assert.equal(body.data.property.status, 'unverified');
    const ignored = await add({ ignored: IGNORED });
    assert.equal((await post(`/api/properties/${ignored.domain}/check-now`)).body.error.code, 'PROPERTY_IGNORED');
  });

  it('who asks for a verification is on record, with the client that acts for a person', async () => {
    const { domain } = await add();
    const acting = { ...SYNCER, 'x-acting-user': 'usr_ada' };
    await site.call('POST', `/api/properties/${domain}/verify`, {}, acting);
    await site.call('POST', `/api/properties/${domain}/check-now`, {}, acting);
    const bulk = await site.call('POST', '/api/properties/verify-bulk', { domains: [domain] }, acting);
    assert.deepEqual([bulk.status, bulk.body.error], [202, undefined]);
    const told = site.told().slice(-3);
    const types = told.map(({ eventType }) => eventType);
    assert.deepEqual(types, ['webmaster.verify.asked', 'webmaster.verify.checked', 'webmaster.bulk.asked']);
    for (const one of told) assert.match(JSON.stringify(one), /usr_ada.*portal-prod|portal-prod.*usr_ada/);
  });

  it('owners: of a verified domain alone, and its address is in no event', async () => {
    const early = await add();
    const refused = await post(`/api/properties/${early.domain}/owners`, { email: 'ada@example.com' });
    assert.deepEqual([refused.status, refused.body.error.code], [502, 'GOOGLE_PERMISSION']);
    const { domain } = await add(withState('verified'));
    const added = await post(`/api/properties/${domain}/owners`, { email: 'ada@example.com' });
    assert.deepEqual([added.status, added.body.data], [200, { domain, owners: ['ada@example.com'] }]);
    assert.doesNotMatch(JSON.stringify(site.told()), /ada@example/);
    assert.equal((await post(`/api/properties/${domain}/owners`, { email: 'no' })).status, 400);
  });

  it('ignore: once said it stays, ends a run, and is taken back by false; each change is an event', async () => {
    const { domain } = await add();
    const ignored = await post(`/api/properties/${domain}/ignore`, { reason: 'sold' });
    assert.deepEqual([ignored.body.data.status, ignored.body.data.ignored.by], ['ignored', 'person']);
    assert.deepEqual(asked, [`tellIgnored ${JSON.stringify(domain)}`]);
    const again = await post(`/api/properties/${domain}/ignore`, { reason: 'other' });
    assert.equal(again.body.data.ignored.reason, 'sold');
    const back = await post(`/api/properties/${domain}/ignore`, { ignored: false });
    assert.deepEqual([back.body.data.status, back.body.data.ignored], ['unverified', null]);
    const events = site.told().filter(({ entityId }) => entityId === domain);
    assert.deepEqual(events[0]?.eventType, 'webmaster.property.ignored');
    assert.equal((await post('/api/properties/unknown.com/ignore')).status, 404);
  });

  it('ignore of a domain that the map ignores makes it the word of a person', async () => {
    const one = await add();
    await site.properties.replace(changedProperty(one, { ignored: IGNORED }, { at: AT }));
    const { body } = await post(`/api/properties/${one.domain}/ignore`);
    assert.deepEqual([body.data.ignored.by, body.data.ignored.actor], ['person', 'portal-prod']);
  });

  it('sync: what it did; a second one, and a map that cannot be read, are refused', async () => {
    assert.equal((await post('/api/properties/sync-from-map')).status, 200);
    for (const [code, status] of [
      ['SYNC_IN_PROGRESS', 409],
      ['DOMAIN_MAP_UNREADABLE', 502],
    ] as const) {
      changes.sync = async () => {
        throw new FairleadError(code, 'no');
      };
      const { status: answered, body } = await post('/api/properties/sync-from-map');
      assert.deepEqual([answered, body.error.code], [status, code]);
    }
  });
});
