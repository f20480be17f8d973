import { setTimeout as delay } from 'node:timers/promises';
import { chainAfter, headOf } from '../../domain/audit-ledger/chain.ts';
import { DAY_CLOSED, type Day, type DayClose, LEDGER_CLOSED } from '../../domain/audit-ledger/day-close.ts';
import { endOfDay, startOfDay } from '../../domain/audit-ledger/days.ts';
import { type ChainHead, GENESIS_HASH, LEDGER_NAMESPACE, type LedgerEvent } from '../../domain/audit-ledger/event.ts';
import { dayCloseDraft, dayCloseKey, LEDGER_EMITTER } from '../../domain/audit-ledger/own-events.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { AnchoringDeps } from './anchoring-deps.ts';
import { findClose } from './find-close.ts';
import { firstOf } from './first-of.ts';

/** Far more than it takes once the others give way. */
const TRIES = 200;
/** Lost races after which the lease is requested, and for how long. */
const RACES = 5;
const LEASE_WITHIN_MS = 2_000;
const ASK_EVERY_MS = 5;
/** Closes of earlier days that one day may hold: those of a month in which no worker ran. */
const CLOSES = 100;

/**
 * Appends the close of a day to a namespace, once. Null for a namespace whose chain begins after the day. The close names
 * the event before it, so it is written at that very place of the chain, or tried again at the next; those who write there
 * without a pause are made to give way. In a namespace that is announced and has no event yet, it is the first: whoever was
 * about to write one is refused that place and finds a later day.
 * @throws UNAVAILABLE (retryable) when others were faster all the time
 */
export async function closeNamespace(deps: AnchoringDeps, namespace: string, day: Day): Promise<LedgerEvent | null> {
  const attempt = createAttempt(deps, namespace, day);
  for (let losses = 0; losses < TRIES; losses += 1) {
    const isHolder = losses % RACES === RACES - 1 && (await acquireLease(deps, namespace));
    const outcome = await attempt();
    if (outcome === 'lost') continue;
    // A lease that is not released expires by itself.
    if (isHolder) await deps.leases.release(namespace, outcome && headOf(outcome)).catch(() => {});
    return outcome;
  }
  const message = `${namespace} is written to too fast to close ${day}; trying again`;
  throw new FairleadError('UNAVAILABLE', message, { retryable: true });
}

/** False when it did not come in time: then it is raced for. */
async function acquireLease({ leases }: AnchoringDeps, namespace: string): Promise<boolean> {
  const deadline = performance.now() + LEASE_WITHIN_MS;
  while ((await leases.acquire(namespace)) === undefined) {
    if (performance.now() > deadline) return false;
    await delay(ASK_EVERY_MS);
  }
  return true;
}

/** One look at the chain, and the close after what is its head then. */
function createAttempt({ events, ...deps }: AnchoringDeps, namespace: string, day: Day) {
  const key = dayCloseKey(day);
  const id = deps.idOfKey({ namespace, emitter: LEDGER_EMITTER, key });
  let final: DayContent | null = null;

  return async (): Promise<LedgerEvent | null | 'lost'> => {
    const existing = await findClose({ events }, namespace, key);
    if (existing !== null) return existing;
    const head = await events.head(namespace);
    const content: DayContent | null = final ?? (head === null ? EMPTY : await contentOf(events, namespace, day, head));
    if (content === null) return null;
    // Times do not go back within a chain: with an event of a later day in it, the day does not change any more.
    if (head !== null && head.createdAt >= endOfDay(day)) final = content;
    const close = { day, namespace, ...content, head: head?.eventHash ?? GENESIS_HASH };
    const [event] = chainAfter(head, [{ id, draft: dayCloseDraft(close, deps.platformOrg) }], deps.now());
    return event !== undefined && (await events.append([event])) === 1 ? event : 'lost';
  };
}

type DayContent = Pick<DayClose, 'count' | 'firstIndex' | 'lastIndex'>;

const EMPTY: DayContent = { count: 0, firstIndex: null, lastIndex: null };

/** What a namespace holds of a day, closes not counted; null when its chain begins after it. */
async function contentOf(
  events: AnchoringDeps['events'],
  namespace: string,
  day: Day,
  head: ChainHead,
): Promise<DayContent | null> {
  const [start, end] = [startOfDay(day), endOfDay(day)];
  const after = head.createdAt < end ? null : await firstOf(events.streamBetween(namespace, end, FAR_FUTURE));
  const lastIndex = after === null ? head.chainIndex : after.chainIndex - 1;
  if (lastIndex < 0) return null;
  const first = await firstOf(events.streamBetween(namespace, start, end));
  if (first === null) return EMPTY;
  return withoutCloses(first.chainIndex, lastIndex, await closesWithin(events, namespace, start, end));
}

/** Indexes in a chain have no gaps, so that the events of a day are counted by their first and last. */
function withoutCloses(first: number, last: number, closes: ReadonlySet<number>): DayContent {
  const count = last - first + 1 - closes.size;
  if (count === 0) return { count, firstIndex: null, lastIndex: null };
  let [firstIndex, lastIndex] = [first, last];
  while (closes.has(firstIndex)) firstIndex += 1;
  while (closes.has(lastIndex)) lastIndex -= 1;
  return { count, firstIndex, lastIndex };
}

async function closesWithin(
  events: AnchoringDeps['events'],
  namespace: string,
  from: Date,
  to: Date,
): Promise<Set<number>> {
  const indexes = new Set<number>();
  for (const eventType of namespace === LEDGER_NAMESPACE ? [DAY_CLOSED, LEDGER_CLOSED] : [DAY_CLOSED]) {
    const filter = { orgSlug: null, namespace, eventType, from, to };
    const { items } = await events.list(filter, { cursor: null, limit: CLOSES });
    for (const { chainIndex } of items) indexes.add(chainIndex);
  }
  return indexes;
}

const FAR_FUTURE = new Date(8.64e15);
