import { describe } from 'node:test';
import { dnsRecordsSuite } from '../../ports/dns-records.ts';
import { createInMemoryDnsRecords } from './dns-records.ts';

describe('DNS records in memory', () => {
  dnsRecordsSuite(async () => {
    const records = createInMemoryDnsRecords();
    return {
      records,
      put: async (host, record) =>
        void records.zone.set(host, [...(records.zone.get(host) ?? []), { ...record, own: false }]),
      read: async (host) =>
        (records.zone.get(host) ?? [])
          .map(({ type, content }) => ({ type, content }))
          .toSorted((a, b) => a.type.localeCompare(b.type)),
    };
  });
});
