import { setTimeout as delay, setImmediate as nextTick } from 'node:timers/promises';
import { chainAfter, headOf } from '../../../domain/audit-ledger/chain.ts';
import {
  type ChainHead,
  type EventDraft,
  LEDGER_NAMESPACE,
  type LedgerEvent,
} from '../../../domain/audit-ledger/event.ts';
import type { EventStore, EventWriter, NamespaceLeases } from '../../../domain/audit-ledger/ports.ts';
import type { Clock } from '../../../domain/clock.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { NewId } from '../../../domain/ids.ts';
import { waitForBatch } from '../wait-for-batch.ts';
import { createEventIds, idOfKey } from './event-id.ts';

export interface WriterLimits {
  /** Events and payload characters of one write. */
  readonly batchEvents: number;
  readonly batchCharacters: number;
  /** Events and payload characters that may wait, of all namespaces together. */
  readonly queueEvents: number;
  readonly queueCharacters: number;
  /** How long an event may wait until it is written. */
  readonly patienceMs: number;
}

const DEFAULT_LIMITS: WriterLimits = {
  batchEvents: 500,
  batchCharacters: 8 * 1024 * 1024,
  queueEvents: 5_000,
  queueCharacters: 64 * 1024 * 1024,
  patienceMs: 10_000,
};

/** Races lost in a row after which the head is searched from scratch and not from where it was last seen. */
const LOSSES_UNTIL_SEARCH = 4;
const LONGEST_PAUSE_MS = 40;

/** How long after a lost race writers use leases, and how often they ask for one. */
const CROWDED_MS = 5_000;
/** How often a writer that never pauses looks whether another waits: well within the time that a lease lasts. */
const LOOK_EVERY_MS = 200;
const SHORTEST_ASK_MS = 2;
const LONGEST_ASK_MS = 8;

export interface WriterDeps {
  readonly store: EventStore;
  readonly newId: NewId;
  /** For processes that write to the same namespaces; without it they race for every place. */
  readonly leases?: NamespaceLeases;
  readonly now: Clock;
  readonly limits?: Partial<WriterLimits>;
}

interface ChainDeps extends WriterDeps {
  readonly newEventId: (time: Date) => string;
}

interface Waiting {
  readonly id: string;
  readonly draft: EventDraft;
  readonly since: number;
  readonly meanwhile: ((event: LedgerEvent) => void) | undefined;
  readonly resolve: (event: LedgerEvent) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Writes events by group commit: in each namespace one write is under way at a time, and what arrives meanwhile shares the
 * next one, so that contention makes writes larger and not slower. Nobody has to be elected: a write whose place another
 * process has taken is refused by the store, chained anew to the head that is there now, and tried again.
 */
export function createEventWriter(deps: WriterDeps): EventWriter {
  const limits = { ...DEFAULT_LIMITS, ...deps.limits };
  const chains = new Map<string, ReturnType<typeof createChainWriter>>();
  const newEventId = createEventIds(deps.newId);
  let events = 0;
  let characters = 0;

  return {
    async emit(draft, meanwhile) {
      if (events >= limits.queueEvents || characters >= limits.queueCharacters) {
        throw unavailable('Too many events are waiting to be written');
      }
      let chain = chains.get(draft.namespace);
      if (chain === undefined) {
        chain = createChainWriter(draft.namespace, { ...deps, newEventId }, limits);
        chains.set(draft.namespace, chain);
      }
      events += 1;
      characters += draft.payload.length;
      try {
        return await chain.write(draft, meanwhile);
      } finally {
        events -= 1;
        characters -= draft.payload.length;
      }
    },
  };
}

function createChainWriter(namespace: string, { store, leases, now, newEventId }: ChainDeps, limits: WriterLimits) {
  const queue: Waiting[] = [];
  let running = false;
  /** Undefined: to be read. */
  let head: ChainHead | null | undefined;
  let crowdedUntil = 0;

  async function run(): Promise<void> {
    let lookAt = performance.now() + LOOK_EVERY_MS;
    while (queue.length > 0) {
      await waitForBatch();
      if (performance.now() >= lookAt) {
        lookAt = performance.now() + LOOK_EVERY_MS;
        void lookForOthers();
      }
      await withLease(() => commit(dropLate(takeBatch(queue, limits))));
    }
    running = false;
  }

  /** Who writes without a pause wins every race, and so does not notice that others want to write as well. */
  async function lookForOthers(): Promise<void> {
    if (leases === undefined || performance.now() < crowdedUntil) return;
    if (await leases.isHeld(namespace).catch(() => false)) crowdedUntil = performance.now() + CROWDED_MS;
  }

  /** While other processes write to the namespace as well, waits for the lease. Events that arrive meanwhile join the batch. */
  async function withLease(write: () => Promise<void>): Promise<void> {
    const mine =
      leases !== undefined && performance.now() < crowdedUntil && (await acquireLease(leases).catch(() => false));
    await write();
    // A lease that is not released expires by itself.
    if (mine) await leases.release(namespace, head ?? null).catch(() => {});
  }

  /** False when it did not come in time: then it is raced for. */
  async function acquireLease(from: NamespaceLeases): Promise<boolean> {
    const deadline = performance.now() + limits.patienceMs / 2;
    while (performance.now() < deadline) {
      const left = await from.acquire(namespace);
      if (left !== undefined) {
        // Only what is ahead of an own look at the chain: alone, the head in a lease proves nothing.
        if (left !== null && head !== undefined && left.chainIndex > (head?.chainIndex ?? -1)) {
          head = left;
          crowdedUntil = performance.now() + CROWDED_MS;
        }
        return true;
      }
      await delay(SHORTEST_ASK_MS + Math.random() * (LONGEST_ASK_MS - SHORTEST_ASK_MS));
    }
    return false;
  }

  /** Resolves or rejects every event of the batch; it does not throw. */
  async function commit(batch: readonly Waiting[]): Promise<void> {
    let rest = batch;
    let losses = 0;
    try {
      while (rest.length > 0) {
        const appended = await append(rest);
        rest = rest.slice(appended);
        losses = appended > 0 ? 0 : losses + 1;
        if (rest.length > 0) rest = await afterLoss(rest, losses);
      }
    } catch (error) {
      // Whether the last write was kept is not known: the next one looks.
      head = undefined;
      for (const { reject } of rest) reject(error);
    }
  }

  /** Finds out who was first, and where the chain ends now. @returns who has to be chained anew */
  async function afterLoss(waiting: readonly Waiting[], losses: number): Promise<readonly Waiting[]> {
    const rest = await resolveRepeat(waiting);
    if (rest === waiting) crowdedUntil = performance.now() + CROWDED_MS;
    // All who lost at once would meet again.
    if (losses > 1) await delay(Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** losses));
    head = await store.head(namespace, losses < LOSSES_UNTIL_SEARCH ? head?.chainIndex : undefined);
    return dropLate(rest);
  }

  /** Chains the events to the head as it was last seen. @returns how many of them are durable, from the first on */
  async function append(waiting: readonly Waiting[]): Promise<number> {
    if (head === undefined) head = await store.head(namespace);
    const events = chainAfter(head, waiting, head === null ? await birthTime() : now());
    const appending = store.append(events);
    void tellMeanwhile(waiting, events);
    const appended = await appending;
    for (const [index, event] of events.slice(0, appended).entries()) {
      waiting[index]?.resolve(event);
      head = headOf(event);
    }
    return appended;
  }

  /**
   * A namespace is not born on a day that the ledger has closed, however late this machine's clock is and however long
   * the write is held up. Whoever closes a day puts an event into the ledger's chain, then lists the namespaces and closes
   * each: announced before, this one is closed with them, which takes the place of its first event; announced after, it
   * finds the ledger's event here.
   */
  async function birthTime(): Promise<Date> {
    if (namespace === LEDGER_NAMESPACE) return now();
    await store.announce(namespace);
    const closed = await store.head(LEDGER_NAMESPACE);
    const time = now();
    return closed !== null && closed.createdAt > time ? closed.createdAt : time;
  }

  /** A refused write was refused at its first event: for its place, or because it is there already under its key. */
  async function resolveRepeat(rest: readonly Waiting[]): Promise<readonly Waiting[]> {
    const [first, ...others] = rest;
    const idempotency = first?.draft.idempotency ?? null;
    if (first === undefined || idempotency === null) return rest;
    const kept = await store.findByIdempotencyKey(namespace, first.draft.emitter, idempotency.key);
    if (kept === null) return rest;
    if (kept.idempotency?.fingerprint === idempotency.fingerprint) first.resolve(kept);
    else first.reject(keyReused());
    return others;
  }

  function dropLate(waiting: readonly Waiting[]): readonly Waiting[] {
    const oldest = performance.now() - limits.patienceMs;
    if (waiting.every(({ since }) => since >= oldest)) return waiting;
    for (const { since, reject } of waiting)
      if (since < oldest) reject(unavailable('The event could not be written in time'));
    return waiting.filter(({ since }) => since >= oldest);
  }

  return {
    write(draft: EventDraft, meanwhile?: (event: LedgerEvent) => void): Promise<LedgerEvent> {
      const { emitter, idempotency } = draft;
      const id = idempotency === null ? newEventId(now()) : idOfKey({ namespace, emitter, key: idempotency.key });
      const { promise, resolve, reject } = Promise.withResolvers<LedgerEvent>();
      queue.push({ id, draft, since: performance.now(), meanwhile, resolve, reject });
      if (!running) {
        running = true;
        void run();
      }
      return promise;
    },
  };
}

/** One tick later, when the write is on its way: the processor is free until the database answers. */
async function tellMeanwhile(waiting: readonly Waiting[], events: readonly LedgerEvent[]): Promise<void> {
  if (waiting.every(({ meanwhile }) => meanwhile === undefined)) return;
  await nextTick();
  for (const [index, event] of events.entries()) waiting[index]?.meanwhile?.(event);
}

/** Takes what fits into one write off the queue; of two under one id the second waits for what becomes of the first. */
function takeBatch(queue: Waiting[], limits: WriterLimits): readonly Waiting[] {
  const ids = new Set<string>();
  let characters = 0;
  let count = 0;
  for (const { id, draft } of queue) {
    characters += draft.payload.length;
    if (count === limits.batchEvents || ids.has(id) || (count > 0 && characters > limits.batchCharacters)) break;
    ids.add(id);
    count += 1;
  }
  return queue.splice(0, count);
}

function keyReused(): FairleadError {
  return new FairleadError(
    'IDEMPOTENCY_KEY_REUSED',
    'Another event was emitted under this Idempotency-Key: take a new key for a new event',
  );
}

function unavailable(message: string): FairleadError {
  return new FairleadError('UNAVAILABLE', `${message}; try again shortly`, { retryable: true });
}
