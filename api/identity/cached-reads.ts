import { LRUCache } from 'lru-cache';
import type { ClientStore } from '../../domain/oauth-clients/ports.ts';
import type { OrgStore } from '../../domain/orgs/ports.ts';

/**
 * How long a client or org may be used without being read again. What this process changes it sees at once; a change
 * made by another process counts within this time. Revoking a client's tokens allows for it (`revokeClient`).
 */
export const CACHED_READ_MS = 1_000;

const MAX_ENTRIES = 2_000;

/**
 * Client and org stores that remember what they read for a second, so that a service's token costs a signature and no
 * database read. Nobody is remembered as unknown: a client that was just made is found at once.
 */
export function cacheReads<S extends { clients: ClientStore; orgs: OrgStore }>(stores: S): S {
  return { ...stores, clients: cacheClients(stores.clients), orgs: cacheOrgs(stores.orgs) };
}

function cacheClients(store: ClientStore): ClientStore {
  const cache = createReadCache((clientId) => store.find(clientId));
  const changing = <A extends [string, ...unknown[]], R>(write: (...args: A) => Promise<R>) => cache.around(write);
  return {
    ...store,
    find: cache.read,
    update: changing((...args) => store.update(...args)),
    setSignIn: changing((...args) => store.setSignIn(...args)),
    addEntry: changing((...args) => store.addEntry(...args)),
    removeEntry: changing((...args) => store.removeEntry(...args)),
    addSecret: changing((...args) => store.addSecret(...args)),
    replaceSecrets: changing((...args) => store.replaceSecrets(...args)),
    putSecretOfKey: changing((...args) => store.putSecretOfKey(...args)),
    removeSecret: changing((...args) => store.removeSecret(...args)),
    touchSecret: changing((...args) => store.touchSecret(...args)),
    removeScopes: changing((...args) => store.removeScopes(...args)),
    raiseSharingRevision: changing((...args) => store.raiseSharingRevision(...args)),
    removeAdditions: changing((...args) => store.removeAdditions(...args)),
    remove: changing((...args) => store.remove(...args)),
  };
}

function cacheOrgs(store: OrgStore): OrgStore {
  const cache = createReadCache((idOrSlug) => store.find(idOrSlug));
  return {
    ...store,
    find: cache.read,
    // An org is remembered under its id and its slug, and changed by its id: changes are rare, so all are forgotten.
    async update(...args) {
      try {
        return await store.update(...args);
      } finally {
        cache.clear();
      }
    },
  };
}

function createReadCache<T extends object>(find: (key: string) => Promise<T | null>) {
  // It would otherwise keep the time for a millisecond by a timer, which wakes the process for nothing.
  const found = new LRUCache<string, T>({ max: MAX_ENTRIES, ttl: CACHED_READ_MS, ttlResolution: 0 });
  const reading = new Map<string, { readonly value: Promise<T | null>; readonly begunAt: number }>();

  async function load(key: string): Promise<T | null> {
    // What it sees may be as old as its beginning, however long it takes.
    const read = { begunAt: performance.now(), value: find(key) };
    reading.set(key, read);
    try {
      const value = await read.value;
      // A read that a change overtook has been taken off the list: what it saw may be old.
      if (value !== null && reading.get(key) === read) found.set(key, value, { start: read.begunAt });
      return value;
    } finally {
      if (reading.get(key) === read) reading.delete(key);
    }
  }

  function joinRead(key: string): Promise<T | null> | undefined {
    const read = reading.get(key);
    return read !== undefined && performance.now() - read.begunAt < CACHED_READ_MS ? read.value : undefined;
  }

  function forget(key: string): void {
    found.delete(key);
    reading.delete(key);
  }

  return {
    read: async (key: string): Promise<T | null> => found.get(key) ?? joinRead(key) ?? load(key),
    clear(): void {
      found.clear();
      reading.clear();
    },
    /** Forgets what is known of a key before and after a write to it. */
    around<A extends [string, ...unknown[]], R>(write: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
      return async (...args) => {
        forget(args[0]);
        try {
          return await write(...args);
        } finally {
          forget(args[0]);
        }
      };
    },
  };
}
