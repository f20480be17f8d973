import { readPayload } from './canonical.ts';
import { DAY_CLOSED, isClose } from './day-close.ts';
import { dayNumber } from './days.ts';
import { type ChainHead, GENESIS_HASH, type Hash, type LedgerEvent } from './event.ts';
import { createHeaderText, headerOf, sha256 } from './hash.ts';
import { dayCloseSchema } from './schema.ts';

/** Why a chain does not hold. */
export type BreakReason =
  /** A field or the payload is not what was hashed. */
  | 'altered'
  /** An index is missing, or out of order. */
  | 'gap'
  /** An event does not follow the one before it: it was put in, exchanged or moved. */
  | 'unlinked'
  /** An event is dated before the one before it. */
  | 'back_dated'
  /** The chain holds in itself, but a hash that was signed or told earlier stands elsewhere: it was written anew. */
  | 'rewritten'
  /** The chain ends before an index that is known to have existed. */
  | 'truncated'
  /** A day close counts other events than the chain has. */
  | 'day_mismatch'
  /** The event is of a day that the ledger closed without this namespace. */
  | 'day_omitted'
  /** A stored checkpoint is not one that the ledger has signed. */
  | 'checkpoint_forged';

/** That an event of that hash stood at that index: from a receipt, a checkpoint, a day close or the caller. */
export interface KnownHash {
  readonly chainIndex: number;
  readonly eventHash: Hash;
  /** True for a checkpoint whose signature is not good. */
  readonly forged?: boolean;
}

export interface ChainVerdict {
  readonly valid: boolean;
  /** Chain index of the first thing wrong; null when all holds. */
  readonly brokenAt: number | null;
  readonly reason: BreakReason | null;
  /** Last event that still holds; null when there is none. */
  readonly head: Pick<ChainHead, 'chainIndex' | 'eventHash'> | null;
  /** Events that hold. */
  readonly count: number;
}

export interface ChainExpectations {
  /** In ascending order of index. Read as the chain goes by, so they may be many. */
  readonly known?: AsyncIterable<KnownHash> | Iterable<KnownHash>;
  /** Hashes of events that must be there, wherever. */
  readonly required?: Iterable<Hash>;
  /** Days, as numbers, that the ledger has closed without this namespace: it must have no event of theirs. */
  readonly omittedDays?: ReadonlySet<number>;
  /** Is told of each event before it is checked. */
  readonly look?: (event: LedgerEvent) => void;
  /** For a part of a chain; without it, the chain begins with the first event. */
  readonly part?: ChainPart;
}

/** A part of a chain that holds all events of one day. */
export interface ChainPart {
  /** Chain index of its first event. Where that is not 0, the hash before it is believed: `known` says what must follow. */
  readonly from: number;
  /** The day, as a number. The closes of other days, whose events may be elsewhere, are not counted. */
  readonly day: number;
}

/**
 * Verifies a chain as it streams by: O(n) time and constant memory. The first thing wrong ends it.
 * @param events of one namespace, from its first one or that of the part on, in order of chain index; in pages, or at once
 */
export async function verifyChain(
  events: AsyncIterable<readonly LedgerEvent[]> | Iterable<LedgerEvent>,
  expectations: ChainExpectations = {},
): Promise<ChainVerdict> {
  const check = createChainCheck(expectations);
  const fault = Symbol.iterator in events ? firstFault(check, events) : firstFaultOfPages(check, events);
  return (await fault) ?? check.end();
}

type ChainCheck = ReturnType<typeof createChainCheck>;

async function firstFaultOfPages(
  check: ChainCheck,
  pages: AsyncIterable<readonly LedgerEvent[]>,
): Promise<ChainVerdict | null> {
  for await (const page of pages) {
    const fault = await firstFault(check, page);
    if (fault !== null) return fault;
  }
  return null;
}

/** Waits for a verdict only where there is one to wait for: a wait takes as long as half a verification. */
async function firstFault(check: ChainCheck, events: Iterable<LedgerEvent>): Promise<ChainVerdict | null> {
  for (const event of events) {
    const verdict = check.accept(event);
    const fault = verdict === null ? null : await verdict;
    if (fault !== null) return fault;
  }
  return null;
}

/** Everything that is checked of one event after the other. `accept` answers with the verdict once something is wrong. */
function createChainCheck(expectations: ChainExpectations) {
  const { omittedDays = new Set(), look } = expectations;
  const link = createLinkCheck(expectations.part);
  const known = createKnownCheck(expectations.known ?? []);
  const required = new Set(expectations.required);

  function place(event: LedgerEvent): ChainVerdict | null {
    if (omittedDays.size > 0 && isOfDay(event, omittedDays)) return link.verdictOnLast('day_omitted');
    if (required.size > 0) required.delete(event.eventHash);
    return null;
  }

  return {
    accept(event: LedgerEvent): ChainVerdict | null | Promise<ChainVerdict | null> {
      look?.(event);
      const reason = link.accept(event);
      if (reason !== null) return link.verdict(reason);
      if (!known.waitsFor(event.chainIndex)) return place(event);
      return known.accept(event).then((found) => (found === null ? place(event) : link.verdictOnLast(found)));
    },
    async end(): Promise<ChainVerdict> {
      return link.verdict(required.size > 0 || (await known.hasMore()) ? 'truncated' : null);
    },
  };
}

function isOfDay({ eventType, createdAt }: LedgerEvent, days: ReadonlySet<number>): boolean {
  return !isClose(eventType) && days.has(Math.floor(createdAt.getTime() / DAY_MS));
}

/** The check of one event after the other; `accept` answers what is wrong with an event, or null. */
interface LinkCheck {
  accept(event: LedgerEvent): BreakReason | null;
  verdict(reason: BreakReason | null): ChainVerdict;
  /** When something else is wrong with the event accepted last. */
  verdictOnLast(reason: BreakReason): ChainVerdict;
}

function createLinkCheck(part?: ChainPart): LinkCheck {
  const from = part?.from ?? 0;
  let prevHash = GENESIS_HASH;
  let before = GENESIS_HASH;
  let index = from;
  let time = Number.NEGATIVE_INFINITY;
  const days = createDayCount(part?.day);
  const text = createHeaderText();
  const hashOf = (event: LedgerEvent): Hash => sha256(headerOf(event, sha256(event.payload), text));

  function accept(event: LedgerEvent): BreakReason | null {
    if (event.chainIndex !== index) return 'gap';
    if (index === from && from > 0) prevHash = event.prevHash;
    if (event.prevHash !== prevHash) {
      // Whether this event was changed or stands in a wrong place: its own hash tells.
      return hashOf(event) === event.eventHash ? 'unlinked' : 'altered';
    }
    if (hashOf(event) !== event.eventHash) return 'altered';
    const createdAt = event.createdAt.getTime();
    if (createdAt < time) return 'back_dated';
    if (!days.accept(event, prevHash)) return 'day_mismatch';
    before = prevHash;
    prevHash = event.eventHash;
    time = createdAt;
    index += 1;
    return null;
  }

  const verdictAt = (end: number, head: Hash, reason: BreakReason | null): ChainVerdict => ({
    valid: reason === null,
    brokenAt: reason === null ? null : end,
    reason,
    head: end === from ? null : { chainIndex: end - 1, eventHash: head },
    count: end - from,
  });
  return {
    accept,
    verdict: (reason) => verdictAt(index, prevHash, reason),
    verdictOnLast: (reason) => verdictAt(index - 1, before, reason),
  };
}

const DAY_MS = 86_400_000;

interface CountedDay {
  readonly first: number;
  last: number;
  count: number;
}

/**
 * Counts the events of days that are not closed yet, to hold each close against.
 * @param only the one day to be counted; without it, every day
 */
function createDayCount(only?: number) {
  const open = new Map<number, CountedDay>();
  let current: { day: number; counted: CountedDay } | null = null;

  function count(event: LedgerEvent): void {
    const day = Math.floor(event.createdAt.getTime() / DAY_MS);
    if (current?.day === day) {
      current.counted.last = event.chainIndex;
      current.counted.count += 1;
      return;
    }
    current = { day, counted: { first: event.chainIndex, last: event.chainIndex, count: 1 } };
    open.set(day, current.counted);
  }

  function closes(event: LedgerEvent, prevHash: Hash): boolean {
    const { success, data: close } = dayCloseSchema.safeParse(readPayload(event.payload).data);
    if (!success) return false;
    const day = dayNumber(close.day);
    const counted = open.get(day) ?? null;
    open.delete(day);
    if (current?.day === day) current = null;
    if (close.namespace !== event.namespace || close.head !== prevHash) return false;
    if (only !== undefined && only !== day) return true;
    const { count: events, first, last } = counted ?? { count: 0, first: null, last: null };
    return close.count === events && close.firstIndex === first && close.lastIndex === last;
  }

  return {
    /** False for a close that says something else than was counted. */
    accept(event: LedgerEvent, prevHash: Hash): boolean {
      if (event.eventType === DAY_CLOSED) return closes(event, prevHash);
      if (!isClose(event.eventType)) count(event);
      return true;
    },
  };
}

/** Holds the chain against what is known of it, read as the chain goes by. */
function createKnownCheck(known: AsyncIterable<KnownHash> | Iterable<KnownHash>) {
  const iterator = Symbol.asyncIterator in known ? known[Symbol.asyncIterator]() : known[Symbol.iterator]();
  /** Undefined: not read yet; null: there are no more. */
  let next: KnownHash | null | undefined;
  const advance = async (): Promise<void> => {
    const result = await iterator.next();
    next = result.done === true ? null : result.value;
  };

  return {
    /** False when nothing is known of indexes up to that one. */
    waitsFor: (index: number): boolean => next === undefined || (next !== null && next.chainIndex <= index),
    async accept({ chainIndex, eventHash }: LedgerEvent): Promise<BreakReason | null> {
      if (next === undefined) await advance();
      while (next && next.chainIndex <= chainIndex) {
        if (next.forged === true) return 'checkpoint_forged';
        if (next.chainIndex === chainIndex && next.eventHash !== eventHash) return 'rewritten';
        await advance();
      }
      return null;
    },
    /** True when an index is known that has not come. */
    async hasMore(): Promise<boolean> {
      if (next === undefined) await advance();
      return next !== null;
    },
  };
}
