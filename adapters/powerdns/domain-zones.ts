import { z } from 'zod';
import { type AddressRecord, bareName } from '../../domain/custom-domains/mode.ts';
import type { DomainZone, DomainZones, ProviderRecord } from '../../domain/custom-domains/ports.ts';
import { hasSameRecords, recordsChanged } from '../changed-records.ts';
import { customDomainComment } from '../custom-domain-comment.ts';
import { createPowerDnsCalls, type PowerDnsOptions, statusOfPowerDns } from './powerdns-calls.ts';

export interface PowerDnsDomainOptions extends PowerDnsOptions {
  /** STACK_ID: names this installation among those that use the server. */
  readonly installation: string;
  /** POWERDNS_NAME_SERVERS: those of a zone that is made. */
  readonly nameServers: readonly string[];
  /** To which name servers a domain is delegated, by the public DNS: none where there is no such one; null where nobody says. */
  readonly delegatedTo: (apex: string) => Promise<readonly string[] | null>;
}

/** Seconds that resolvers may remember a record. */
const TTL = 300;
const TEXT_TTL = 60;
const ADDRESS_TYPES = ['A', 'AAAA', 'CNAME'] as const;

const setSchema = z.object({
  name: z.string(),
  type: z.string(),
  ttl: z.number().optional(),
  records: z.array(z.object({ content: z.string(), disabled: z.boolean().default(false) })),
  comments: z.array(z.object({ content: z.string() })).default([]),
});
const zoneSchema = z.object({ id: z.string(), name: z.string(), rrsets: z.array(setSchema).default([]) });
type RecordSet = z.infer<typeof setSchema>;

/**
 * Zones of custom domains on a PowerDNS server. It keeps the records of a type and name as one set, with comments: a set
 * that bears ours is ours. A change of sets is one request, which the server makes as a whole or not at all.
 */
export function createPowerDnsDomainZones(options: PowerDnsDomainOptions): DomainZones {
  const comment = customDomainComment(options.installation);
  const call = createPowerDnsCalls(options);

  const readSets = async (zone: DomainZone, name: string, signal?: AbortSignal): Promise<readonly RecordSet[]> => {
    const query = new URLSearchParams({ rrset_name: dotted(name) });
    const { rrsets } = await call({ method: 'GET', path: `/${zone.id}?${query}`, signal }, zoneSchema);
    // Servers before 4.8 know no such filter, and send all.
    return rrsets.filter((set) => bareName(set.name) === name);
  };
  const patch = (zone: DomainZone, rrsets: readonly object[], signal?: AbortSignal) =>
    call({ method: 'PATCH', path: `/${zone.id}`, body: { rrsets }, signal }, z.unknown());
  const toZone = async ({ id, name, rrsets }: z.infer<typeof zoneSchema>): Promise<DomainZone> => {
    const apex = bareName(name);
    const own = rrsets.filter((set) => set.type === 'NS' && bareName(set.name) === apex);
    const nameServers = own.flatMap(({ records }) => records.map(({ content }) => bareName(content))).sort();
    const delegated = await options.delegatedTo(apex);
    if (delegated === null) return { id, name: apex, nameServers, status: 'unknown', originalNameServers: [] };
    const isDelegated = delegated.length > 0 && delegated.every((one) => nameServers.includes(bareName(one)));
    return {
      ...{ id, name: apex, nameServers, status: isDelegated ? 'active' : 'pending' },
      originalNameServers: isDelegated ? [] : delegated.map(bareName),
    };
  };
  const findZone = async (apex: string, signal?: AbortSignal): Promise<DomainZone | null> => {
    try {
      // Its own sets alone are needed: the name servers.
      const query = new URLSearchParams({ rrset_name: dotted(apex), rrset_type: 'NS' });
      return await toZone(await call({ method: 'GET', path: `/${dotted(apex)}?${query}`, signal }, zoneSchema));
    } catch (error) {
      if (statusOfPowerDns(error) === 404) return null;
      throw error;
    }
  };

  return {
    findZone,
    async createZone(apex, signal) {
      const body = { name: dotted(apex), kind: 'Native', nameservers: options.nameServers.map(dotted) };
      try {
        return await toZone(await call({ method: 'POST', path: '', body, signal }, zoneSchema));
      } catch (error) {
        const zone = statusOfPowerDns(error) === 409 ? await findZone(apex, signal) : null;
        if (zone !== null) return zone;
        throw error;
      }
    },
    async removeZone({ id, name }, signal) {
      const there = await findZone(name, signal);
      if (there === null) return true;
      if (there.id !== id || there.status !== 'pending') return false;
      const { rrsets } = await call({ method: 'GET', path: `/${id}`, signal }, zoneSchema);
      if (!rrsets.every((set) => isOfServer(set, name) || bears(set, comment))) return false;
      await call({ method: 'DELETE', path: `/${id}`, signal }, z.unknown());
      return true;
    },
    read: async (zone, name, signal) => toRecords(await readSets(zone, name, signal), comment),
    async replace(zone, name, { expected, wanted }, signal) {
      const target = wanted === null ? [] : [wanted];
      const there = toRecords(await readSets(zone, name, signal), comment);
      // An attempt before this one did it.
      if (hasSameRecords(there, target)) return;
      if (!hasSameRecords(there, expected)) throw recordsChanged(name);
      const gone = ADDRESS_TYPES.filter(
        (type) => type !== wanted?.type && there.some((record) => record.type === type),
      );
      const deletions = gone.map((type) => ({ name: dotted(name), type, changetype: 'DELETE' }));
      await patch(zone, [...deletions, ...target.map((record) => replacement(name, record, comment))], signal);
      if (!hasSameRecords(toRecords(await readSets(zone, name, signal), comment), target)) throw recordsChanged(name);
    },
    async putText(zone, name, text, signal) {
      const set = (await readSets(zone, name, signal)).find(({ type }) => type === 'TXT');
      const records = set?.records ?? [];
      if (records.some(({ content }) => content === quoted(text))) return;
      // What others wrote is sent back as it came.
      await patch(zone, [textSet(name, set, [...records, { content: quoted(text), disabled: false }])], signal);
    },
    async removeText(zone, name, text, signal) {
      const set = (await readSets(zone, name, signal)).find(({ type }) => type === 'TXT');
      const rest = set?.records.filter(({ content }) => content !== quoted(text)) ?? [];
      if (set === undefined || rest.length === set.records.length) return;
      const none = { name: dotted(name), type: 'TXT', changetype: 'DELETE' };
      await patch(zone, [rest.length === 0 ? none : textSet(name, set, rest)], signal);
    },
  };
}

function toRecords(sets: readonly RecordSet[], comment: string): readonly ProviderRecord[] {
  return sets.flatMap(({ type: found, records, comments }) => {
    const type = ADDRESS_TYPES.find((known) => known === found);
    if (type === undefined) return [];
    const isOwn = bears({ comments }, comment);
    const served = records.filter(({ disabled }) => !disabled);
    return served.map(({ content }) => ({ type, content: bareName(content), isOwn, isProxied: false }));
  });
}

const bears = ({ comments }: Pick<RecordSet, 'comments'>, comment: string): boolean =>
  comments.some(({ content }) => content === comment);

/** What each zone has from its beginning. */
const isOfServer = ({ type, name }: RecordSet, apex: string): boolean =>
  (type === 'SOA' || type === 'NS') && bareName(name) === apex;

function replacement(name: string, { type, content }: AddressRecord, comment: string): object {
  const written = { content: type === 'CNAME' ? dotted(content) : content, disabled: false };
  const comments = [{ content: comment, account: 'fairlead' }];
  return { name: dotted(name), type, ttl: TTL, changetype: 'REPLACE', records: [written], comments };
}

function textSet(name: string, set: RecordSet | undefined, records: RecordSet['records']): object {
  return { name: dotted(name), type: 'TXT', ttl: set?.ttl ?? TEXT_TTL, changetype: 'REPLACE', records };
}

const dotted = (name: string): string => `${bareName(name)}.`;

/** As zone files write texts (RFC 1035, 5.1). */
const quoted = (text: string): string => `"${text}"`;
