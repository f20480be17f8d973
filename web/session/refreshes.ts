import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { LoginRenewal, LoginTokens } from '../../domain/identity/code-login.ts';

/** Refreshes logins, each refresh token once. */
export interface Refreshes {
  /** @throws UNAUTHORIZED when the login has ended; UNAVAILABLE */
  refresh(refreshToken: string): Promise<LoginTokens>;
  /** Forgets what a refresh token was exchanged for. */
  forget(refreshToken: string): void;
}

/** Longer than a page takes to load; the provider repeats its answer within its own grace as well. */
const KEPT_MS = 10 * 60_000;
const MAX_KEPT = 2_000;

/**
 * A browser asks for several things at once with one refresh token, and using it twice would end its session: the first
 * request exchanges it, the others get the same tokens, and so does who comes late because the reply with the new cookie
 * was lost.
 */
export function createRefreshes(login: Pick<LoginRenewal, 'refresh'>): Refreshes {
  const exchanged = new LRUCache<string, Promise<LoginTokens>>({ max: MAX_KEPT, ttl: KEPT_MS });
  return {
    refresh(refreshToken) {
      const key = digest(refreshToken);
      const known = exchanged.get(key);
      if (known !== undefined) return known;
      const exchange = login.refresh(refreshToken);
      exchanged.set(key, exchange);
      exchange.catch(() => exchanged.delete(key));
      return exchange;
    },
    forget: (refreshToken) => void exchanged.delete(digest(refreshToken)),
  };
}

function digest(token: string): string {
  return hash('sha256', token);
}
