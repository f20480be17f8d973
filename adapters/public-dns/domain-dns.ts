import type { Resolver } from 'node:dns/promises';
import { type AddressAnswer, leadsTo, WITNESSES } from '../../domain/custom-domains/address-look.ts';
import { type AddressRecord, bareName } from '../../domain/custom-domains/mode.ts';
import type { DomainDns, DomainQuestion } from '../../domain/custom-domains/ports.ts';
import { type Answer, askOnce, createResolver, MOST_SERVERS, serverOfZone, type ZoneServers } from './ask-server.ts';
import { lookUpText, type PublicDnsOptions } from './public-dns.ts';

/** A name of many parts, or with servers that do not answer, takes a look no longer than this. */
const MOST_ZONES = 8;
const WALK_WITHIN_MS = 20_000;

/**
 * The public DNS of names that services are served at, by real questions: as `public-dns.ts`, of names below a registrable
 * domain, which may be in a zone of their own.
 */
export function createDomainDns({
  resolvers,
  dial = (address) => address,
  walkWithinMs = WALK_WITHIN_MS,
}: PublicDnsOptions & {
  /** For which the servers of a name are looked for. */
  readonly walkWithinMs?: number;
}): DomainDns {
  const walk = { resolvers, walkWithinMs };
  const zones: ZoneServers = { resolvers, dial };
  return {
    async lookUpAddresses(question, wanted) {
      const servers = await serversOf(walk, question);
      const asked = servers.slice(0, MOST_SERVERS).map((server) => askServer(zones, server, question.name));
      const authoritative = await Promise.all(asked);
      const answered = authoritative.filter(({ records }) => records !== null);
      const hasEnough = question.needsWitnesses !== true || answered.length >= WITNESSES;
      // A resolver that was asked too early remembers what there was.
      if (hasEnough && answered.some((answer) => !leadsTo(answer, wanted))) return { authoritative, resolvers: [] };
      const publicly = resolvers.map((server) => askAddresses(createResolver([server]), question.name, server));
      return { authoritative, resolvers: await Promise.all(publicly) };
    },
    async lookUpText(question, wanted) {
      const servers = await serversOf(walk, question);
      return await lookUpText(zones, { name: question.name, servers }, wanted);
    },
  };
}

/** Of the zone that a name is in: the nearest above it that has name servers, up to its registrable domain. */
async function serversOf(
  { resolvers, walkWithinMs }: { readonly resolvers: readonly string[]; readonly walkWithinMs: number },
  { name, apex }: DomainQuestion,
): Promise<readonly string[]> {
  const resolver = createResolver(resolvers);
  const until = performance.now() + walkWithinMs;
  const labels = name.split('.');
  const below = labels.length - apex.split('.').length;
  for (let at = Math.max(0, below - MOST_ZONES); at <= below && performance.now() < until; at += 1) {
    const answer = await askOnce(() => resolver.resolveNs(labels.slice(at).join('.')));
    if ('items' in answer && answer.items.length > 0) return answer.items.map(bareName).sort();
  }
  return [];
}

async function askServer(zones: ZoneServers, server: string, name: string): Promise<AddressAnswer> {
  const resolver = await serverOfZone(zones, server);
  if (resolver === null) return { server, records: null, problem: 'it has no public address' };
  return await askAddresses(resolver, name, server);
}

/** A server that has a CNAME may send the addresses of its target along: these are not the name's own. */
async function askAddresses(resolver: Resolver, name: string, server: string): Promise<AddressAnswer> {
  const answers = await Promise.all([
    askOnce(() => resolver.resolveCname(name)),
    askOnce(() => resolver.resolve4(name)),
    askOnce(() => resolver.resolve6(name)),
  ]);
  const [cnames, four, six] = answers;
  const aliases = recordsOf('CNAME', cnames);
  if (aliases.length > 0) return { server, records: aliases, problem: null };
  const problem = answers.flatMap((answer) => ('problem' in answer ? [answer.problem] : []))[0];
  if (problem !== undefined) return { server, records: null, problem };
  return { server, records: [...recordsOf('A', four), ...recordsOf('AAAA', six)], problem: null };
}

function recordsOf(type: AddressRecord['type'], answer: Answer<string>): readonly AddressRecord[] {
  return 'problem' in answer
    ? []
    : answer.items.map((content) => ({ type, content: bareName(content) })).sort(byContent);
}

const byContent = (one: AddressRecord, other: AddressRecord): number => (one.content < other.content ? -1 : 1);
