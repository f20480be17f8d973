import { keccak256 } from 'ethers';
import { z } from 'zod';
import type {
  PendingAnchor,
  PendingAnchorStore,
  SignedTransaction,
  TransactionSigner,
} from '../../domain/audit-ledger/anchoring-ports.ts';
import type { Batch } from '../../domain/audit-ledger/batch.ts';
import { dayNumber } from '../../domain/audit-ledger/days.ts';
import type { Hash } from '../../domain/audit-ledger/event.ts';
import { RpcRefusal } from '../../domain/audit-ledger/json-rpc.ts';
import type { Clock } from '../../domain/clock.ts';
import type { FairleadError } from '../../domain/errors.ts';
import { any, first } from './agreeing-rpc.ts';
import { bumpFees, type Fees, suggestFees } from './fees.ts';
import { isOwnUndertaking } from './own-undertaking.ts';
import { hashSchema, quantity, REGISTRY, smallNumber } from './registry-reader.ts';
import { type Rpc, refused, unreachable } from './rpc.ts';

export interface AnchorSender {
  /** Sees to it that a transaction for the batch is on its way, whatever an earlier process left. One step a call. */
  advance(batch: Pick<Batch, 'id' | 'root'>): Promise<PendingAnchor>;
}

export interface SenderOptions {
  readonly rpc: Rpc;
  readonly contract: string;
  readonly signer: TransactionSigner;
  readonly pending: PendingAnchorStore;
  readonly now: Clock;
  readonly feeCapWei: bigint;
  /** A transaction that is not mined after this is replaced by one with a higher fee. */
  readonly replaceAfterMs: number;
}

const knownSchema = z.object({ hash: hashSchema }).nullable();

/**
 * Sends the transactions of one chain. What is sent is stored first, with its nonce: a process that dies in between
 * leaves a transaction that the next one sends as it is, and a second one of another nonce is never made while the first
 * may still come about. A nonce that something else used up is given up for a new one.
 */
export function createAnchorSender(options: SenderOptions): AnchorSender {
  const { rpc, contract, signer, pending: store, now } = options;
  // Nonces are handed out one at a time: batches of several days may be on their way at once.
  let last: Promise<unknown> = Promise.resolve();

  const transactionCount = (from: string, at: 'latest' | 'pending'): Promise<number> =>
    rpc.call('eth_getTransactionCount', [from, at], smallNumber, at === 'pending' ? first : undefined);

  async function advance({ id, root }: Pick<Batch, 'id' | 'root'>): Promise<PendingAnchor> {
    const from = await signer.address();
    const used = await transactionCount(from, 'latest');
    const call = anchorCall(id, root);
    const earlier = await store.find(id, rpc.chainId);
    const isOurs = earlier !== null && isOwnUndertaking(earlier, from) && isSameCall(earlier, call);
    if (!isOurs || earlier.nonce < used) return await begin({ batchId: id, chainId: rpc.chainId, from, ...call });
    // A nonce comes about only after those before it: what is stuck there is helped first.
    const blocker = earlier.nonce > used ? await store.findByNonce(rpc.chainId, from, used) : null;
    if (blocker !== null && isOwnUndertaking(blocker, from)) await carryOn(blocker);
    return await carryOn(earlier);
  }

  const anchorCall = (id: Batch['id'], root: Batch['root']) => {
    return { to: contract, data: REGISTRY.encodeFunctionData('anchor', [dayNumber(id), root]) };
  };

  async function begin(call: Pick<PendingAnchor, 'batchId' | 'chainId' | 'from' | 'to' | 'data'>) {
    const { from, to, data } = call;
    const estimate = await rpc.call('eth_estimateGas', [{ from, to, data }], quantity, first).catch((error) => {
      throw error instanceof RpcRefusal ? judged(error) : error;
    });
    const fees = await suggestFees(rpc, options.feeCapWei);
    const nonce = await transactionCount(from, 'pending');
    const undertaking = { ...call, nonce, gasLimit: (estimate * 6n) / 5n, transactions: [] };
    return await signAndSend(undertaking, fees);
  }

  async function carryOn(earlier: PendingAnchor): Promise<PendingAnchor> {
    const last = earlier.transactions.at(-1);
    if (last === undefined) return earlier;
    if (now().getTime() - last.signedAt.getTime() >= options.replaceAfterMs) {
      const fees = bumpFees(last, await suggestFees(rpc, options.feeCapWei), options.feeCapWei);
      if (fees !== null) return await signAndSend(earlier, fees);
    }
    const known = await rpc.call('eth_getTransactionByHash', [last.hash], knownSchema, any);
    if (known === null) await broadcast(last);
    return earlier;
  }

  async function signAndSend(undertaking: PendingAnchor, fees: Fees): Promise<PendingAnchor> {
    const { chainId, nonce, to, data, gasLimit } = undertaking;
    const raw = await signer.signTransaction({ chainId, nonce, to, data, gasLimit, ...fees });
    const transaction: SignedTransaction = { hash: keccak256(raw) as Hash, raw, ...fees, signedAt: now() };
    const next = { ...undertaking, transactions: [...undertaking.transactions, transaction] };
    await store.put(next);
    await broadcast(transaction);
    return next;
  }

  async function broadcast({ raw }: SignedTransaction): Promise<void> {
    try {
      await rpc.call('eth_sendRawTransaction', [raw], hashSchema, first);
    } catch (error) {
      if (!(error instanceof RpcRefusal)) throw error;
      // Known already, or its nonce was used in this moment: the next look at the chain tells which. What a node has
      // against it otherwise is said once it is found not to be mined.
      if (needsMoney(error)) throw judged(error);
    }
  }

  /** Only what the contract says is final: money comes, and nodes catch up. */
  function judged(error: RpcRefusal): FairleadError {
    const reason = describeRefusal(error);
    if (needsMoney(error)) return unreachable(rpc.chainId, `${reason}: anchoring waits`, false);
    // Since we looked, somebody was faster, maybe with the same root, or the clock of the chain is late: the next look tells.
    const isFinal = error.revertData !== null && !/AlreadyAnchored|NotOver/.test(reason);
    return isFinal ? refused(rpc.chainId, reason) : unreachable(rpc.chainId, reason);
  }

  return {
    advance(batch) {
      const result = last.then(() => advance(batch));
      last = result.catch(() => undefined);
      return result;
    },
  };
}

function isSameCall(one: Pick<PendingAnchor, 'to' | 'data'>, other: Pick<PendingAnchor, 'to' | 'data'>): boolean {
  return one.to === other.to && one.data === other.data;
}

/** The account has too little, or the node sends nothing that costs so much: another hour may be better. */
function needsMoney({ message }: RpcRefusal): boolean {
  return /insufficient funds|exceeds the configured cap/i.test(message);
}

function describeRefusal({ message, revertData }: RpcRefusal): string {
  const error = revertData === null ? null : REGISTRY.parseError(revertData);
  return error === null ? message : `the contract refuses with ${error.name}(${error.args.join(', ')})`;
}
