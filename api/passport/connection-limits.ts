import { LRUCache } from 'lru-cache';
import { createPlaces } from '../http/places.ts';

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
  const addresses = createPlaces({ perKey: settings.perAddress, inAll: settings.inAll });
  const holders = createPlaces({ perKey: settings.perHolder });
  const tries = new LRUCache<string, { count: number }>({ max: ADDRESSES_REMEMBERED, ttl: MINUTE_MS });

  const triesTooOften = (address: string): boolean => {
    const window = tries.get(address) ?? { count: 0 };
    // Put once a window: putting it again would begin the minute anew.
    if (window.count === 0) tries.set(address, window);
    window.count += 1;
    return window.count > settings.triesPerMinute;
  };
  return {
    takeAddress: (address) => !triesTooOften(address) && addresses.take(address),
    releaseAddress: addresses.release,
    takeHolder: holders.take,
    releaseHolder: holders.release,
  };
}
