import { LRUCache } from 'lru-cache';
import type { Clock } from '../../domain/clock.ts';
import type { SigningKeys } from './signing-keys.ts';
import { isExpired, readVerified, type VerifiedToken } from './token-check.ts';
import type { FairleadUser } from './user.ts';

const REMEMBERED = 3_000;

/** Tokens that were verified lately, by their SHA-256. */
export interface TokenMemory {
  /** The user of a token that is still good: its key is published unchanged and it has not expired. Else null. */
  recall(id: string, token: string): FairleadUser | null;
  remember(id: string, verified: VerifiedToken): FairleadUser;
}

/** Keeps which key a token was found good by, and no claims: these are read from the token, so every request has its own. */
export function createTokenMemory(keys: Pick<SigningKeys, 'known'>, clock: Clock): TokenMemory {
  const cache = new LRUCache<string, Pick<VerifiedToken, 'kid' | 'key'>>({ max: REMEMBERED });
  return {
    recall: (id, token) => {
      const before = cache.get(id);
      if (before === undefined || keys.known(before.kid) !== before.key) return null;
      const user = readVerified(token);
      return isExpired(user, clock) ? null : user;
    },
    remember: (id, { user, kid, key }) => {
      cache.set(id, { kid, key });
      return user;
    },
  };
}
