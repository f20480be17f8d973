import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { addDays, dayOf, daysBetween } from '../../domain/audit-ledger/days.ts';
import type { AnchoringDeps } from './anchoring-deps.ts';
import { firstOf } from './first-of.ts';

/** Days that are caught up by themselves after an outage; older ones are anchored by hand. */
const CATCH_UP_DAYS = 31;
/** How far back each night looks whether roots still stand. */
export const CHECKED_AGAIN_DAYS = 7;

/** Days up to one that have no batch yet, oldest first: usually that one alone. None before the first event. */
export async function openDays(deps: AnchoringDeps, upTo: Day): Promise<readonly Day[]> {
  const latest = await deps.batches.latestBefore(addDays(upTo, 1));
  const first = latest === null ? await firstDay(deps) : addDays(latest.id, 1);
  return first === null ? [] : daysBetween(first, upTo).slice(-CATCH_UP_DAYS);
}

/** Days of the last week with a batch: each night looks whether its root still stands on every chain. */
export async function recentDays(deps: AnchoringDeps, upTo: Day): Promise<readonly Day[]> {
  const { items } = await deps.batches.list(addDays(upTo, -CHECKED_AGAIN_DAYS), upTo, { cursor: null, limit: 200 });
  return items.map(({ id }) => id);
}

/** The day of the oldest event; null without events. */
async function firstDay(deps: AnchoringDeps): Promise<Day | null> {
  let first: Day | null = null;
  for (const namespace of await deps.events.namespaces()) {
    const event = await firstOf(deps.events.stream(namespace, 0));
    if (event !== null && (first === null || dayOf(event.createdAt) < first)) first = dayOf(event.createdAt);
  }
  return first;
}
