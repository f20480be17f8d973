import { type Finding, failed } from './finding.ts';
import type { TimeShare } from './time-shares.ts';

/** What one check reads of its target: so many bytes, and so much of the thread's time for them. */
export interface CheckReads {
  /** From now on so many bytes may come. */
  allow(bytes: number): void;
  /**
   * Runs what a piece of so many bytes makes this thread do.
   * @returns what `work` does; null, without running it, where the connection is to be cut off
   */
  take<T>(bytes: number, work: () => T): T | null;
  /** Why the connection was cut off; null while it was not. */
  refusal(): Finding | null;
}

/** Of whatever a target sends before a check says how much it reads. */
const MOST_UNASKED_BYTES = 64 * 1024;

const TOO_MUCH = failed('protocol', 'the server sends more than its answer needs');
const SPENT: Finding = {
  ...failed('other', "the checks of this org use more of the prober's time than its share"),
  outcome: 'unknown',
};

export function createCheckReads(share: TimeShare): CheckReads {
  let left = MOST_UNASKED_BYTES;
  let refusal: Finding | null = null;
  return {
    allow(bytes) {
      left = bytes;
    },
    take(bytes, work) {
      left -= bytes;
      if (left < 0) refusal ??= TOO_MUCH;
      else if (share.isSpent()) refusal ??= SPENT;
      return refusal === null ? share.charge(work) : null;
    },
    refusal: () => refusal,
  };
}
