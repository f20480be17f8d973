import { importJWK } from 'jose';
import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';

const READ_LIMIT_MS = 3_000;
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

export type PublicKey = Awaited<ReturnType<typeof importJWK>>;

interface KnownKey {
  readonly jwk: z.infer<typeof rs256KeySchema>;
  readonly key: PublicKey;
}

/** RS256 keys by their id. */
export type KeySet = ReadonlyMap<string, KnownKey>;

/**
 * Reads `{idp}/.well-known/jwks.json`. A key that is in `before` unchanged keeps its object, by which a verified token
 * knows that its key is the same.
 * @throws UNAVAILABLE (retryable) also for a set without a key that could verify
 */
export async function readKeySet(
  source: { readonly idpUrl: string; readonly fetch: typeof fetch },
  before: KeySet | null,
): Promise<KeySet> {
  try {
    return await importKeys(await fetchKeys(source), before);
  } catch (cause) {
    const message = "The identity provider's keys cannot be read";
    throw new FairleadError('UNAVAILABLE', message, { cause, retryable: true });
  }
}

async function fetchKeys(source: { idpUrl: string; fetch: typeof fetch }): Promise<readonly unknown[]> {
  const response = await source.fetch(`${source.idpUrl}/.well-known/jwks.json`, {
    redirect: 'error',
    signal: AbortSignal.timeout(READ_LIMIT_MS),
  });
  if (!response.ok) throw new Error(`it answered ${response.status}`);
  return jwksSchema.parse(await response.json()).keys;
}

async function importKeys(published: readonly unknown[], before: KeySet | null): Promise<KeySet> {
  const keys = published.flatMap((entry) => rs256KeySchema.safeParse(entry).data ?? []);
  if (keys.length === 0) throw new Error('the key set has no RS256 key');
  const entries = keys.map(async (jwk): Promise<[string, KnownKey]> => {
    const old = before?.get(jwk.kid);
    if (old !== undefined && old.jwk.n === jwk.n && old.jwk.e === jwk.e) return [jwk.kid, old];
    return [jwk.kid, { jwk, key: await importJWK({ kty: jwk.kty, n: jwk.n, e: jwk.e }, 'RS256') }];
  });
  return new Map(await Promise.all(entries));
}
