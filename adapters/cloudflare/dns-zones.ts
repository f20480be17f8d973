import type { DnsZone, DnsZones } from '../../domain/properties/ports.ts';
import {
  type CloudflareOptions,
  createCloudflareCalls,
  hasCloudflareCode,
  quoted,
  unquoted,
} from './cloudflare-calls.ts';

/** Marks the records that an installation wrote: it changes no other, nor those of another one on the same account. */
export const ownComment = (installation: string): string => `fairlead ${installation}: site verification`;

const ZONES_PER_PAGE = 50;
const RECORDS_PER_PAGE = 100;
/** Seconds that resolvers may remember a record. */
const TTL = 300;
const IDENTICAL_RECORD = 81_058;

/** Zones at Cloudflare, as the site registry needs them. */
export function createCloudflareZones(options: CloudflareOptions): DnsZones {
  const comment = ownComment(options.installation);
  const { call, items } = createCloudflareCalls(options);
  const writeRecord = (zone: DnsZone, text: string, ownId: string | null): Promise<unknown> =>
    call((cloudflare) => {
      const record = { zone_id: zone.id, type: 'TXT', name: zone.domain, content: quoted(text), ttl: TTL } as const;
      return ownId === null
        ? cloudflare.dns.records.create({ ...record, comment })
        : cloudflare.dns.records.edit(ownId, record);
    });
  return {
    async findZone(domain) {
      for await (const zone of items((cloudflare) => cloudflare.zones.list({ name: domain }))) {
        if (zone.name === domain) return readZone(zone);
      }
      return null;
    },
    async listActive(signal) {
      const active = new Set<string>();
      const list = { status: 'active', per_page: ZONES_PER_PAGE } as const;
      for await (const zone of items((cloudflare) => cloudflare.zones.list(list))) {
        signal?.throwIfAborted();
        if (readZone(zone).isActive) active.add(zone.name);
      }
      return active;
    },
    async writeText(zone, text) {
      const asked = {
        zone_id: zone.id,
        type: 'TXT',
        name: { exact: zone.domain },
        per_page: RECORDS_PER_PAGE,
      } as const;
      let ownId: string | null = null;
      for await (const record of items((cloudflare) => cloudflare.dns.records.list(asked))) {
        if (record.type !== 'TXT' || record.name !== zone.domain) continue;
        if (unquoted(record.content ?? '') === text) return;
        if (record.comment === comment) ownId ??= record.id;
      }
      try {
        await writeRecord(zone, text, ownId);
      } catch (error) {
        // Somebody, or an attempt before this one, wrote the same record meanwhile.
        if (!hasCloudflareCode(error, IDENTICAL_RECORD)) throw error;
      }
    },
  };
}

interface FoundZone {
  readonly id: string;
  readonly name: string;
  readonly status?: string;
  readonly name_servers?: readonly string[];
}

function readZone({ id, name, status, name_servers: nameServers = [] }: FoundZone): DnsZone {
  return { id, domain: name, isActive: status === 'active', nameServers };
}
