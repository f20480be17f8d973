import type { Page, PageRequest } from '../page.ts';
import type { Anchor, Batch } from './batch.ts';
import type { Day } from './day-close.ts';
import type { ChainHead, EventDraft, Hash, LedgerEvent } from './event.ts';
import type { MerkleTree } from './merkle-tree.ts';

export interface EventFilter {
  /** Null for platform admins, who read all. */
  readonly orgSlug: string | null;
  readonly namespace?: string;
  readonly entityId?: string;
  readonly eventType?: string;
  /** Inclusive. */
  readonly from?: Date;
  /** Exclusive. */
  readonly to?: Date;
}

/** The chains. A unique index on namespace and chain index makes a fork impossible, whoever writes. */
export interface EventStore {
  /**
   * The last event, or one before it, that no failover of the database takes back: what is chained to it leaves no gap.
   * @param taken an index known to be taken: the search goes on from there instead of from scratch
   * @throws UNAVAILABLE (retryable) while the database fails over
   */
  head(namespace: string, taken?: number): Promise<ChainHead | null>;
  /**
   * Appends consecutive events of one namespace and returns how many of them, from the first on, are now durable. Fewer
   * than given means that another writer took the next index: read the head anew and chain the rest to it.
   */
  append(events: readonly LedgerEvent[]): Promise<number>;
  find(id: string): Promise<LedgerEvent | null>;
  /** As durable as what was appended: a repetition is acknowledged with it. @throws UNAVAILABLE (retryable) */
  findByIdempotencyKey(namespace: string, emitter: string, key: string): Promise<LedgerEvent | null>;
  /** Newest first. */
  list(filter: EventFilter, page: PageRequest): Promise<Page<LedgerEvent>>;
  /** The chain from an index on, up to another one or to its end, in order, in bounded memory. */
  stream(namespace: string, fromIndex: number, toIndex?: number): AsyncIterable<LedgerEvent>;
  /** The same in pages, none of them empty: who reads many events waits for each page alone. */
  pages(namespace: string, fromIndex: number, toIndex?: number): AsyncIterable<readonly LedgerEvent[]>;
  /** Namespaces with events of an entity and, unless it is null, of that org; ordered by name. */
  namespacesOfEntity(entityId: string, orgSlug: string | null): Promise<readonly string[]>;
  /** Events of a namespace created in `[from, to)`, in the order of the chain. */
  streamBetween(namespace: string, from: Date, to: Date): AsyncIterable<LedgerEvent>;
  /** Makes a namespace known before its first event, to whoever closes a day meanwhile. Idempotent. */
  announce(namespace: string): Promise<void>;
  /** Those with events and those announced, ordered by name. */
  namespaces(): Promise<readonly string[]>;
}

/** Writes events: many at once share one write of the database (group commit). */
export interface EventWriter {
  /**
   * Resolves when the event is durable. Repeats under an idempotency key resolve to the first one's event.
   * @param meanwhile may be called while an event is written, to prepare what is said once it is durable. That is this very
   *   event only if it is the one resolved to: another may have taken its place in the chain
   * @throws IDEMPOTENCY_KEY_REUSED, UNAVAILABLE
   */
  emit(draft: EventDraft, meanwhile?: (event: LedgerEvent) => void): Promise<LedgerEvent>;
}

/**
 * Leases on writing to a namespace, for processes that write to the same one. They save work only, correctness does not
 * depend on them: a holder may write longer than its lease, and a lease expires a second after it was acquired.
 */
export interface NamespaceLeases {
  /** The head that the last holder left, if it is known; undefined while another process holds the lease. */
  acquire(namespace: string): Promise<ChainHead | null | undefined>;
  /** Frees the lease and keeps the head that the holder wrote last, if it is known. */
  release(namespace: string, head: ChainHead | null): Promise<void>;
  /** True while a process holds the lease. */
  isHeld(namespace: string): Promise<boolean>;
}

export interface BatchStore {
  /**
   * Keeps a batch with its leaves and its tree, once; false when the day has one already, which stays as it is. It is
   * there whole or not at all, whenever the writer dies.
   * @param content null for a day without leaves
   */
  insert(batch: Omit<Batch, 'anchors'>, content: BatchContent | null): Promise<boolean>;
  find(id: Day): Promise<Batch | null>;
  /**
   * Puts a batch in the place of one that was found, anchors and all, unless that record has changed since: for one of
   * somebody else. Whenever the writer dies, the day has the one or the other.
   */
  replace(found: Batch, batch: Omit<Batch, 'anchors'>, content: BatchContent | null): Promise<void>;
  latestBefore(day: Day): Promise<Batch | null>;
  /** Days in `[from, to]`, oldest first. */
  list(from: Day, to: Day, page: PageRequest): Promise<Page<Batch>>;
  /** Puts an anchor in the place of the one on the same chain, if there is one. */
  putAnchor(id: Day, anchor: Anchor): Promise<void>;
  /** Takes the anchor on a chain off, if there is one: the chain does not have it any more. */
  dropAnchor(id: Day, chainId: number): Promise<void>;
  /** The batch of a day and where in it an event is; null when there is no batch, or it does not hold the event. */
  locate(id: Day, namespace: string, chainIndex: number): Promise<LeafPlace | null>;
  /** In order; none for an unknown batch. */
  leaves(id: Day): AsyncIterable<BatchLeaf>;
  /** What the leaf list of the day has, in its order, in bounded memory; none for an unknown batch. */
  listed(id: Day): AsyncIterable<Hash>;
  /** Nodes of the tree that a proof of that leaf needs, without reading the whole day. @throws BATCH_NOT_FOUND */
  proof(id: Day, leafIndex: number): Promise<readonly Hash[]>;
}

/** Where a leaf is. */
export interface LeafPlace {
  readonly batch: Batch;
  readonly leafIndex: number;
}

export interface BatchLeaf {
  readonly leafIndex: number;
  readonly eventId: string;
  readonly namespace: string;
  readonly chainIndex: number;
  readonly orgSlug: string;
  readonly eventHash: Hash;
}

/** What a batch is made of, as it is built: a full day has close to a million leaves. */
export interface BatchContent {
  readonly segments: readonly BatchSegment[];
  /** 32 bytes for each leaf. */
  readonly eventHashes: Uint8Array;
  readonly eventIds: readonly string[];
  readonly orgSlugs: readonly string[];
  readonly tree: MerkleTree;
}

/** Events of a namespace that follow each other in the chain and in the batch. */
export interface BatchSegment {
  readonly namespace: string;
  readonly firstChainIndex: number;
  readonly firstLeafIndex: number;
  readonly count: number;
}
