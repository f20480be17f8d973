import { type FollowedRevocations, followRevocations, type RevocationFeedOptions } from './revocation-feed.ts';

interface Shared {
  readonly feed: FollowedRevocations;
  readonly listeners: Set<RevocationFeedOptions['onWithdrawnKeys']>;
  /** Of the last read; null before the first one. */
  withdrawnKeys: readonly string[] | null;
}

/** What is followed in this process, by provider, credentials, and what holds while it is away. */
const followed = new Map<string, Shared>();

type SharedOptions = Omit<RevocationFeedOptions, 'fetch' | 'clock'>;

/**
 * As {@link followRevocations}, by the fetch and the clock of this process: verifiers of one process, such as those of services
 * that run in it together, read a denylist once for all of them, and not each. It is followed until the last of them closes.
 */
export function followShared({ onWithdrawnKeys, ...options }: SharedOptions): FollowedRevocations {
  const key = JSON.stringify([options.idpUrl, options.credentials, options.stale]);
  const shared = followed.get(key) ?? begin(key, options);
  shared.listeners.add(onWithdrawnKeys);
  // Whoever comes later knows what those before know.
  if (shared.withdrawnKeys !== null) onWithdrawnKeys(shared.withdrawnKeys);
  return {
    ...shared.feed,
    close() {
      shared.listeners.delete(onWithdrawnKeys);
      if (shared.listeners.size > 0 || followed.get(key) !== shared) return;
      followed.delete(key);
      shared.feed.close();
    },
  };
}

function begin(key: string, options: Omit<SharedOptions, 'onWithdrawnKeys'>): Shared {
  const listeners: Shared['listeners'] = new Set();
  const feed = followRevocations({
    ...options,
    fetch: globalThis.fetch,
    clock: () => new Date(),
    onWithdrawnKeys: (kids) => {
      shared.withdrawnKeys = kids;
      for (const tell of listeners) tell(kids);
    },
  });
  const shared: Shared = { feed, listeners, withdrawnKeys: null };
  followed.set(key, shared);
  return shared;
}
