import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';
import { type KeySet, type PublicKey, readKeySet } from './key-set.ts';

/** The set is read anew so long after the last read, asked for or not. */
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
  /** Never uses these keys from now on, whatever set they are in, and reads the set for those that sign in their place. */
  withdraw(kids: readonly string[]): void;
  isWithdrawn(kid: string): boolean;
  /** Ends the timer. */
  close(): void;
}

interface Source {
  readonly idpUrl: string;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  /** Shortened in tests. */
  readonly rereadMs?: number;
}

/**
 * Keys of the provider, read from its one address whatever a token's header says.
 *
 * Read anew each minute, from the first token on. An unknown id has the set read as well, since a key may just have come;
 * reads are shared by all who wait, are at least 5 s apart, and ids found unknown are remembered, so a flood of invented
 * ids causes next to no traffic. When the provider does not answer, the known keys go on being used, but for those that
 * were withdrawn. Keeps no process alive.
 */
export function createSigningKeys(source: Source): SigningKeys {
  const set = createRefreshedSet(source);
  const unknown = new LRUCache<string, number>({ max: UNKNOWN_REMEMBERED });
  const withdrawn = new Set<string>();
  return {
    isWithdrawn: (kid) => withdrawn.has(kid),
    withdraw: (kids) => {
      const known = withdrawn.size;
      for (const kid of kids) withdrawn.add(kid);
      if (withdrawn.size > known && !set.isEmpty()) void set.readNow();
    },
    close: set.close,
    known: (kid) => {
      if (withdrawn.has(kid)) return null;
      const age = set.ageMs();
      if (age > WAIT_AFTER_MS) return null;
      if (age > FRESH_MS) void set.refresh();
      return set.key(kid);
    },
    find: async (kid) => {
      if (withdrawn.has(kid)) return null;
      if (set.isEmpty()) await set.firstRead();
      else if (set.ageMs() > WAIT_AFTER_MS) await set.refresh();
      const found = set.key(kid);
      if (found !== null) return found;
      // Remembered per set: a newer one may have it.
      if (unknown.get(kid) === set.readAt() && set.ageMs() <= FRESH_MS) return null;
      const isAnswer = await set.refresh();
      const key = set.key(kid);
      // A set that was read before the id was seen says nothing of it: its key may just have come.
      if (key === null && isAnswer) unknown.set(kid, set.readAt());
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
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

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
      clearTimeout(timer);
      if (keys !== null && !closed) timer = setTimeout(() => void readQuietly(), source.rereadMs ?? FRESH_MS).unref();
    }
  };
  const share = (): Promise<void> => {
    reading ??= read();
    return reading;
  };
  /** Never fails: a read that does leaves the set as it is. */
  const readQuietly = (): Promise<void> => share().catch(() => {});
  return {
    key: (kid: string): PublicKey | null => keys?.get(kid)?.key ?? null,
    isEmpty: () => keys === null,
    readAt: () => readAt,
    ageMs: () => age(readAt),
    firstRead: (): Promise<void> => {
      const failedJustNow = failure !== null && reading === null && age(triedAt) < FIRST_READ_COOLDOWN_MS;
      return failedJustNow ? Promise.reject(failure) : share();
    },
    /** Never fails. Does nothing when a read was tried a moment ago. True when it began a read, false when it did not. */
    refresh: async (): Promise<boolean> => {
      const begins = reading === null && age(triedAt) >= COOLDOWN_MS;
      if (begins || reading !== null) await readQuietly();
      return begins;
    },
    /** Never fails. A read under way may have begun before what is asked for. */
    readNow: async (): Promise<void> => {
      await reading?.catch(() => {});
      await readQuietly();
    },
    close: (): void => {
      closed = true;
      clearTimeout(timer);
    },
  };
}
