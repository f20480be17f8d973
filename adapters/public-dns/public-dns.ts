import type { Resolver } from 'node:dns/promises';
import type { DnsAnswer } from '../../domain/properties/dns-look.ts';
import { isPublished } from '../../domain/properties/dns-look.ts';
import type { PublicDns } from '../../domain/properties/ports.ts';
import { askOnce, createResolver, MOST_SERVERS, serverOfZone, type ZoneServers } from './ask-server.ts';

export interface PublicDnsOptions {
  /** Addresses of public resolvers (DNS_RESOLVERS). */
  readonly resolvers: readonly string[];
  /**
   * Leads questions for the server of a zone elsewhere. Composition roots hand one in: tests, whose servers have public
   * names and addresses, and are served on this machine.
   */
  readonly dial?: (address: string) => string;
}

/**
 * The public DNS by real questions. The servers of the zone are asked first, and public resolvers only once these show
 * what is wanted: a resolver that was asked too early remembers that there is nothing. Addresses of servers that are not
 * on the public internet are not asked.
 */
export function createPublicDns({ resolvers, dial = (address) => address }: PublicDnsOptions): PublicDns {
  const nameServers: PublicDns['nameServers'] = async (domain) => {
    const answer = await askOnce(() => createResolver(resolvers).resolveNs(domain));
    return 'problem' in answer ? null : answer.items.map((name) => name.toLowerCase()).sort();
  };
  return {
    nameServers,
    async lookUpText(domain, wanted) {
      const names = (await nameServers(domain)) ?? [];
      return await lookUpText({ resolvers, dial }, { name: domain, servers: names }, wanted);
    },
  };
}

/** Where a name is asked for: the servers of its zone, by name. */
export interface ZonedName {
  readonly name: string;
  readonly servers: readonly string[];
}

/** One look at the TXT records of a name. */
export async function lookUpText(zones: ZoneServers, { name, servers }: ZonedName, wanted: string) {
  const asked = servers.slice(0, MOST_SERVERS).map(async (server): Promise<DnsAnswer> => {
    const resolver = await serverOfZone(zones, server);
    if (resolver === null) return { server, texts: null, problem: 'it has no public address' };
    return await askTexts(resolver, name, server);
  });
  const authoritative = await Promise.all(asked);
  if (!isPublished(authoritative, wanted)) return { authoritative, resolvers: [] };
  const publicly = zones.resolvers.map((server) => askTexts(createResolver([server]), name, server));
  return { authoritative, resolvers: await Promise.all(publicly) };
}

async function askTexts(resolver: Resolver, name: string, server: string): Promise<DnsAnswer> {
  const answer = await askOnce(() => resolver.resolveTxt(name));
  if ('problem' in answer) return { server, texts: null, problem: answer.problem };
  // The strings of one record are one text (RFC 7208, 3.3).
  return { server, texts: answer.items.map((parts) => parts.join('')), problem: null };
}
