import { domainZonesSuite } from '../../ports/dns/domain-zones.ts';
import { createInMemoryDnsProvider } from './domain-zones.ts';

const provider = createInMemoryDnsProvider();
domainZonesSuite(() => ({
  zones: provider.zonesOf('default'),
  other: provider.zonesOf('another'),
  addZone: async (apex, isDelegated) => void provider.add(apex, isDelegated ? 'active' : 'pending'),
  put: async (apex, name, records) => provider.put(apex, name, records),
  foreign: async (name) =>
    provider
      .recordsOf(name)
      .filter(({ type }) => type === 'TXT' || type === 'MX' || type === 'CAA')
      .map(({ type, content }) => (type === 'TXT' ? content.slice(1, -1) : content)),
}));
