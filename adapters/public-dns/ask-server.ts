import { Resolver } from 'node:dns/promises';
import { isPublic } from '../public-address.ts';

/** A server that does not answer is asked once more. */
const TIMEOUT_MS = 3_000;
const TRIES = 2;

/** Servers of a zone that are asked: the first of each of so many names. */
export const MOST_SERVERS = 6;

/** @param servers addresses; those of the system without any */
export function createResolver(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
}

/** Codes by which a server says that there is nothing. */
const NOTHING: ReadonlySet<string> = new Set(['ENODATA', 'ENOTFOUND']);

/** What one question came to. */
export type Answer<T> = { readonly items: readonly T[] } | { readonly problem: string };

/** Asks, and takes "there is none" for an answer: it is one, other than a server that fails (RFC 2308). */
export async function askOnce<T>(question: () => Promise<readonly T[]>): Promise<Answer<T>> {
  try {
    return { items: await question() };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'no answer';
    return NOTHING.has(code) ? { items: [] } : { problem: code };
  }
}

export interface ZoneServers {
  /** Addresses of public resolvers. */
  readonly resolvers: readonly string[];
  /** Leads questions for the server of a zone elsewhere, as in tests. */
  readonly dial: (address: string) => string;
}

/** A resolver that asks one server of a zone alone; null for a server without an address on the public internet. */
export async function serverOfZone({ resolvers, dial }: ZoneServers, name: string): Promise<Resolver | null> {
  const publicly = createResolver(resolvers);
  const addresses = await publicly.resolve4(name).catch(() => publicly.resolve6(name).catch((): string[] => []));
  const [address] = addresses.filter(isPublic);
  return address === undefined ? null : createResolver([dial(address)]);
}
