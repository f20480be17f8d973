import { readPayload } from '../../domain/audit-ledger/canonical.ts';
import { chainAfter } from '../../domain/audit-ledger/chain.ts';
import {
  DAY_CLOSED,
  type Day,
  type DayClose,
  LEDGER_CLOSED,
  type LedgerClose,
} from '../../domain/audit-ledger/day-close.ts';
import { endOfDay, startOfDay } from '../../domain/audit-ledger/days.ts';
import { type ChainHead, GENESIS_HASH, LEDGER_NAMESPACE, type LedgerEvent } from '../../domain/audit-ledger/event.ts';
import {
  dayCloseDraft,
  dayCloseKey,
  LEDGER_EMITTER,
  ledgerCloseDraft,
  ledgerCloseKey,
} from '../../domain/audit-ledger/own-events.ts';
import { dayCloseSchema } from '../../domain/audit-ledger/schema.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { AnchoringDeps } from './anchoring-deps.ts';
import { firstOf } from './first-of.ts';

/** Far more than there are writers of one namespace to lose against. */
const TRIES = 200;
/** Closes of earlier days that one day may hold: those of a month in which no worker ran. */
const CLOSES = 100;

/**
 * Closes a day that is over: in each namespace an event that says what the day held, and one of the whole ledger that
 * says which namespaces there are. From then on no event can get a time of that day. Idempotent by the closes' keys.
 * Does nothing in a ledger without events.
 */
export async function closeDay(deps: AnchoringDeps, day: Day): Promise<void> {
  if (deps.now() < endOfDay(day)) throw new FairleadError('VALIDATION_FAILED', `${day} is not over yet`);
  if ((await findClose(deps, LEDGER_NAMESPACE, ledgerCloseKey(day))) !== null) return;
  if ((await deps.events.namespaces()).length === 0) return;
  const closes = new Map<string, LedgerEvent>();
  const close = async (namespace: string): Promise<void> => {
    const event = await closeNamespace(deps, namespace, day);
    if (event !== null) closes.set(namespace, event);
  };
  // Its own chain first: no namespace that is announced from then on begins on the day. So none is missed below.
  await close(LEDGER_NAMESPACE);
  for (const namespace of await deps.events.namespaces()) if (namespace !== LEDGER_NAMESPACE) await close(namespace);
  const previous = await deps.batches.latestBefore(day);
  const namespaces = [...closes]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([namespace, event]) => {
      return { namespace, closeHash: event.eventHash, count: readDayClose(event).count };
    });
  const whole: LedgerClose = { day, namespaces, previousRoot: previous?.root ?? GENESIS_HASH };
  await deps.writer.emit(ledgerCloseDraft(whole, deps.platformOrg));
}

export function findClose(deps: AnchoringDeps, namespace: string, key: string): Promise<LedgerEvent | null> {
  return deps.events.findByIdempotencyKey(namespace, LEDGER_EMITTER, key);
}

export function readDayClose(event: LedgerEvent): DayClose {
  return dayCloseSchema.parse(readPayload(event.payload).data);
}

/**
 * Null for a namespace whose chain begins after the day. The close names the event before it, so it is written at that
 * very place of the chain, or tried again at the next. In a namespace that is announced and has no event yet, it is the
 * first: whoever was about to write one is refused that place and finds a later day.
 */
async function closeNamespace(deps: AnchoringDeps, namespace: string, day: Day): Promise<LedgerEvent | null> {
  const key = dayCloseKey(day);
  const id = deps.idOfKey({ namespace, emitter: LEDGER_EMITTER, key });
  let settled: DayContent | null = null;
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const existing = await findClose(deps, namespace, key);
    if (existing !== null) return existing;
    const head = await deps.events.head(namespace);
    const content: DayContent | null = settled ?? (head === null ? EMPTY : await contentOf(deps, namespace, day, head));
    if (content === null) return null;
    // Times do not go back within a chain: with an event of a later day in it, the day does not change any more.
    if (head !== null && head.createdAt >= endOfDay(day)) settled = content;
    const close = { day, namespace, ...content, head: head?.eventHash ?? GENESIS_HASH };
    const draft = dayCloseDraft(close, deps.platformOrg);
    const events = chainAfter(head, [{ id, draft }], deps.now());
    if ((await deps.events.append(events)) === 1) return events[0] ?? null;
  }
  const message = `${namespace} is written to so fast that ${day} could not be closed; it is tried again`;
  throw new FairleadError('UNAVAILABLE', message, { retryable: true });
}

type DayContent = Pick<DayClose, 'count' | 'firstIndex' | 'lastIndex'>;

const EMPTY: DayContent = { count: 0, firstIndex: null, lastIndex: null };

/** What a namespace holds of a day, closes not counted; null when its chain begins after it. */
async function contentOf(
  deps: AnchoringDeps,
  namespace: string,
  day: Day,
  head: ChainHead,
): Promise<DayContent | null> {
  const [start, end] = [startOfDay(day), endOfDay(day)];
  const after = head.createdAt < end ? null : await firstOf(deps.events.streamBetween(namespace, end, FAR_FUTURE));
  const lastIndex = after === null ? head.chainIndex : after.chainIndex - 1;
  if (lastIndex < 0) return null;
  const first = await firstOf(deps.events.streamBetween(namespace, start, end));
  if (first === null) return EMPTY;
  return withoutCloses(first.chainIndex, lastIndex, await closesWithin(deps, namespace, start, end));
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

async function closesWithin(deps: AnchoringDeps, namespace: string, from: Date, to: Date): Promise<Set<number>> {
  const indexes = new Set<number>();
  for (const eventType of namespace === LEDGER_NAMESPACE ? [DAY_CLOSED, LEDGER_CLOSED] : [DAY_CLOSED]) {
    const filter = { orgSlug: null, namespace, eventType, from, to };
    const { items } = await deps.events.list(filter, { cursor: null, limit: CLOSES });
    for (const { chainIndex } of items) indexes.add(chainIndex);
  }
  return indexes;
}

const FAR_FUTURE = new Date(8.64e15);
