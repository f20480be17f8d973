import type { IndexTable } from '../ensure-indexes.ts';

export const COLLECTIONS = { domains: 'custom_domains' } as const;

/** The id of a document is the name: by it, a name has one holder. */
export const INDEXES: IndexTable = {
  [COLLECTIONS.domains]: [
    { key: { 'holder.serviceId': 1, _id: 1 }, name: 'service_id' },
    { key: { apex: 1, 'holder.org': 1 }, name: 'apex_org' },
    { key: { 'holder.claimant': 1 }, name: 'claimant' },
    { key: { 'zoneMade.org': 1, 'zoneMade.at': 1 }, name: 'zone_made' },
    { key: { 'zoneMade.at': 1 }, name: 'zone_made_at', sparse: true },
    { key: { 'zonesMade.org': 1 }, name: 'zones_made', sparse: true },
  ],
};
