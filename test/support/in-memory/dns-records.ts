import { type AddressRecord, addressRecord, type DnsRecords } from '../../../domain/deploys/dns-records.ts';
import { FairleadError } from '../../../domain/errors.ts';

/** A record of a zone, of any type. */
export interface ZoneRecord {
  readonly type: AddressRecord['type'] | 'TXT' | 'MX';
  readonly content: string;
  /** False for one that somebody else made. */
  readonly own: boolean;
}

export interface InMemoryDnsRecords extends DnsRecords {
  /** By host. */
  readonly zone: Map<string, readonly ZoneRecord[]>;
}

/** A zone in this process. */
export function createInMemoryDnsRecords(): InMemoryDnsRecords {
  const zone = new Map<string, readonly ZoneRecord[]>();
  return {
    zone,
    async ensure(host, target, signal) {
      signal?.throwIfAborted();
      const record = addressRecord(target);
      const all = zone.get(host) ?? [];
      const addresses = all.filter(({ type }) => type !== 'TXT' && type !== 'MX');
      const leadsThere = ({ type, content }: ZoneRecord): boolean => type === record.type && content === record.content;
      const foreign = addresses.filter((one) => !one.own && !leadsThere(one));
      if (foreign.length > 0) throw recordExists(host, foreign);
      if (addresses.length === 1 && addresses.every(leadsThere)) return { record, outcome: 'kept' };
      const kept = all.filter((one) => !addresses.includes(one));
      zone.set(host, [...kept, addresses.find(leadsThere) ?? { ...record, own: true }]);
      return { record, outcome: addresses.length === 0 ? 'created' : 'changed' };
    },
  };
}

function recordExists(host: string, foreign: readonly ZoneRecord[]): FairleadError {
  const records = foreign.map(({ type, content }) => ({ type, content }));
  const [first] = records;
  const message = `${host} leads elsewhere already: ${first?.type} ${first?.content}. Remove that record, or give the service another name.`;
  return new FairleadError('DNS_RECORD_EXISTS', message, { details: { records } });
}
