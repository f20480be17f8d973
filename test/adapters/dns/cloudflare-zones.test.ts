import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createCloudflareDomainZones } from '../../../adapters/cloudflare/domain-zones.ts';
import { domainZonesSuite } from '../../ports/dns/domain-zones.ts';
import { NAME_SERVERS, startDomainDns, type TestDomainDns } from '../../support/start-domain-dns.ts';
import { startCloudflare, type TestCloudflare } from '../../vendors/cloudflare.ts';

let on: TestDomainDns;
let vendor: TestCloudflare;
const zonesOf = (installation: string) =>
  createCloudflareDomainZones({
    ...{ apiToken: vendor.token, installation, accountId: 'acc1', fetch: vendor.fetch },
    budget: { acquire: async () => undefined, pause: async () => undefined },
  });

before(async () => {
  on = await startDomainDns();
  vendor = await startCloudflare(on.dns);
});
after(async () => {
  await vendor.stop();
  await on.stop();
});

domainZonesSuite(() => ({
  zones: zonesOf('default'),
  other: zonesOf('another'),
  foreign: on.foreign,
  addZone: (apex, isDelegated) => vendor.addZone(apex, NAME_SERVERS, isDelegated ? 'active' : 'pending'),
  async put(apex, name, records) {
    for (const { type, content } of records) await vendor.addRecord(apex, { type, name, content, comment: null });
  },
}));

describe('Cloudflare', () => {
  it('a zone of another account is refused, with what to do', async () => {
    vendor.addElsewhere('taken-elsewhere.com');
    await assert.rejects(zonesOf('default').createZone('taken-elsewhere.com'), {
      code: 'DNS_PROVIDER_REFUSED',
      message: /Another Cloudflare account has a zone taken-elsewhere.com/,
    });
  });

  it('its own records are proxied: the public DNS shows the edge', async () => {
    await vendor.addZone('proxied.com', NAME_SERVERS);
    const zones = zonesOf('default');
    const zone = await zones.findZone('proxied.com');
    assert.ok(zone);
    await zones.replace(zone, 'shop.proxied.com', {
      expected: [],
      wanted: { type: 'CNAME', content: 'in.fairlead.dev' },
    });
    assert.equal((await zones.read(zone, 'shop.proxied.com'))[0]?.isProxied, true);
    assert.deepEqual(await on.dns.resolver().resolve4('shop.proxied.com'), ['104.16.1.1']);
  });
});
