import type { Anchor, Batch } from './batch.ts';
import type { Day } from './day-close.ts';
import type { Hash } from './event.ts';

/** One chain with the anchor contract on it. */
export interface AnchorChain {
  readonly chainId: number;
  readonly contract: string;
  /**
   * Puts the root of a batch into the contract and resolves once that is confirmed. Idempotent: a root that stands
   * already is found and not sent again, and a transaction that an earlier call left unfinished is carried on.
   * @throws CHAIN_UNREACHABLE when it did not come about this time, for whatever reason; a later call may succeed. Its
   *   details are `absent: true` and `block` when the contract was seen without a root of the batch at that block
   * @throws ANCHOR_REFUSED when it cannot come about: another root stands, or the contract does not let us
   */
  anchor(batch: Pick<Batch, 'id' | 'root'>, signal: AbortSignal): Promise<Anchor>;
  /** The root of a day that the contract has and that is in force, confirmed or not; null without one. @throws CHAIN_UNREACHABLE */
  rootOf(day: Day): Promise<Hash | null>;
}

/** A call of the contract under EIP-1559; amounts in wei. */
export interface UnsignedTransaction {
  readonly chainId: number;
  readonly nonce: number;
  readonly to: string;
  readonly data: string;
  readonly gasLimit: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** Signs with a key that it does not give away: a key from the environment, or one in a key management service. */
export interface TransactionSigner {
  address(): Promise<string>;
  /** The signed transaction as it is sent, in hex. */
  signTransaction(transaction: UnsignedTransaction): Promise<string>;
}

/** A signed transaction, kept so that it can be sent again as it is; it holds nothing secret. */
export interface SignedTransaction {
  readonly hash: Hash;
  readonly raw: string;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  readonly signedAt: Date;
}

/** What was undertaken to anchor a batch on a chain. All its transactions have one nonce, so at most one comes about. */
export interface PendingAnchor {
  readonly batchId: Day;
  readonly chainId: number;
  readonly from: string;
  readonly to: string;
  readonly data: string;
  readonly nonce: number;
  readonly gasLimit: bigint;
  /** Oldest first; each later one replaces the one before with a higher fee. */
  readonly transactions: readonly SignedTransaction[];
}

/** Pending anchors, written before anything is sent. */
export interface PendingAnchorStore {
  find(batchId: Day, chainId: number): Promise<PendingAnchor | null>;
  /** The one of a signer that uses a nonce; null when none of ours does. */
  findByNonce(chainId: number, from: string, nonce: number): Promise<PendingAnchor | null>;
  /** Puts it in the place of the one of the same batch and chain. */
  put(pending: PendingAnchor): Promise<void>;
}

/** The API's way to the anchoring workflows. */
export interface AnchorCommands {
  /** Starts the anchoring of a day, unless it is under way. @throws UNAVAILABLE */
  anchorDay(day: Day): Promise<void>;
}
