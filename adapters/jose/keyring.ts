import type { KeyObject } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { errors, jwtVerify } from 'jose';
import type { Clock } from '../../domain/clock.ts';
import type { SecretCipher } from '../../domain/config/ports.ts';
import { FairleadError } from '../../domain/errors.ts';
import {
  ACCESS_TOKEN_TYPE,
  type AccessTokenClaims,
  accessTokenClaimsSchema,
  SIGNING_ALGORITHM,
} from '../../domain/identity/claims.ts';
import type { SigningKeyFactory, SigningKeyStore, TokenSigner } from '../../domain/identity/ports.ts';
import { type KeySnapshot, openKeySet } from './key-snapshot.ts';
import { rotateKeys } from './rotate-keys.ts';
import { signCompact } from './sign-compact.ts';
import { withdrawKey } from './withdraw-key.ts';

/** A key set this old is read anew beside its use, so that under load nobody waits for it. */
const FRESH_MS = 500;

/** An older one is waited for: what another process withdrew verifies nothing here a second later. */
const CURRENT_MS = 1_000;

/** While the database is away, keys sign for so long: a process that slept could sign with a key published no more. */
const USABLE_MS = 10 * 60_000;

/** How long who asks for the published keys waits for a database that may be away. */
const PUBLISH_WAIT_MS = 500;

/** How often unknown key ids may cause a read: made-up ones must not reach the database each time. */
const UNKNOWN_KEY_MS = 1_000;

export interface KeyringDeps {
  readonly store: SigningKeyStore;
  readonly factory: SigningKeyFactory;
  readonly cipher: SecretCipher;
  readonly issuer: string;
  readonly now: Clock;
}

/**
 * Signs with the active key and verifies our own tokens (RFC 9068, 4). While they are used, keys are read twice a second,
 * by one caller for all. The first process ever makes the first keys.
 */
export function createKeyring(deps: KeyringDeps): TokenSigner {
  let cached: { readonly snapshot: KeySnapshot; readonly readAt: number } | null = null;
  let reading: Promise<KeySnapshot> | null = null;

  function read(): Promise<KeySnapshot> {
    // What it sees may be as old as its beginning, however long it takes.
    const readAt = deps.now().getTime();
    reading ??= readSnapshot(deps, cached?.snapshot ?? null)
      .then((snapshot) => {
        cached = { snapshot, readAt };
        return snapshot;
      })
      .finally(() => {
        reading = null;
      });
    return reading;
  }

  /** A clock that was set back makes what was read before as old as what was read long ago. */
  function age(): number {
    return cached === null ? Number.POSITIVE_INFINITY : Math.abs(deps.now().getTime() - cached.readAt);
  }

  function current(): KeySnapshot | Promise<KeySnapshot> {
    if (cached === null) return read();
    const known = age();
    if (known < FRESH_MS) return cached.snapshot;
    const fresh = read();
    if (known >= CURRENT_MS) return fresh;
    // Whoever needs it next tries again.
    fresh.catch(() => undefined);
    return cached.snapshot;
  }

  /** The keys of now, or those known before while the database is away. */
  async function usable(): Promise<KeySnapshot> {
    try {
      return await current();
    } catch (error) {
      if (cached === null || age() >= USABLE_MS) throw error;
      return cached.snapshot;
    }
  }

  /** Of any age while the database is away: what was signed is verified all the same. */
  async function published(): Promise<KeySnapshot> {
    const known = cached?.snapshot;
    if (known === undefined) return current();
    const waited = new AbortController();
    try {
      const tooLong = delay(PUBLISH_WAIT_MS, known, { signal: waited.signal, ref: false }).catch(() => known);
      return await Promise.race([current(), tooLong]);
    } catch {
      return known;
    } finally {
      waited.abort();
    }
  }

  async function verifier(kid: string | undefined): Promise<KeyObject> {
    const known = (await current()).verifiers.get(kid ?? '');
    if (known !== undefined) return known;
    const reread = age() < UNKNOWN_KEY_MS ? undefined : (await read()).verifiers.get(kid ?? '');
    if (reread === undefined) throw new errors.JWKSNoMatchingKey();
    return reread;
  }

  async function reload(): Promise<void> {
    // A read under way may have begun before the change.
    await reading?.catch(() => undefined);
    await read();
  }

  return {
    async sign(claims, type) {
      const { active } = await usable();
      return signCompact(claims, { type, keyId: active.id }, active.privateKey);
    },
    publicKeys: async () => (await published()).published,
    verifyOwn: (token) => verifyOwn(deps, token, verifier),
    reload,
    async rotate(options, tell) {
      const rotation = await rotateKeys(deps, options, tell);
      await reload();
      return rotation;
    },
    async withdraw(keyId) {
      const withdrawal = await withdrawKey(deps, keyId);
      await reload();
      return withdrawal;
    },
  };
}

async function readSnapshot(deps: KeyringDeps, known: KeySnapshot | null): Promise<KeySnapshot> {
  const set = await deps.store.read();
  if (known !== null && known.version === set.version) return known;
  if (set.keys.some(({ state }) => state === 'active')) return openKeySet(set, deps.cipher);
  await rotateKeys(deps, { force: false });
  return openKeySet(await deps.store.read(), deps.cipher);
}

type Verifier = (kid: string | undefined) => Promise<KeyObject>;

async function verifyOwn(deps: KeyringDeps, token: string, verifier: Verifier): Promise<AccessTokenClaims> {
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => verifier(kid), {
      algorithms: [SIGNING_ALGORITHM],
      typ: ACCESS_TOKEN_TYPE,
      issuer: deps.issuer,
      currentDate: deps.now(),
      requiredClaims: ['exp'],
    });
    return accessTokenClaimsSchema.parse(payload);
  } catch (cause) {
    if (cause instanceof FairleadError) throw cause;
    throw new FairleadError('OAUTH_INVALID_TOKEN', 'The token is not a valid access token of this provider', { cause });
  }
}
