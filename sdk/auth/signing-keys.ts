import { importJWK } from 'jose';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';

const FRESH_MS = 60_000;
/** A set this old is waited for; a younger one is used while it is read anew. */
const WAIT_AFTER_MS = 120_000;
/** Between two reads that an unknown key id, or a provider that is away, may cause. */
const COOLDOWN_MS = 5_000;
const READ_LIMIT_MS = 3_000;
/** Between two reads while there is no set at all. */
const FIRST_READ_COOLDOWN_MS = 250;
const UNKNOWN_REMEMBERED = 1_000;
const MAX_KEYS = 50;

const jwksSchema = z.object({ keys: z.array(z.looseObject({})).max(MAX_KEYS) });
/** What a key must be to verify our tokens; others in the set are passed over (RFC 7517, 5). */
const rs256KeySchema = z.object({
  kty: z.literal('RSA'),
  kid: z.string().min(1).max(128),
  n: z.string(),
  e: z.string(),
  use: z.literal('sig').optional(),
  alg: z.literal('RS256').optional(),
});

type Rs256Key = z.infer<typeof rs256KeySchema>;
export type PublicKey = Awaited<ReturnType<typeof importJWK>>;

/** The provider's public keys by id. */
export interface SigningKeys {
  /** The key of that id in a set that need not be waited for; null means: ask `find`. */
  known(kid: string): PublicKey | null;
  /** The key of that id, or null when the provider has none. @throws UNAVAILABLE (retryable) before any set was read */
  find(kid: string): Promise<PublicKey | null>;
}

interface KnownKey {
  readonly jwk: Rs256Key;
  readonly key: PublicKey;
}

/**
 * Keys of `{idp}/.well-known/jwks.json`, read from that one address whatever a token's header says.
 *
 * Kept for a minute. An unknown id has the set read anew, since a key may just have come; reads are shared by all who
 * wait, are at least 5 s apart, and ids found unknown are remembered, so a flood of invented ids causes next to no
 * traffic. When the provider does not answer, the known keys go on being used.
 */
export function createSigningKeys(options: { idpUrl: string; fetch: typeof fetch; clock: Clock }): SigningKeys {
  const { clock } = options;
  let known: ReadonlyMap<string, KnownKey> | null = null;
  let failure: unknown = null;
  let readAt = 0;
  let triedAt = 0;
  let reading: Promise<void> | null = null;
  const unknown = new LRUCache<string, number>({ max: UNKNOWN_REMEMBERED });

  const read = async (): Promise<void> => {
    triedAt = clock().getTime();
    try {
      known = await importKeys(await fetchJwks(options), known);
      readAt = triedAt;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  /** One read at a time; all who ask meanwhile share it. */
  const refresh = (): Promise<void> => {
    reading ??= read().finally(() => {
      reading = null;
    });
    return reading;
  };
  const ageMs = (since: number): number => Math.abs(clock().getTime() - since);
  const mayTry = (): boolean => reading !== null || ageMs(triedAt) >= COOLDOWN_MS;
  const firstRead = (): Promise<void> => {
    const waits = failure !== null && reading === null && ageMs(triedAt) < FIRST_READ_COOLDOWN_MS;
    return waits ? Promise.reject(failure) : refresh();
  };
  /** A failed read leaves the set as it is: what is known stays good while the provider is away. */
  const refreshIfPossible = (): Promise<void> => (mayTry() ? refresh().catch(() => {}) : Promise.resolve());

  return {
    known: (kid) => {
      const age = ageMs(readAt);
      if (age > WAIT_AFTER_MS) return null;
      if (age > FRESH_MS) void refreshIfPossible();
      return known?.get(kid)?.key ?? null;
    },
    find: async (kid) => {
      if (known === null) await firstRead();
      else if (ageMs(readAt) > WAIT_AFTER_MS) await refreshIfPossible();
      else if (ageMs(readAt) > FRESH_MS) void refreshIfPossible();
      const found = known?.get(kid);
      if (found !== undefined) return found.key;
      // Remembered per set: a newer one may have it.
      if (unknown.get(kid) === readAt && ageMs(readAt) <= FRESH_MS) return null;
      await refreshIfPossible();
      const key = known?.get(kid)?.key ?? null;
      if (key === null) unknown.set(kid, readAt);
      return key;
    },
  };
}

async function fetchJwks(options: { idpUrl: string; fetch: typeof fetch }): Promise<readonly unknown[]> {
  const url = `${options.idpUrl}/.well-known/jwks.json`;
  try {
    const response = await options.fetch(url, { redirect: 'error', signal: AbortSignal.timeout(READ_LIMIT_MS) });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    return jwksSchema.parse(await response.json()).keys;
  } catch (cause) {
    throw unavailable(cause);
  }
}

/** Unchanged keys keep their object, by which a verified token knows that its key is the same. */
async function importKeys(
  published: readonly unknown[],
  before: ReadonlyMap<string, KnownKey> | null,
): Promise<ReadonlyMap<string, KnownKey>> {
  const keys = published.flatMap((entry) => rs256KeySchema.safeParse(entry).data ?? []);
  if (keys.length === 0) throw unavailable(new Error('the key set has no RS256 key'));
  const entries = keys.map(async (jwk): Promise<[string, KnownKey]> => {
    const old = before?.get(jwk.kid);
    if (old !== undefined && old.jwk.n === jwk.n && old.jwk.e === jwk.e) return [jwk.kid, old];
    return [jwk.kid, { jwk, key: await importJWK({ kty: jwk.kty, n: jwk.n, e: jwk.e }, 'RS256') }];
  });
  return new Map(await Promise.all(entries));
}

function unavailable(cause: unknown): FairleadError {
  return new FairleadError('UNAVAILABLE', "The identity provider's keys cannot be read", { cause, retryable: true });
}
