import { hasSameRecords, recordsChanged } from '../../../adapters/changed-records.ts';
import type { AddressRecord } from '../../../domain/custom-domains/mode.ts';
import type { DomainZone, DomainZones, ProviderRecord } from '../../../domain/custom-domains/ports.ts';

interface KeptRecord {
  readonly type: AddressRecord['type'] | 'TXT' | 'MX' | 'CAA';
  readonly content: string;
  /** The installation that wrote it; null for a person. */
  readonly by: string | null;
}

interface KeptZone {
  zone: DomainZone;
  readonly records: Map<string, readonly KeptRecord[]>;
}

const NAME_SERVERS = ['ada.ns-provider.com', 'bob.ns-provider.com'];

/** A DNS provider in this process. */
export function createInMemoryDnsProvider() {
  const zones = new Map<string, KeptZone>();
  const recordsOf = (name: string): readonly KeptRecord[] =>
    [...zones.values()].flatMap(({ records }) => records.get(name) ?? []);
  const isAddress = ({ type }: KeptRecord): boolean => type === 'A' || type === 'AAAA' || type === 'CNAME';

  function add(apex: string, status: DomainZone['status']): DomainZone {
    const originalNameServers = status === 'pending' ? ['ns1.registrar.net'] : [];
    const zone = { id: `zone-${apex}`, name: apex, status, nameServers: NAME_SERVERS, originalNameServers };
    zones.set(apex, { zone, records: new Map() });
    return zone;
  }

  const keep = ({ name }: DomainZone, at: string, records: readonly KeptRecord[]): void =>
    void zones.get(name)?.records.set(at, records);

  function zonesOf(installation: string): DomainZones {
    const read = (name: string): readonly ProviderRecord[] =>
      recordsOf(name)
        .filter(isAddress)
        .map(({ type, content, by }) => ({
          ...{ type: type as AddressRecord['type'], content, isOwn: by === installation, isProxied: false },
        }));
    return {
      findZone: async (apex) => zones.get(apex)?.zone ?? null,
      createZone: async (apex) => zones.get(apex)?.zone ?? add(apex, 'pending'),
      async removeZone({ name }) {
        const kept = zones.get(name);
        if (kept === undefined) return true;
        const all = [...kept.records.values()].flat();
        if (kept.zone.status !== 'pending' || all.some(({ by }) => by !== installation)) return false;
        return zones.delete(name);
      },
      read: async (_zone, name) => read(name),
      async replace(zone, name, { expected, wanted }) {
        const target = wanted === null ? [] : [wanted];
        if (hasSameRecords(read(name), target)) return;
        if (!hasSameRecords(read(name), expected)) throw recordsChanged(name);
        const others = recordsOf(name).filter((one) => !isAddress(one));
        keep(zone, name, [...others, ...target.map((record) => ({ ...record, by: installation }))]);
      },
      async putText(zone, name, text) {
        const content = JSON.stringify(text);
        if (recordsOf(name).some((one) => one.content === content)) return;
        keep(zone, name, [...recordsOf(name), { type: 'TXT', content, by: installation }]);
      },
      async removeText(zone, name, text) {
        const isIt = ({ content, by }: KeptRecord) => content === JSON.stringify(text) && by === installation;
        keep(
          zone,
          name,
          recordsOf(name).filter((one) => !isIt(one)),
        );
      },
    };
  }

  return {
    zonesOf,
    recordsOf,
    add,
    /** As when the registrar delegates the domain here. */
    activate(apex: string): void {
      const kept = zones.get(apex);
      if (kept !== undefined) kept.zone = { ...kept.zone, status: 'active' };
    },
    /** As when it delegates the domain to others again. */
    moveAway(apex: string): void {
      const kept = zones.get(apex);
      if (kept !== undefined) kept.zone = { ...kept.zone, status: 'pending', originalNameServers: ['ns.new.net'] };
    },
    /** As when no resolver answers to whom it is delegated. */
    silence(apex: string): void {
      const kept = zones.get(apex);
      if (kept !== undefined) kept.zone = { ...kept.zone, status: 'unknown', originalNameServers: [] };
    },
    removeZone: (apex: string) => zones.delete(apex),
    /** As a person does on the provider's pages. */
    put(apex: string, name: string, records: readonly Omit<KeptRecord, 'by'>[]): void {
      zones.get(apex)?.records.set(
        name,
        records.map((record) => ({ ...record, by: null })),
      );
    },
    hasZone: (apex: string): boolean => zones.has(apex),
  };
}

export type InMemoryDnsProvider = ReturnType<typeof createInMemoryDnsProvider>;
