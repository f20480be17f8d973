import { readPayload } from './canonical.ts';
import { type CheckpointStore, isCheckpointSigned } from './checkpoint.ts';
import { LEDGER_CLOSED } from './day-close.ts';
import { dayNumber } from './days.ts';
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
 * Namespaces of the chains that a request is about. An entity's history is its events and, as each is only as sound as
 * what it is chained into, the whole chains of their namespaces: one that began at the entity's first event would not
 * show that an earlier one was deleted.
 */
export async function chainsOf(request: HistoryRequest, store: EventStore): Promise<readonly string[]> {
  if (request.kind === 'namespace') return [request.namespace];
  return await store.namespacesOfEntity(request.entityId, request.orgSlug);
}

/** Events that verifying the chains reads, at most. */
export async function costOf(namespaces: readonly string[], store: EventStore): Promise<number> {
  const heads = await Promise.all(namespaces.map((namespace) => store.head(namespace)));
  return heads.reduce((sum, head) => sum + (head === null ? 0 : head.chainIndex + 1), 0);
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
  const namespaces = await chainsOf(request, deps.store);
  const closes = createCloseReader();
  let count = 0;
  const tally = (): void => {
    count += 1;
    if (count % PROGRESS_EVERY === 0) progress(count);
  };
  const written = await readChain(LEDGER_NAMESPACE, deps);
  const ledger = await verifyChain(closes.reading(written.events), { known: written.known, look: tally });
  if (!ledger.valid) return broken(LEDGER_NAMESPACE, ledger, count);
  const heads: HistoryVerdict['heads'][number][] = [];
  let missing = request.expectedHead;
  for (const namespace of namespaces) {
    const wanted = missing;
    let seen = false;
    const { events, known } = await readChain(namespace, deps);
    const verdict = await verifyChain(events, {
      known,
      look({ eventHash }) {
        tally();
        if (eventHash === wanted) seen = true;
      },
      ...closes.expectationsOf(namespace),
    });
    if (!verdict.valid) return broken(namespace, verdict, count);
    if (verdict.head !== null) heads.push({ namespace, ...verdict.head });
    if (seen) missing = null;
  }
  if (missing === null) return { valid: true, brokenAt: null, reason: null, count, heads };
  return { valid: false, brokenAt: endOf(namespaces, heads), reason: 'truncated', count, heads };
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
function endOf(namespaces: readonly string[], heads: HistoryVerdict['heads']): HistoryVerdict['brokenAt'] {
  const [namespace, ...others] = namespaces;
  if (namespace === undefined || others.length > 0) return null;
  return { namespace, chainIndex: (heads[0]?.chainIndex ?? -1) + 1 };
}

const PROGRESS_EVERY = 1_000;

/**
 * A chain as it stands now, and its checkpoints of up to now. Services go on writing while it is read: a scan need not
 * show what is written behind its back in order, and a checkpoint of then may be beyond the end that was read.
 */
async function readChain(namespace: string, deps: HistoryDeps) {
  const [newest] = await deps.checkpoints.newest(namespace, 1);
  const head = await deps.store.head(namespace);
  return {
    events: deps.store.stream(namespace, 0, head?.chainIndex ?? -1),
    known: newest === undefined ? [] : checkpointsOf(namespace, newest.time, deps),
  };
}

async function* checkpointsOf(namespace: string, until: Date, deps: HistoryDeps): AsyncIterable<KnownHash> {
  for await (const checkpoint of deps.checkpoints.stream(namespace)) {
    if (checkpoint.time > until) continue;
    const forged = !isCheckpointSigned(checkpoint, deps.ledgerName, deps.keys);
    yield { chainIndex: checkpoint.size - 1, eventHash: checkpoint.head, forged };
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
    /** What the closes say of a namespace. */
    expectationsOf(namespace: string) {
      const required = closes.flatMap(({ closeHashes }) => closeHashes.get(namespace) ?? []);
      const omitted =
        namespace === LEDGER_NAMESPACE ? [] : closes.filter(({ closeHashes }) => !closeHashes.has(namespace));
      return { required, omittedDays: new Set(omitted.map(({ day }) => day)) };
    },
  };
}
