/**
 * How long notices of an org are gathered. The first one of an org to which nothing was told just before waits for three
 * seconds, which leaves the time in which an outage must be told (its interval and ten seconds) what its checks need. Where
 * ten and more come in that time, they have one cause, and their checks come round within half a minute: they are gathered
 * until no more come. What comes right after a group was told is told together some seconds later.
 */
export const GATHER = {
  firstMs: 3_000,
  /** So many at once have one cause. */
  many: 10,
  /** Nothing came for so long: it is over. */
  quietMs: 3_000,
  /** Whether it is over is looked at so often. */
  lookMs: 1_000,
  /** Since the first of a group; an interval of prod, and the second check. */
  mostMs: 32_000,
  /** Between groups of one org. */
  pauseMs: 10_000,
} as const;

/** Notices of one group; what is more is of the next. */
export const MOST_IN_GROUP = 10_000;

/** Whoever put a notice there before has woken what tells them; after so long that is not believed any more. */
export const WOKEN_WITHIN_MS = 60_000;
