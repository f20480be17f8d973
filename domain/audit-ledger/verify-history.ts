import { readPayload } from './canonical.ts';
import { type CheckpointStore, isCheckpointSigned } from './checkpoint.ts';
import { LEDGER_CLOSED } from './day-close.ts';
import { dayNumber, dayOf } from './days.ts';
import { type Hash, LEDGER_NAMESPACE, type LedgerEvent } from './event.ts';
import type { EventStore } from './ports.ts';
import type { LedgerKey } from './receipt.ts';
import { ledgerCloseSchema } from './schema.ts';
import { type BreakReason, type KnownHash, verifyChain } from './verify-chain.ts';

/** What is to be verified: one chain, or every chain that an entity has events in. */
export type HistoryRequest = {
  /** Hash of an event that must be there, such as the head of a receipt that the caller kept. */
  readonly expectedHead: Hash | null;
} & (
  | { readonly kind: 'namespace'; readonly namespace: string }
  | {
      readonly kind: 'entity';
      readonly entityId: string;
      /** Null for the events of every org. */
      readonly orgSlug: string | null;
    }
);

/** A chain and the index it is verified from. */
export interface ChainPart {
  readonly namespace: string;
  readonly fromIndex: number;
  /** When the event at that index was created, in milliseconds. */
  readonly since: number;
}

export interface HistoryVerdict {
  readonly valid: boolean;
  readonly brokenAt: { readonly namespace: string; readonly chainIndex: number } | null;
  readonly reason: BreakReason | null;
  /** Events that were verified. */
  readonly count: number;
  /** Where each chain ended. */
  readonly heads: readonly { readonly namespace: string; readonly chainIndex: number; readonly eventHash: Hash }[];
}

export interface HistoryDeps {
  readonly store: EventStore;
  readonly checkpoints: CheckpointStore;
  /** Name of the ledger in its checkpoints. */
  readonly ledgerName: string;
  readonly keys: readonly LedgerKey[];
}

/**
 * The chains a request is about. An entity's history is its events and, as each is only as sound as what it is chained
 * into, the chains of their namespaces from the first such event on.
 */
export async function chainsOf(request: HistoryRequest, store: EventStore): Promise<readonly ChainPart[]> {
  if (request.kind === 'namespace') return [{ namespace: request.namespace, fromIndex: 0, since: 0 }];
  const parts: ChainPart[] = [];
  for await (const { namespace, chainIndex, createdAt } of store.streamOfEntity(request.entityId, request.orgSlug)) {
    if (parts.at(-1)?.namespace === namespace) continue;
    parts.push({ namespace, fromIndex: chainIndex, since: createdAt.getTime() });
  }
  return parts;
}

/** Events that verifying a request reads, at most. */
export async function costOf(parts: readonly ChainPart[], store: EventStore): Promise<number> {
  const heads = await Promise.all(parts.map(({ namespace }) => store.head(namespace)));
  return parts.reduce((sum, { fromIndex }, index) => sum + (heads[index]?.chainIndex ?? 0) + 1 - fromIndex, 0);
}

/**
 * Verifies chains against themselves, their signed checkpoints and the ledger's closes of days, whose own chain is verified
 * first. Chains are streamed: time grows with their length, memory with the number of days alone.
 * @param progress is told how many events have been verified, now and then
 */
export async function verifyHistory(
  request: HistoryRequest,
  deps: HistoryDeps,
  progress: (count: number) => void = () => {},
): Promise<HistoryVerdict> {
  const parts = await chainsOf(request, deps.store);
  const closes = createCloseReader();
  let count = 0;
  const tally = (): void => {
    count += 1;
    if (count % PROGRESS_EVERY === 0) progress(count);
  };
  const written = await readChain({ namespace: LEDGER_NAMESPACE, fromIndex: 0 }, deps);
  const ledger = await verifyChain(closes.reading(written.events), { known: written.known, look: tally });
  if (!ledger.valid) return broken(LEDGER_NAMESPACE, ledger, count);
  const heads: HistoryVerdict['heads'][number][] = [];
  let missing = request.expectedHead;
  for (const { namespace, fromIndex, since } of parts) {
    const wanted = missing;
    let seen = false;
    const { events, known } = await readChain({ namespace, fromIndex }, deps);
    const verdict = await verifyChain(events, {
      fromIndex,
      known,
      look({ eventHash }) {
        tally();
        if (eventHash === wanted) seen = true;
      },
      ...closes.expectationsOf(namespace, since),
    });
    if (!verdict.valid) return broken(namespace, verdict, count);
    if (verdict.head !== null) heads.push({ namespace, ...verdict.head });
    if (seen) missing = null;
  }
  if (missing === null) return { valid: true, brokenAt: null, reason: null, count, heads };
  return { valid: false, brokenAt: endOf(parts, heads), reason: 'truncated', count, heads };
}

function broken(
  namespace: string,
  { brokenAt, reason }: { brokenAt: number | null; reason: BreakReason | null },
  count: number,
): HistoryVerdict {
  return {
    valid: false,
    brokenAt: brokenAt === null ? null : { namespace, chainIndex: brokenAt },
    reason,
    count,
    heads: [],
  };
}

/** The place after the last event of the only chain there is; with several, nobody knows which of them was cut. */
function endOf(parts: readonly ChainPart[], heads: HistoryVerdict['heads']): HistoryVerdict['brokenAt'] {
  const [part, ...others] = parts;
  if (part === undefined || others.length > 0) return null;
  return { namespace: part.namespace, chainIndex: (heads[0]?.chainIndex ?? part.fromIndex - 1) + 1 };
}

const PROGRESS_EVERY = 1_000;

/**
 * A chain as it stands now, and its checkpoints of up to now. Services go on writing while it is read: a scan need not
 * show what is written behind its back in order, and a checkpoint of then may be beyond the end that was read.
 */
async function readChain({ namespace, fromIndex }: Pick<ChainPart, 'namespace' | 'fromIndex'>, deps: HistoryDeps) {
  const [newest] = await deps.checkpoints.newest(namespace, 1);
  const head = await deps.store.head(namespace);
  return {
    events: deps.store.stream(namespace, fromIndex, head?.chainIndex ?? -1),
    known: newest === undefined ? [] : checkpointsOf(namespace, { fromIndex, until: newest.time }, deps),
  };
}

async function* checkpointsOf(
  namespace: string,
  { fromIndex, until }: { fromIndex: number; until: Date },
  deps: HistoryDeps,
): AsyncIterable<KnownHash> {
  for await (const checkpoint of deps.checkpoints.stream(namespace)) {
    const chainIndex = checkpoint.size - 1;
    if (chainIndex < fromIndex || checkpoint.time > until) continue;
    const forged = !isCheckpointSigned(checkpoint, deps.ledgerName, deps.keys);
    yield { chainIndex, eventHash: checkpoint.head, forged };
  }
}

/** Reads the closes of days off the ledger's own chain as it is verified. */
function createCloseReader() {
  const closes: { readonly day: number; readonly closeHashes: ReadonlyMap<string, Hash> }[] = [];

  return {
    async *reading(events: AsyncIterable<LedgerEvent>) {
      for await (const event of events) {
        // What does not hold is not read any further.
        yield event;
        if (event.eventType === LEDGER_CLOSED) {
          const { success, data } = ledgerCloseSchema.safeParse(readPayload(event.payload).data);
          const hashes = success
            ? data.namespaces.map(({ namespace, closeHash }) => [namespace, closeHash] as const)
            : [];
          if (success) closes.push({ day: dayNumber(data.day), closeHashes: new Map(hashes) });
        }
      }
    },
    /** What the closes say of a namespace from a moment on. */
    expectationsOf(namespace: string, since: number) {
      const firstDay = dayNumber(dayOf(since));
      const later = closes.filter(({ day }) => day >= firstDay);
      const required = later.flatMap(({ closeHashes }) => closeHashes.get(namespace) ?? []);
      const omitted =
        namespace === LEDGER_NAMESPACE ? [] : later.filter(({ closeHashes }) => !closeHashes.has(namespace));
      return { required, omittedDays: new Set(omitted.map(({ day }) => day)) };
    },
  };
}
