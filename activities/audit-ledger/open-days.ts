import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { addDays, dayOf, daysBetween } from '../../domain/audit-ledger/days.ts';
import type { AnchoringDeps } from './anchoring-deps.ts';
import { firstOf } from './first-of.ts';
import { latestOwnBatch, ownBatch } from './own-batches.ts';

/** Days that are caught up by themselves after an outage; older ones are anchored by hand. */
const CATCH_UP_DAYS = 31;
/** How far back each night looks whether batches are there, and whether their roots still stand. */
export const CHECKED_AGAIN_DAYS = 7;

/**
 * Days up to one that have no batch, oldest first: those since the latest batch, usually that day alone, and any of the last
 * week whose batch was lost, or that was refused. None before the first event.
 */
export async function openDays(deps: AnchoringDeps, upTo: Day): Promise<readonly Day[]> {
  const latest = await latestOwnBatch(deps, addDays(upTo, 1));
  if (latest === null) {
    const first = await firstDay(deps);
    return first === null ? [] : daysBetween(first, upTo).slice(-CATCH_UP_DAYS);
  }
  const from = lookedBackTo(upTo);
  const isOlder = (await latestOwnBatch(deps, from)) !== null;
  // Days from before the first event are none that were lost, whatever somebody put there.
  const first = isOlder ? from : later(from, (await firstDay(deps)) ?? latest.id);
  const lost: Day[] = [];
  for (const day of daysBetween(first, latest.id)) if ((await ownBatch(deps, day)) === null) lost.push(day);
  return [...lost, ...daysBetween(addDays(latest.id, 1), upTo).slice(-CATCH_UP_DAYS)];
}

/**
 * Days of the last week with a batch of the ledger: each night looks whether its root still stands on every chain. A batch that
 * somebody else put there makes no day one of the ledger's; where it is in the place of one, that day is an open one.
 */
export async function recentDays(deps: AnchoringDeps, upTo: Day): Promise<readonly Day[]> {
  const { items } = await deps.batches.list(lookedBackTo(upTo), upTo, { cursor: null, limit: 200 });
  const own: Day[] = [];
  for (const { id } of items) if ((await ownBatch(deps, id)) !== null) own.push(id);
  return own;
}

const lookedBackTo = (upTo: Day): Day => addDays(upTo, -CHECKED_AGAIN_DAYS);

/**
 * The day from which on a missing anchor is told, but none before `from`: that of the first batch or event of a ledger that
 * began since. Batches of somebody else count: they make it tell more, and not less.
 */
export async function firstToldSince(deps: AnchoringDeps, from: Day): Promise<Day> {
  if ((await deps.batches.latestBefore(from)) !== null) return from;
  const { items } = await deps.batches.list(from, dayOf(deps.now()), { cursor: null, limit: 1 });
  const [first = from] = [items[0]?.id, await firstDay(deps)].filter((day) => day != null).toSorted();
  return later(from, first);
}

const later = (one: Day, other: Day): Day => (one > other ? one : other);

/** The day of the oldest event; null without events. */
async function firstDay(deps: AnchoringDeps): Promise<Day | null> {
  let first: Day | null = null;
  for (const namespace of await deps.events.namespaces()) {
    const event = await firstOf(deps.events.stream(namespace, 0));
    if (event !== null && (first === null || dayOf(event.createdAt) < first)) first = dayOf(event.createdAt);
  }
  return first;
}
