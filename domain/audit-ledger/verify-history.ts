import { type CheckpointStore, isCheckpointSigned } from './checkpoint.ts';
import { createCloseReader } from './close-reader.ts';
import { type Hash, LEDGER_NAMESPACE, type LedgerEvent } from './event.ts';
import type { EventStore } from './ports.ts';
import type { LedgerKey } from './receipt.ts';
import { type BreakReason, type ChainVerdict, type KnownHash, verifyChain } from './verify-chain.ts';

/** What is to be verified: one chain, or the history of an entity. */
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
  /** Null where nobody knows the place, and for a chain that the org has no event in. */
  readonly brokenAt: { readonly namespace: string; readonly chainIndex: number } | null;
  readonly reason: BreakReason | null;
  /** Events of the chains that the request is about, and of the ledger's own, as far as they were verified. */
  readonly count: number;
  /** Where each of the chains that the request is about ended. */
  readonly heads: readonly { readonly namespace: string; readonly chainIndex: number; readonly eventHash: Hash }[];
}

export interface HistoryDeps {
  readonly store: EventStore;
  readonly checkpoints: CheckpointStore;
  /** Name of the ledger in its checkpoints. */
  readonly ledgerName: string;
  readonly keys: readonly LedgerKey[];
}

/** Namespaces that a request is about: those in which the entity has events now. */
export async function chainsOf(request: HistoryRequest, store: EventStore): Promise<readonly string[]> {
  if (request.kind === 'namespace') return [request.namespace];
  return await store.namespacesOfEntity(request.entityId, request.orgSlug);
}

/** True when a verification reads more events than a number. */
export async function readsMoreThan(most: number, request: HistoryRequest, store: EventStore): Promise<boolean> {
  const own = request.kind === 'namespace' ? [request.namespace] : await store.namespaces();
  let sum = 0;
  for (const namespace of new Set([...own, LEDGER_NAMESPACE])) {
    sum += ((await store.head(namespace))?.chainIndex ?? -1) + 1;
    if (sum > most) return true;
  }
  return false;
}

/**
 * Verifies chains against themselves, their signed checkpoints and the ledger's closes of days, whose own chain is verified
 * first. An event is only as sound as the whole chain that it is part of, and any chain may have had events of an entity
 * that are all gone now: so the history of an entity holds when every chain of the ledger does, those with events of it
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
  const tally = createTally(progress);
  const written = await readChain(LEDGER_NAMESPACE, deps);
  const ledger = await verifyChain(closes.reading(written.events), { known: written.known, look: tally.look });
  if (!ledger.valid) return broken({ namespace: LEDGER_NAMESPACE, ...ledger }, tally.count());
  const heads: HistoryVerdict['heads'][number][] = [];
  let missing = request.expectedHead;
  for (const namespace of namespaces) {
    const wanted = missing;
    const verdict = await verifyAgainst(closes, namespace, deps, (event) => {
      tally.look();
      if (event.eventHash === wanted) missing = null;
    });
    if (!verdict.valid) return broken({ namespace, ...verdict }, tally.count());
    if (verdict.head !== null) heads.push({ namespace, ...verdict.head });
  }
  const count = tally.count();
  const fault = request.kind === 'entity' ? await faultElsewhere(request, namespaces, closes, deps, tally.look) : null;
  if (fault !== null) return broken(fault, count);
  if (missing === null) return { valid: true, brokenAt: null, reason: null, count, heads };
  return { valid: false, brokenAt: endOf(namespaces, heads), reason: 'truncated', count, heads };
}

type Closes = ReturnType<typeof createCloseReader>;

async function verifyAgainst(
  closes: Closes,
  namespace: string,
  deps: HistoryDeps,
  look: (event: LedgerEvent) => void,
): Promise<ChainVerdict> {
  const { events, known } = await readChain(namespace, deps);
  return await verifyChain(events, { known, look, ...closes.expectationsOf(namespace) });
}

/** The first fault in the chains without events of the entity; without its place for an org that has no event there. */
async function faultElsewhere(
  { orgSlug }: { readonly orgSlug: string | null },
  verified: readonly string[],
  closes: Closes,
  deps: HistoryDeps,
  look: () => void,
): Promise<Fault | null> {
  const others = new Set([...closes.namespaces(), ...(await deps.store.namespaces())]);
  for (const namespace of [LEDGER_NAMESPACE, ...verified]) others.delete(namespace);
  for (const namespace of others) {
    const { valid, brokenAt, reason } = await verifyAgainst(closes, namespace, deps, look);
    if (valid) continue;
    if (orgSlug === null) return { namespace, brokenAt, reason };
    const { items } = await deps.store.list({ orgSlug, namespace }, { cursor: null, limit: 1 });
    return { namespace, brokenAt: items.length === 0 ? null : brokenAt, reason };
  }
  return null;
}

function createTally(progress: (count: number) => void) {
  let count = 0;
  return {
    count: () => count,
    look(): void {
      count += 1;
      if (count % PROGRESS_EVERY === 0) progress(count);
    },
  };
}

interface Fault extends Pick<ChainVerdict, 'brokenAt' | 'reason'> {
  readonly namespace: string;
}

function broken({ namespace, brokenAt, reason }: Fault, count: number): HistoryVerdict {
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
    events: deps.store.pages(namespace, 0, head?.chainIndex ?? -1),
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
