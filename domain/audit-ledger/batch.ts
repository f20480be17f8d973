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
  /** Batches from before they were signed have none. */
  readonly signature?: RecordSignature;
}

/**
 * The ledger's signature under what it stores of a batch. Who can write to its database can put a batch there, or say of one
 * that it stands on a chain, but cannot sign: the ledger takes nothing for its own work that it did not sign.
 */
export interface RecordSignature {
  /** Names the ledger's key. */
  readonly keyId: string;
  /** Ed25519 (RFC 8032) over canonical JSON (RFC 8785), in base64. */
  readonly signature: string;
}

/**
 * What the ledger's own signature says of a record in its database. `missing`: it is from before records were signed, or somebody
 * took the signature off; `wrong`: somebody else put the record there, or changed it.
 */
export type SignatureCheck = 'good' | 'missing' | 'wrong';

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
  /** Anchors from before they were signed have none. */
  readonly signature?: RecordSignature;
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
  /** Of the batch; proofs of before do not have it. */
  readonly signature?: SignatureCheck;
  readonly anchors: readonly ProofAnchor[];
}

/** Where the root of a proof can be looked up. */
export interface ProofAnchor extends Pick<Anchor, 'chainId' | 'contract' | 'txHash' | 'blockNumber' | 'explorerUrl'> {
  readonly signature?: SignatureCheck;
}

/** Root of a tree without leaves, and of nothing else: keccak256 of the bytes of `fairlead.empty-day`. */
export const EMPTY_DAY_PREIMAGE = 'fairlead.empty-day';
