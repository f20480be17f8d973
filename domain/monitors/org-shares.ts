/** How much of a thread the checks of one org take. */
export interface OrgShares {
  hasRoom(org: string, nowMs: number): boolean;
  /** One of its checks begins. */
  occupy(org: string, nowMs: number): void;
  /** One of its checks has ended. */
  release(org: string): void;
}

/** Checks of one org that run at once: half of what people of an org may add, if none of them is answered. */
export const MOST_OF_ORG = 250;
/** Checks of one org that begin: what people of an org may add, every 5 s, and half of that to confirm failures. */
const PER_SECOND = 150;
/** Checks of one org that begin together. */
export const MOST_TOGETHER = 50;
const FORGET_EVERY_MS = 60_000;

export function createOrgShares(): OrgShares {
  const shares = new Map<string, { running: number; left: number; atMs: number }>();
  let forgotAtMs = 0;

  function forget(nowMs: number): void {
    if (nowMs - forgotAtMs < FORGET_EVERY_MS) return;
    forgotAtMs = nowMs;
    for (const [org, { running, atMs }] of shares) {
      if (running === 0 && nowMs - atMs > FORGET_EVERY_MS) shares.delete(org);
    }
  }

  function shareAt(org: string, nowMs: number) {
    const share = shares.get(org) ?? { running: 0, left: MOST_TOGETHER, atMs: nowMs };
    share.left = Math.min(MOST_TOGETHER, share.left + ((nowMs - share.atMs) * PER_SECOND) / 1_000);
    share.atMs = nowMs;
    shares.set(org, share);
    return share;
  }

  return {
    hasRoom(org, nowMs) {
      const { running, left } = shareAt(org, nowMs);
      return running < MOST_OF_ORG && left >= 1;
    },
    occupy(org, nowMs) {
      forget(nowMs);
      const share = shareAt(org, nowMs);
      share.running += 1;
      share.left -= 1;
    },
    release(org) {
      const share = shares.get(org);
      if (share !== undefined) share.running -= 1;
    },
  };
}
