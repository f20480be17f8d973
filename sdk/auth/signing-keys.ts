import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';
import { type KeySet, type PublicKey, readKeySet } from './key-set.ts';

const FRESH_MS = 60_000;
/** A set this old is waited for; a younger one is used while it is read anew. */
const WAIT_AFTER_MS = 120_000;
/** Between two reads that an unknown key id, or a provider that is away, may cause. */
const COOLDOWN_MS = 5_000;
/** Between two reads while there is no set at all. */
const FIRST_READ_COOLDOWN_MS = 250;
const UNKNOWN_REMEMBERED = 1_000;

/** The provider's public keys by id. */
export interface SigningKeys {
  /** The key of that id in a set that need not be waited for; null means: ask `find`. */
  known(kid: string): PublicKey | null;
  /** The key of that id, or null when the provider has none. @throws UNAVAILABLE (retryable) before any set was read */
  find(kid: string): Promise<PublicKey | null>;
}

interface Source {
  readonly idpUrl: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
}

/**
 * Keys of the provider, read from its one address whatever a token's header says.
 *
 * Kept for a minute. An unknown id has the set read anew, since a key may just have come; reads are shared by all who
 * wait, are at least 5 s apart, and ids found unknown are remembered, so a flood of invented ids causes next to no
 * traffic. When the provider does not answer, the known keys go on being used.
 */
export function createSigningKeys(source: Source): SigningKeys {
  const set = createRefreshedSet(source);
  const unknown = new LRUCache<string, number>({ max: UNKNOWN_REMEMBERED });
  return {
    known: (kid) => {
      const age = set.ageMs();
      if (age > WAIT_AFTER_MS) return null;
      if (age > FRESH_MS) void set.refresh();
      return set.key(kid);
    },
    find: async (kid) => {
      if (set.isEmpty()) await set.firstRead();
      else if (set.ageMs() > WAIT_AFTER_MS) await set.refresh();
      const found = set.key(kid);
      if (found !== null) return found;
      // Remembered per set: a newer one may have it.
      if (unknown.get(kid) === set.readAt() && set.ageMs() <= FRESH_MS) return null;
      await set.refresh();
      const key = set.key(kid);
      if (key === null) unknown.set(kid, set.readAt());
      return key;
    },
  };
}

/** The key set as last read, with one read at a time, which all who ask meanwhile share. */
function createRefreshedSet(source: Source) {
  let keys: KeySet | null = null;
  let failure: unknown = null;
  let readAt = 0;
  let triedAt = 0;
  let reading: Promise<void> | null = null;

  const age = (since: number): number => Math.abs(source.clock().getTime() - since);
  const read = async (): Promise<void> => {
    triedAt = source.clock().getTime();
    try {
      keys = await readKeySet(source, keys);
      readAt = triedAt;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      reading = null;
    }
  };
  const share = (): Promise<void> => {
    reading ??= read();
    return reading;
  };
  return {
    key: (kid: string): PublicKey | null => keys?.get(kid)?.key ?? null,
    isEmpty: () => keys === null,
    readAt: () => readAt,
    ageMs: () => age(readAt),
    firstRead: (): Promise<void> => {
      const failedJustNow = failure !== null && reading === null && age(triedAt) < FIRST_READ_COOLDOWN_MS;
      return failedJustNow ? Promise.reject(failure) : share();
    },
    /** Never fails: a read that does leaves the set as it is. Does nothing when one was tried a moment ago. */
    refresh: async (): Promise<void> => {
      if (reading !== null || age(triedAt) >= COOLDOWN_MS) await share().catch(() => {});
    },
  };
}
