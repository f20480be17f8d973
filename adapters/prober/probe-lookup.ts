import { Resolver } from 'node:dns/promises';
import { LRUCache } from 'lru-cache';
import type { Lookup } from '../public-address.ts';
import { isNoSuchName } from './no-such-name.ts';

/** A name server that does not answer is asked once more; the check that waits ends before. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;
const MOST_NAMES = 20_000;
/** A name whose address moves is followed within a minute, whatever its record says. */
const KEPT_SECONDS = { least: 1, most: 60 } as const;

type Found = readonly { readonly address: string; readonly ttl: number }[];

/**
 * Resolves names by questions to DNS servers, as many at once as are asked: the resolver of the system has four threads,
 * which names that are never answered would occupy. So whole names are asked for, and the machine's file of hosts is not
 * read. Failures are not remembered.
 * @param servers addresses of DNS servers; none: those of the machine
 * @param needsAll fails where the addresses of one family are not told, as some servers never tell: for who must know all
 */
export function createProbeLookup(servers: readonly string[], { needsAll = false } = {}): Lookup {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers.length > 0) resolver.setServers(servers);
  const known = new LRUCache<string, Found>({ max: MOST_NAMES });
  const asked = new Map<string, Promise<Found>>();

  async function ask(name: string): Promise<Found> {
    const [v4, v6] = await Promise.allSettled([
      resolver.resolve4(name, { ttl: true }),
      resolver.resolve6(name, { ttl: true }),
    ]);
    const untold = [v4, v6].find((answer) => answer.status === 'rejected' && !isNoSuchName(answer.reason));
    if (needsAll && untold?.status === 'rejected') throw untold.reason;
    const found = [v4, v6].flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length === 0 && v4.status === 'rejected') throw v4.reason;
    const seconds = Math.min(KEPT_SECONDS.most, ...found.map(({ ttl }) => ttl));
    known.set(name, found, { ttl: Math.max(KEPT_SECONDS.least, seconds) * 1_000 });
    return found;
  }

  return async (hostname) => {
    const name = hostname.toLowerCase().replace(/\.$/, '');
    // RFC 6761, 6.3: such names are this machine, and are never asked for.
    if (name === 'localhost' || name.endsWith('.localhost')) return [{ address: '127.0.0.1' }];
    const kept = known.get(name);
    if (kept !== undefined) return kept;
    const asking = asked.get(name) ?? ask(name).finally(() => asked.delete(name));
    asked.set(name, asking);
    return await asking;
  };
}
