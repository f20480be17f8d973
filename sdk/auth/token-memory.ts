import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';
import type { SigningKeys } from './signing-keys.ts';
import { isExpired, readVerified, type VerifiedToken } from './token-check.ts';

const REMEMBERED = 3_000;

/** Tokens that were verified lately, by their SHA-256. */
export interface TokenMemory {
  /** A token that is still good: its key is published unchanged and it has not expired. Else null. */
  recall(id: string, token: string): VerifiedToken | null;
  remember(id: string, verified: VerifiedToken): VerifiedToken;
}

/** Keeps which key a token was found good by, and no claims: these are read from the token, so every request has its own. */
export function createTokenMemory(keys: Pick<SigningKeys, 'known'>, clock: Clock): TokenMemory {
  const cache = new LRUCache<string, Pick<VerifiedToken, 'kid' | 'key'>>({ max: REMEMBERED });
  return {
    recall: (id, token) => {
      const before = cache.get(id);
      if (before === undefined || keys.known(before.kid) !== before.key) return null;
      const user = readVerified(token);
      return isExpired(user, clock) ? null : { user, ...before };
    },
    remember: (id, verified) => {
      const { kid, key } = verified;
      cache.set(id, { kid, key });
      return verified;
    },
  };
}
