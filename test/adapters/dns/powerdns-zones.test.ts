import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createPowerDnsDomainZones } from '../../../adapters/powerdns/domain-zones.ts';
import { domainZonesSuite, type ForeignRecord } from '../../ports/dns/domain-zones.ts';
import { NAME_SERVERS, startDomainDns, type TestDomainDns } from '../../support/start-domain-dns.ts';

let on: TestDomainDns;
const elsewhere = new Set<string>();
const silent = new Set<string>();
const zonesOf = (installation: string, changes: { readonly apiKey?: string; readonly url?: string } = {}) =>
  createPowerDnsDomainZones({
    ...on.dns.api,
    ...changes,
    installation,
    nameServers: NAME_SERVERS,
    // A zone that nobody delegated is known to the server all the same, which stands for the public DNS as well.
    delegatedTo: async (apex) => {
      if (silent.has(apex)) return null;
      return elsewhere.has(apex) ? ['ns1.registrar.net'] : await on.publicDns.nameServers(apex);
    },
  });

before(async () => {
  on = await startDomainDns();
});
after(() => on.stop());

domainZonesSuite(() => {
  const zones = zonesOf('default');
  return {
    zones: {
      ...zones,
      createZone: (apex, signal) => {
        elsewhere.add(apex);
        return zones.createZone(apex, signal);
      },
    },
    other: zonesOf('another'),
    foreign: on.foreign,
    async addZone(apex, isDelegated) {
      if (!isDelegated) elsewhere.add(apex);
      await on.dns.addZone(apex, NAME_SERVERS);
    },
    async put(apex, name, records) {
      for (const [type, of] of Object.entries(Object.groupBy(records, (record: ForeignRecord) => record.type))) {
        await on.dns.setRecords(apex, { name, type, contents: of.map(({ content }) => content) });
      }
    },
  };
});

describe('PowerDNS', () => {
  it('while no resolver answers, nobody knows whether a zone is delegated to it, and it stays', async () => {
    const zones = zonesOf('default');
    elsewhere.add('silent.com');
    const zone = await zones.createZone('silent.com');
    assert.equal(zone.status, 'pending');
    silent.add('silent.com');
    assert.equal((await zones.findZone('silent.com'))?.status, 'unknown');
    assert.equal(await zones.removeZone(zone), false);
    silent.delete('silent.com');
    assert.equal((await zones.findZone('silent.com'))?.status, 'pending');
    assert.equal(await zones.removeZone(zone), true);
  });

  it('a server that is away is UNAVAILABLE, and one that takes no key refuses', async () => {
    await assert.rejects(zonesOf('default', { url: 'http://127.0.0.1:1' }).findZone('a.com'), {
      code: 'UNAVAILABLE',
      retryable: true,
    });
    await assert.rejects(zonesOf('default', { apiKey: 'wrong' }).findZone('a.com'), { code: 'DNS_PROVIDER_REFUSED' });
  });
});
