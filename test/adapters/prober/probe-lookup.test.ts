import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createProbeLookup } from '../../../adapters/prober/probe-lookup.ts';
import { startPowerDns, type TestPowerDns } from '../../support/start-powerdns.ts';
import { waitUntil } from '../../support/wait-until.ts';

describe('names of targets', () => {
  let dns: TestPowerDns;
  before(async () => {
    dns = await startPowerDns();
    await dns.addZone('shop.com', ['ns1.shop.com']);
    await dns.setRecords('shop.com', { name: 'shop.com', type: 'A', contents: ['192.0.2.1'] });
    await dns.setRecords('shop.com', { name: 'shop.com', type: 'AAAA', contents: ['2001:db8::1'] });
    await dns.setRecords('shop.com', { name: 'six.shop.com', type: 'AAAA', contents: ['2001:db8::2'] });
  });
  after(() => dns.stop());
  const addresses = async (lookup: ReturnType<typeof createProbeLookup>, name: string) =>
    (await lookup(name)).map(({ address }) => address);

  it('have all their addresses, of either family', async () => {
    const lookup = createProbeLookup([dns.address]);
    assert.deepEqual(await addresses(lookup, 'Shop.com.'), ['192.0.2.1', '2001:db8::1']);
    assert.deepEqual(await addresses(lookup, 'six.shop.com'), ['2001:db8::2']);
  });

  it('are asked for anew once their record is too old, and at once after a failure', async () => {
    const lookup = createProbeLookup([dns.address]);
    await assert.rejects(addresses(lookup, 'new.shop.com'), { code: 'ENOTFOUND' });
    await dns.setRecords('shop.com', { name: 'new.shop.com', type: 'A', contents: ['192.0.2.7'] });
    assert.deepEqual(await addresses(lookup, 'new.shop.com'), ['192.0.2.7']);
    await dns.setRecords('shop.com', { name: 'new.shop.com', type: 'A', contents: ['192.0.2.8'] });
    await waitUntil(
      'the new address is seen',
      async () => (await addresses(lookup, 'new.shop.com'))[0] === '192.0.2.8',
    );
  });

  it('of this machine are never asked for', async () => {
    const lookup = createProbeLookup(['127.0.0.1:9']);
    for (const name of ['localhost', 'shop.localhost', 'Shop.Localhost.']) {
      assert.deepEqual(await addresses(lookup, name), ['127.0.0.1']);
    }
  });

  it('that nobody answers for delay no other, however many there are', async () => {
    const lookup = createProbeLookup([dns.address]);
    const dead = createProbeLookup(['192.0.2.1']);
    const asked = Array.from({ length: 500 }, (_, index) => dead(`dead${index}.example`).catch(() => null));
    const began = performance.now();
    assert.deepEqual(await addresses(lookup, 'shop.com'), ['192.0.2.1', '2001:db8::1']);
    assert.ok(performance.now() - began < 2_000);
    await Promise.all(asked);
  });
});
