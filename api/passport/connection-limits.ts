import { LRUCache } from 'lru-cache';

export interface ConnectionLimits {
  /** Counts one more connection of an address; false when it has too many, or tries too often. */
  takeAddress(address: string): boolean;
  releaseAddress(address: string): void;
  /** Counts one more connection of a person or service; false when there are too many. */
  takeHolder(id: string): boolean;
  releaseHolder(id: string): void;
}

export interface LimitSettings {
  readonly perAddress: number;
  readonly perHolder: number;
  readonly inAll: number;
  readonly triesPerMinute: number;
}

export const DEFAULT_LIMITS: LimitSettings = { perAddress: 100, perHolder: 20, inAll: 5_000, triesPerMinute: 240 };

const MINUTE_MS = 60_000;
const ADDRESSES_REMEMBERED = 10_000;

/** Bounds of what strangers and holders of tokens may keep open in this process. */
export function createConnectionLimits(settings: LimitSettings): ConnectionLimits {
  const addresses = new Map<string, number>();
  const holders = new Map<string, number>();
  const tries = new LRUCache<string, { count: number }>({ max: ADDRESSES_REMEMBERED, ttl: MINUTE_MS });
  let open = 0;

  const triesTooOften = (address: string): boolean => {
    const window = tries.get(address) ?? { count: 0 };
    // Put once a window: putting it again would begin the minute anew.
    if (window.count === 0) tries.set(address, window);
    window.count += 1;
    return window.count > settings.triesPerMinute;
  };
  return {
    takeAddress(address) {
      if (triesTooOften(address) || open >= settings.inAll) return false;
      if (!take(addresses, address, settings.perAddress)) return false;
      open += 1;
      return true;
    },
    releaseAddress(address) {
      open -= 1;
      release(addresses, address);
    },
    takeHolder: (id) => take(holders, id, settings.perHolder),
    releaseHolder: (id) => release(holders, id),
  };
}

function take(counts: Map<string, number>, key: string, limit: number): boolean {
  const count = counts.get(key) ?? 0;
  if (count >= limit) return false;
  counts.set(key, count + 1);
  return true;
}

function release(counts: Map<string, number>, key: string): void {
  const count = counts.get(key) ?? 0;
  if (count <= 1) counts.delete(key);
  else counts.set(key, count - 1);
}
