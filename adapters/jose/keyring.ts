import type { KeyObject } from 'node:crypto';
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

/** A key set this old is read anew in the background: another process may have rotated. */
const FRESH_MS = 10_000;

/** Older than this it is not used unread: a process that slept for long could sign with a key published no more. */
const USABLE_MS = 10 * 60_000;

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
 * Signs with the active key and verifies our own tokens (RFC 9068, 4). Keys are read every ten seconds and in between
 * when a token names an unknown one, by one caller for all. The first process ever makes the first keys.
 */
export function createKeyring(deps: KeyringDeps): TokenSigner {
  let cached: { readonly snapshot: KeySnapshot; readonly readAt: number } | null = null;
  let reading: Promise<KeySnapshot> | null = null;

  function read(): Promise<KeySnapshot> {
    reading ??= readSnapshot(deps, cached?.snapshot ?? null)
      .then((snapshot) => {
        cached = { snapshot, readAt: deps.now().getTime() };
        return snapshot;
      })
      .finally(() => {
        reading = null;
      });
    return reading;
  }

  function current(): KeySnapshot | Promise<KeySnapshot> {
    if (cached === null) return read();
    const age = deps.now().getTime() - cached.readAt;
    if (age < FRESH_MS) return cached.snapshot;
    const fresh = read();
    if (age >= USABLE_MS) return fresh;
    // Whoever needs it next tries again; until then the known keys are good.
    fresh.catch(() => undefined);
    return cached.snapshot;
  }

  async function verifier(kid: string | undefined): Promise<KeyObject> {
    const known = (await current()).verifiers.get(kid ?? '');
    if (known !== undefined) return known;
    const age = deps.now().getTime() - (cached?.readAt ?? 0);
    const reread = age < UNKNOWN_KEY_MS ? undefined : (await read()).verifiers.get(kid ?? '');
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
      const { active } = await current();
      return signCompact(claims, { type, keyId: active.id }, active.privateKey);
    },
    publicKeys: async () => (await current()).published,
    verifyOwn: (token) => verifyOwn(deps, token, verifier),
    reload,
    async rotate(options) {
      const rotation = await rotateKeys(deps, options);
      await reload();
      return rotation;
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
