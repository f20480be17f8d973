import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { PropertiesActivityDeps } from '../../../activities/properties/deps.ts';
import {
  completeVerified,
  confirmOnce,
  confirmRecord,
  lookForRecord,
  placeRecord,
  requestToken,
} from '../../../activities/properties/verify-property.ts';
import { ownComment } from '../../../adapters/cloudflare/dns-zones.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { newProperty } from '../../../domain/properties/property.ts';
import { createInMemoryPropertyCommands } from '../../support/in-memory/property-commands.ts';
import { createInMemoryPropertyStore } from '../../support/in-memory/property-store.ts';
import { createInMemoryVerifyJobStore } from '../../support/in-memory/verify-jobs.ts';
import { NAME_SERVERS, type SiteVendors, startSiteVendors } from '../../support/site-vendors.ts';
import { startPowerDns, type TestPowerDns } from '../../support/start-powerdns.ts';
import { tokenOf } from '../../vendors/google.ts';

const SPF = 'v=spf1 include:_spf.google.com ip4:192.0.2.0/24 ~all';

describe('verification by real DNS packets', () => {
  const { signal } = new AbortController();
  const stack = new AsyncDisposableStack();
  let vendors: SiteVendors;
  /** A server that has none of the zones: it refuses. */
  let lame: TestPowerDns;
  let deps: PropertiesActivityDeps;
  before(async () => {
    vendors = stack.adopt(await startSiteVendors(), ({ stop }) => stop());
    lame = stack.adopt(await startPowerDns(), ({ stop }) => stop());
    deps = {
      properties: createInMemoryPropertyStore(),
      jobs: createInMemoryVerifyJobStore(),
      map: null,
      engine: vendors.engine,
      asked: vendors.engine,
      zones: vendors.zones,
      dns: vendors.publicDns(),
      commands: createInMemoryPropertyCommands(),
      ownerEmails: ['seo@example.com'],
      newId,
      now: () => new Date(),
    };
  });
  after(() => stack.disposeAsync());

  async function add(domain: string, texts: readonly string[] = []) {
    await deps.properties.insert(newProperty({ id: newId('property'), domain, at: new Date() }));
    await vendors.cloudflare.addZone(domain, NAME_SERVERS);
    for (const text of texts) {
      await vendors.cloudflare.addRecord(domain, { type: 'TXT', name: domain, content: `"${text}"`, comment: null });
    }
    return { domain, jobId: 'job_1' };
  }

  async function stateOf(domain: string): Promise<string | undefined> {
    return (await deps.properties.find(domain))?.verification.state;
  }

  async function place(request: { domain: string; jobId: string }) {
    assert.equal(await requestToken(deps, request), 'requested');
    return placeRecord(deps, request, signal);
  }

  async function assertVerifies(request: { domain: string; jobId: string }): Promise<void> {
    const { domain } = request;
    assert.equal(await place(request), 'written');
    assert.deepEqual((await lookForRecord(deps, request, signal)).state, 'visible');
    assert.equal((await confirmRecord(deps, request)).state, 'verified');
    await completeVerified(deps, domain);
    assert.equal(await stateOf(domain), 'verified');
    assert.ok(vendors.google.sites.has(`sc-domain:${domain}`));
    assert.ok(vendors.google.owners.get(domain)?.includes('seo@example.com'));
  }

  it('the record is written, served and confirmed; foreign records stay byte by byte', async () => {
    const foreign = [SPF, 'ZOOM_verify_a;b "quoted"'.replaceAll('"', '\\"'), 'MS=ms12345678'];
    const request = await add('verified.com', foreign);
    await vendors.cloudflare.addRecord('verified.com', {
      ...{ type: 'MX', name: 'verified.com', content: '10 mail.verified.com.', comment: 'fairlead, not' },
    });
    const beforeRun = vendors.cloudflare.recordsOf('verified.com');
    await assertVerifies(request);
    const afterRun = vendors.cloudflare.recordsOf('verified.com');
    assert.deepEqual(afterRun.slice(0, beforeRun.length), beforeRun);
    const [own, ...more] = afterRun.slice(beforeRun.length);
    assert.deepEqual(more, []);
    assert.deepEqual([own?.comment, own?.content], [ownComment('default'), `"${tokenOf('verified.com')}"`]);
    const served = await vendors.readTexts('verified.com');
    assert.deepEqual(
      new Set(served),
      new Set([SPF, 'ZOOM_verify_a;b "quoted"', 'MS=ms12345678', tokenOf('verified.com')]),
    );
  });

  it('what is repeated writes nothing again', async () => {
    const request = await add('repeated.com');
    await assertVerifies(request);
    const written = vendors.cloudflare.recordsOf('repeated.com');
    await placeRecord(deps, request, signal);
    assert.deepEqual(vendors.cloudflare.recordsOf('repeated.com'), written);
  });

  it('a record that the servers show late: not seen before, with what is there, and no resolver is asked', async () => {
    const request = await add('late.com', [SPF]);
    vendors.cloudflare.hold();
    assert.equal(await place(request), 'written');
    const look = await lookForRecord(deps, request, signal);
    assert.equal(look.state, 'not-yet');
    assert.match(look.seen, /^ada\.ns-provider\.com has "v=spf1 .*; bob\.ns-provider\.com has "v=spf1/);
    assert.doesNotMatch(look.seen, /127\.0\.0\.1/, 'a resolver would remember that there is none');
    await vendors.cloudflare.release();
    assert.equal((await lookForRecord(deps, request, signal)).state, 'visible');
    assert.equal((await confirmRecord(deps, request)).state, 'verified');
  });

  it('an apex with 12 TXT records, which one datagram does not hold', async () => {
    const texts = Array.from({ length: 12 }, (_, index) => `record-${index}=${'x'.repeat(180)}`);
    await assertVerifies(await add('twelve.com', texts));
    assert.equal((await vendors.readTexts('twelve.com')).length, 13);
  });

  it('a domain that is delegated elsewhere: the manual path, and nothing is written', async () => {
    const request = await add('elsewhere.com', [SPF]);
    const others = ['ns1.other-provider.com.', 'ns2.other-provider.com.'];
    await vendors.dns.setRecords('elsewhere.com', { name: 'elsewhere.com', type: 'NS', contents: others });
    const beforeRun = vendors.cloudflare.recordsOf('elsewhere.com');
    assert.equal(await place(request), 'manual');
    assert.deepEqual(vendors.cloudflare.recordsOf('elsewhere.com'), beforeRun);
    const { path, token } = (await deps.properties.find('elsewhere.com'))?.verification ?? {};
    assert.deepEqual([path, token], ['manual', tokenOf('elsewhere.com')]);
    // Somebody sets it there.
    const contents = [`"${tokenOf('elsewhere.com')}"`];
    await vendors.dns.setRecords('elsewhere.com', { name: 'elsewhere.com', type: 'TXT', contents });
    assert.equal((await confirmOnce(deps, 'elsewhere.com')).state, 'verified');
  });

  it('one server of the zone that does not know it: the others count, and it is told', async () => {
    const request = await add('halflame.com');
    assert.equal(await place(request), 'written');
    vendors.routes.set('8.8.4.2', lame.address);
    try {
      assert.deepEqual(await lookForRecord(deps, request, signal), {
        state: 'visible',
        seen: `ada.ns-provider.com has "${tokenOf('halflame.com')}"; bob.ns-provider.com did not answer (EREFUSED); ${vendors.dns.address} has "${tokenOf('halflame.com')}"`,
      });
    } finally {
      vendors.routes.set('8.8.4.2', vendors.dns.address);
    }
  });

  it('a lame delegation, as resolvers see it as well: not seen, with what each server says', async () => {
    const request = await add('lame.com');
    assert.equal(await place(request), 'written');
    for (const address of vendors.routes.keys()) vendors.routes.set(address, lame.address);
    try {
      const blind = { ...deps, dns: vendors.publicDns([lame.address]) };
      const look = await lookForRecord(blind, request, signal);
      assert.deepEqual(look, { state: 'not-yet', seen: `${lame.address} did not answer (EREFUSED)` });
      const half = await lookForRecord(deps, request, signal);
      assert.equal(half.state, 'visible', 'where resolvers have it, no server of the zone has to answer us');
    } finally {
      for (const address of vendors.routes.keys()) vendors.routes.set(address, vendors.dns.address);
    }
  });

  it('a CNAME at the apex, which the provider flattens: the record is served beside it', async () => {
    const request = await add('flattened.com');
    const cname = { type: 'CNAME', name: 'flattened.com', content: 'shop.example.net', comment: null };
    await vendors.cloudflare.addRecord('flattened.com', cname);
    await assertVerifies(request);
    assert.ok(vendors.cloudflare.recordsOf('flattened.com').some(({ type }) => type === 'CNAME'));
  });

  it('servers of a zone with addresses inside are not asked', async () => {
    const request = await add('inside.com');
    assert.equal(await place(request), 'written');
    await vendors.dns.addZone('inner-names.com', NAME_SERVERS);
    await vendors.dns.setRecords('inner-names.com', { name: 'ns.inner-names.com', type: 'A', contents: ['10.0.0.1'] });
    const contents = ['ns.inner-names.com.'];
    await vendors.dns.setRecords('inside.com', { name: 'inside.com', type: 'NS', contents });
    const look = await lookForRecord(deps, request, signal);
    assert.match(look.seen, /ns\.inner-names\.com did not answer \(it has no public address\)/);
  });
});
