import type { AddressRecord } from '../../domain/custom-domains/mode.ts';
import { bareName } from '../../domain/custom-domains/mode.ts';
import type { DomainZone, DomainZones, ProviderRecord } from '../../domain/custom-domains/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import { hasSameRecords, recordsChanged } from '../changed-records.ts';
import { customDomainComment } from '../custom-domain-comment.ts';
import {
  type CloudflareOptions,
  createCloudflareCalls,
  hasCloudflareCode,
  quoted,
  unquoted,
} from './cloudflare-calls.ts';

export interface CloudflareDomainOptions extends CloudflareOptions {
  /** EDGE_DNS_ACCOUNT_ID: zones are looked for and made in this account; null where the token has one alone. */
  readonly accountId: string | null;
}

const RECORDS_PER_PAGE = 100;
/** Seconds that resolvers may remember a proof or a challenge. */
const TEXT_TTL = 60;
/** `automatic`, as proxied records have it. */
const AUTOMATIC = 1;
const ADDRESS_TYPES = ['A', 'AAAA', 'CNAME'] as const;
/** The record is there already; the zone is, in this account or another; the record is gone. */
const IDENTICAL_RECORD = 81_058;
const ZONE_EXISTS = 1_061;
const NO_RECORD = 81_044;

interface FoundRecord extends ProviderRecord {
  readonly id: string;
}

/**
 * Zones of custom domains at Cloudflare. A change of records is one batch, which Cloudflare makes as a whole or not at all,
 * so that no name is without a record in between.
 */
export function createCloudflareDomainZones(options: CloudflareDomainOptions): DomainZones {
  const { accountId } = options;
  const comment = customDomainComment(options.installation);
  const { call, items } = createCloudflareCalls(options);
  const account = accountId === null ? {} : { account: { id: accountId } };

  const findZone = async (apex: string): Promise<DomainZone | null> => {
    for await (const zone of items((cloudflare) => cloudflare.zones.list({ name: apex, ...account }))) {
      if (zone.name === apex) return readZone(zone);
    }
    return null;
  };
  const list = (zone: DomainZone, name: string) =>
    items((cloudflare) =>
      cloudflare.dns.records.list({ zone_id: zone.id, name: { exact: name }, per_page: RECORDS_PER_PAGE }),
    );
  const read = async (zone: DomainZone, name: string): Promise<readonly FoundRecord[]> => {
    const found: FoundRecord[] = [];
    for await (const record of list(zone, name)) {
      const type = ADDRESS_TYPES.find((known) => known === record.type);
      if (type === undefined || bareName(record.name) !== name) continue;
      const isProxied = 'proxied' in record && record.proxied === true;
      found.push({
        id: record.id,
        type,
        content: bareName(record.content ?? ''),
        isProxied,
        isOwn: record.comment === comment,
      });
    }
    return found;
  };
  const findText = async (zone: DomainZone, name: string, text: string) => {
    for await (const record of list(zone, name)) {
      if (record.type === 'TXT' && unquoted(record.content ?? '') === text) return record;
    }
    return null;
  };
  const posted = ({ type, content }: AddressRecord, name: string) => ({
    ...{ type, content, name, ttl: AUTOMATIC, comment },
    // At the edge: TLS, CDN and WAF are there (spec 2, "Custom domains").
    proxied: true,
  });

  return {
    findZone,
    async createZone(apex) {
      try {
        const made = await call((cloudflare) =>
          cloudflare.zones.create({ account: accountId === null ? {} : { id: accountId }, name: apex, type: 'full' }),
        );
        return readZone(made);
      } catch (error) {
        if (!hasCloudflareCode(error, ZONE_EXISTS)) throw error;
        const zone = await findZone(apex);
        if (zone !== null) return zone;
        const message = `Another Cloudflare account has a zone ${apex}: remove it there, or add the name in external or direct mode`;
        throw new FairleadError('DNS_PROVIDER_REFUSED', message, { cause: error, system: 'cloudflare' });
      }
    },
    async removeZone({ id, name }) {
      const there = await findZone(name);
      if (there === null) return true;
      if (there.id !== id || there.status !== 'pending') return false;
      const all = items((cloudflare) => cloudflare.dns.records.list({ zone_id: id, per_page: RECORDS_PER_PAGE }));
      for await (const record of all) if (record.comment !== comment) return false;
      await call((cloudflare) => cloudflare.zones.delete({ zone_id: id }));
      return true;
    },
    read: async (zone, name) => (await read(zone, name)).map(({ id: _, ...record }) => record),
    async replace(zone, name, { expected, wanted }) {
      const target = wanted === null ? [] : [wanted];
      const there = await read(zone, name);
      // An attempt before this one did it.
      if (hasSameRecords(there, target)) return;
      if (!hasSameRecords(there, expected)) throw recordsChanged(name);
      const deletes = there.map(({ id }) => ({ id }));
      const posts = target.map((record) => posted(record, name));
      try {
        await call((cloudflare) => cloudflare.dns.records.batch({ zone_id: zone.id, deletes, posts }));
      } catch (error) {
        if (hasCloudflareCode(error, NO_RECORD, IDENTICAL_RECORD)) throw recordsChanged(name);
        throw error;
      }
      if (!hasSameRecords(await read(zone, name), target)) throw recordsChanged(name);
    },
    async putText(zone, name, text) {
      if ((await findText(zone, name, text)) !== null) return;
      const record = { zone_id: zone.id, type: 'TXT', name, content: quoted(text), ttl: TEXT_TTL, comment } as const;
      try {
        await call((cloudflare) => cloudflare.dns.records.create(record));
      } catch (error) {
        if (!hasCloudflareCode(error, IDENTICAL_RECORD)) throw error;
      }
    },
    async removeText(zone, name, text) {
      const found = await findText(zone, name, text);
      if (found === null || found.comment !== comment) return;
      try {
        await call((cloudflare) => cloudflare.dns.records.delete(found.id, { zone_id: zone.id }));
      } catch (error) {
        if (!hasCloudflareCode(error, NO_RECORD)) throw error;
      }
    },
  };
}

interface FoundZone {
  readonly id: string;
  readonly name: string;
  readonly status?: string;
  readonly name_servers?: readonly string[];
  readonly original_name_servers?: readonly string[] | null;
}

function readZone({
  id,
  name,
  status,
  name_servers: nameServers = [],
  original_name_servers: original,
}: FoundZone): DomainZone {
  const isActive = status === 'active';
  return { id, name, status: isActive ? 'active' : 'pending', nameServers, originalNameServers: original ?? [] };
}
