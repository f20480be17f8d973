import type { Day } from './day-close.ts';
import type { Hash } from './event.ts';

/** One UTC day's Merkle tree and where its root stands. */
export interface Batch {
  /** The day itself, as `2026-11-21`: one batch a day. On chain it is the number of days since 1970-01-01. */
  readonly id: Day;
  readonly root: Hash;
  /** Events of all namespaces, day closes included; in the order of namespace, then chain index. */
  readonly leafCount: number;
  /** Chains it was to be anchored on when it was built. */
  readonly chainIds: readonly number[];
  /** Confirmed ones; a chain that was not reached yet is missing. */
  readonly anchors: readonly Anchor[];
  readonly closedAt: Date;
}

/** Chains that the root of a batch has to stand on: those of now, and those it was built for. */
export function chainsOfBatch({ chainIds }: Pick<Batch, 'chainIds'>, configured: readonly number[]): readonly number[] {
  return [...new Set([...chainIds, ...configured])];
}

/** That a root stands in the contract of one chain. */
export interface Anchor {
  readonly chainId: number;
  readonly contract: string;
  readonly txHash: Hash;
  readonly blockNumber: number;
  readonly blockHash: Hash;
  /** When enough blocks were on top of it. */
  readonly confirmedAt: Date;
  readonly explorerUrl: string | null;
}

/** Proof that an event is in a batch (spec 3, "Audit event"). */
export interface EventProof {
  readonly eventHash: Hash;
  readonly leaf: Hash;
  /** Position among the batch's leaves in their own order. */
  readonly leafIndex: number;
  readonly proof: readonly Hash[];
  readonly root: Hash;
  readonly batchId: Day;
  readonly anchors: readonly ProofAnchor[];
}

/** Where the root of a proof can be looked up. */
export type ProofAnchor = Pick<Anchor, 'chainId' | 'contract' | 'txHash' | 'blockNumber' | 'explorerUrl'>;

/** Root of a tree without leaves, and of nothing else: keccak256 of the bytes of `fairlead.empty-day`. */
export const EMPTY_DAY_PREIMAGE = 'fairlead.empty-day';
