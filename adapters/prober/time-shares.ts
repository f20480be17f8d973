/** The time of a thread that the answers to one org's checks may take. */
export interface TimeShare {
  /** Nothing more is read for it until time has passed. */
  isSpent(): boolean;
  /** Runs `work`, and counts how long it takes. */
  charge<T>(work: () => T): T;
}

/** Of the thread's time, so much is each org's: 500 checks in 5 s with a TLS handshake each take about as much. */
const SHARE = 0.25;
/** What was not used is kept: the first checks of many monitors come together. */
const MOST_KEPT_MS = 1_000;
/** An org without checks for so long has all of its share, and is forgotten. */
const FORGET_EVERY_MS = 60_000;

/** For what the platform itself is pointed at. */
export const UNMETERED: TimeShare = { isSpent: () => false, charge: (work) => work() };

/**
 * Counts for each org how long its checks keep this thread from others, such as by the signatures in a chain of certificates.
 * @param nowMs a clock that nobody sets
 */
export function createTimeShares(nowMs: () => number): (org: string) => TimeShare {
  const accounts = new Map<string, { leftMs: number; atMs: number }>();
  let forgotAtMs = nowMs();

  function accountOf(org: string) {
    const now = nowMs();
    if (now - forgotAtMs > FORGET_EVERY_MS) {
      forgotAtMs = now;
      for (const [key, { atMs }] of accounts) if (now - atMs > FORGET_EVERY_MS) accounts.delete(key);
    }
    const account = accounts.get(org) ?? { leftMs: MOST_KEPT_MS, atMs: now };
    account.leftMs = Math.min(MOST_KEPT_MS, account.leftMs + (now - account.atMs) * SHARE);
    account.atMs = now;
    accounts.set(org, account);
    return account;
  }

  return (org) => ({
    isSpent: () => accountOf(org).leftMs <= 0,
    charge(work) {
      const beganMs = nowMs();
      try {
        return work();
      } finally {
        const tookMs = nowMs() - beganMs;
        accountOf(org).leftMs -= tookMs;
      }
    },
  });
}
