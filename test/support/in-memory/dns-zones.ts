import type { DnsLook } from '../../../domain/properties/dns-look.ts';
import type { DnsZone, DnsZones, PublicDns } from '../../../domain/properties/ports.ts';

export interface InMemoryRecord {
  readonly text: string;
  readonly isOurs: boolean;
  readonly writtenAtMs: number;
}

export interface InMemoryDnsOptions {
  /** Milliseconds since some time. */
  readonly clock: () => Promise<number>;
}

const PROVIDER = ['ada.ns.provider.example', 'bob.ns.provider.example'];

/** A DNS provider and the public DNS that follows it, in this process. */
export function createInMemoryDns({ clock }: InMemoryDnsOptions) {
  const zones = new Map<string, DnsZone>();
  const records = new Map<string, InMemoryRecord[]>();
  /** How long a written record takes until the public DNS shows it: at once by default. */
  const delaysMs = new Map<string, number>();
  const delegations = new Map<string, readonly string[]>();
  let writes = 0;

  const recordsOf = (domain: string): InMemoryRecord[] => {
    const known = records.get(domain) ?? [];
    records.set(domain, known);
    return known;
  };
  const publicTexts = async (domain: string): Promise<readonly string[]> => {
    const now = await clock();
    const delay = delaysMs.get(domain) ?? 0;
    return recordsOf(domain)
      .filter(({ writtenAtMs, isOurs }) => !isOurs || now >= writtenAtMs + delay)
      .map(({ text }) => text);
  };
  const provider: DnsZones = {
    findZone: async (domain) => zones.get(domain) ?? null,
    listActive: async () => new Set([...zones.values()].filter(({ isActive }) => isActive).map(({ domain }) => domain)),
    async writeText({ domain }, text) {
      const known = recordsOf(domain);
      if (known.some((record) => record.text === text)) return;
      writes += 1;
      const others = known.filter(({ isOurs }) => !isOurs);
      records.set(domain, [...others, { text, isOurs: true, writtenAtMs: await clock() }]);
    },
  };
  const dns: PublicDns = {
    lookUpText: async (domain): Promise<DnsLook> => ({
      authoritative: [{ server: PROVIDER[0] ?? '', texts: await publicTexts(domain), problem: null }],
      resolvers: [],
    }),
    nameServers: async (domain) => delegations.get(domain) ?? zones.get(domain)?.nameServers ?? null,
  };
  return {
    provider,
    dns,
    publicTexts,
    delaysMs,
    delegations,
    /** A zone in our account, delegated there. */
    addZone(domain: string, changes: Partial<DnsZone> = {}): void {
      zones.set(domain, { id: `zone-${domain}`, domain, isActive: true, nameServers: PROVIDER, ...changes });
    },
    /** A record that a person wrote. */
    addRecord(domain: string, text: string): void {
      recordsOf(domain).push({ text, isOurs: false, writtenAtMs: 0 });
    },
    removeRecords(domain: string): void {
      records.delete(domain);
    },
    textsOf: (domain: string): readonly string[] => recordsOf(domain).map(({ text }) => text),
    writes: () => writes,
  };
}

export type InMemoryDns = ReturnType<typeof createInMemoryDns>;
