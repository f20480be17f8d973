import type { ResumedBuild } from './build-wait.ts';
import type { SlotRequested } from './messages.ts';

/**
 * The order in which waiting builds get a slot: production first, then the org that holds the fewest, so that nobody's
 * many builds keep others waiting; then first come, first served.
 */
export function nextForSlot(
  waiting: readonly SlotRequested[],
  holders: readonly SlotRequested[],
): SlotRequested | null {
  const rank = (request: SlotRequested): readonly [number, number] => [
    request.environment === 'prod' ? 0 : 1,
    holders.filter(({ org }) => org === request.org).length,
  ];
  const [first = null] = waiting
    .map((request) => ({ request, rank: rank(request) }))
    // Sorting keeps the order of equals, which is the order in which they asked.
    .toSorted((a, b) => a.rank[0] - b.rank[0] || a.rank[1] - b.rank[1]);
  return first === null ? null : first.request;
}

/** Which of its requests a build has a slot by: its first, or the one after a wait. */
export function roundOf({ round = 0 }: Pick<SlotRequested, 'round'>): number {
  return round;
}

/**
 * The round in which a run of a build asks for its slot: how often the build has waited, whichever steps did. Two runs of
 * one build never ask in the same round: the second request would be answered as the first was.
 *
 * @param resumed null for the first run. Where an earlier version paused the build, the attempts of its steps say it: the
 * step that waited, and those before it that ran again after an earlier wait
 */
export function roundOfRun(resumed: Pick<ResumedBuild, 'waits' | 'attempts' | 'again'> | null): number {
  if (resumed === null) return 0;
  const { waits, attempts, again = {} } = resumed;
  return waits ?? Math.max(attempts, ...Object.values(again));
}

/** How many builds there are at most for that many slots: see {@link grantable}. */
export function mostBuilds(limit: number): number {
  return 2 * limit;
}

/**
 * Which waiting build gets a slot now; null when none does. An org without a build gets one although all slots are taken:
 * builds of another org may take an hour each. So there may be as many builds again.
 */
export function grantable(
  waiting: readonly SlotRequested[],
  holders: readonly SlotRequested[],
  limit: number,
): SlotRequested | null {
  if (holders.length < limit) return nextForSlot(waiting, holders);
  if (holders.length >= mostBuilds(limit)) return null;
  const without = waiting.filter(({ org }) => org !== undefined && holders.every((holder) => holder.org !== org));
  return nextForSlot(without, holders);
}
