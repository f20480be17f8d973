import { setTimeout as delay } from 'node:timers/promises';
import type { AnchorChain, PendingAnchorStore, TransactionSigner } from '../../domain/audit-ledger/anchoring-ports.ts';
import type { Anchor, Batch } from '../../domain/audit-ledger/batch.ts';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { createAnchorSender } from './anchor-sender.ts';
import { createRegistryReader, type Mined } from './registry-reader.ts';
import { createRpc, RpcRefusal, refused, unreachable } from './rpc.ts';

export interface ChainSettings {
  readonly chainId: number;
  readonly rpcUrl: string;
  readonly contract: string;
  /** Blocks from the one with the anchor to the newest, both counted, before it is believed. */
  readonly confirmations: number;
  /** Base of links, such as `https://etherscan.io`; null without. */
  readonly explorerUrl: string | null;
}

export interface AnchorChainDeps {
  readonly signer: TransactionSigner;
  readonly pending: PendingAnchorStore;
  readonly now: Clock;
  readonly feeCapWei: bigint;
  /** Shortened in tests. */
  readonly timing?: Partial<Timing>;
}

interface Timing {
  readonly pollMs: number;
  readonly replaceAfterMs: number;
  /** How long one call of `anchor` goes on. */
  readonly attemptMs: number;
  readonly rpcTimeoutMs: number;
}

const TIMING: Timing = { pollMs: 3_000, replaceAfterMs: 180_000, attemptMs: 600_000, rpcTimeoutMs: 15_000 };
/** Passing faults of a node in a row before the attempt is given up. */
const PATIENCE = 5;

/** The contract on one chain, anchored through its node. Nothing is asked of the node before the first call. */
export function createAnchorChain(settings: ChainSettings, deps: AnchorChainDeps): AnchorChain {
  const { chainId, contract } = settings;
  const timing = { ...TIMING, ...deps.timing };
  const rpc = createRpc({ chainId, url: settings.rpcUrl, timeoutMs: timing.rpcTimeoutMs });
  const reader = createRegistryReader({ rpc, contract, now: deps.now });
  const sender = createAnchorSender({ ...deps, rpc, contract, replaceAfterMs: timing.replaceAfterMs });

  /** One look at the chain, and the one thing that it asks for. Null until the anchor is confirmed. */
  async function step(batch: Pick<Batch, 'id' | 'root'>): Promise<Mined | null> {
    const head = await reader.head();
    const standing = await reader.standing(batch.id);
    if (standing === null) {
      await sender.advance(batch);
      return null;
    }
    if (standing.root !== batch.root) {
      throw refused(chainId, `for ${batch.id} the root ${standing.root} stands, and ours is ${batch.root}`);
    }
    if (standing.invalidated)
      throw refused(chainId, `the batch of ${batch.id} was invalidated by the contract's owner`);
    const mined = (await ownReceipt(batch)) ?? (await reader.findAnchoring(batch.id, standing, head));
    if (mined === null || head - mined.blockNumber + 1 < settings.confirmations) return null;
    // The block may have left the chain, and the transaction be in another: then the next look finds it there.
    return (await reader.isCanonical(mined)) ? mined : null;
  }

  async function ownReceipt({ id }: Pick<Batch, 'id'>): Promise<Mined | null> {
    const pending = await deps.pending.find(id, chainId);
    for (const { hash } of pending?.transactions ?? []) {
      const mined = await reader.receipt(hash);
      if (mined?.succeeded === true) return mined;
    }
    return null;
  }

  /** The first question decides whether there is a chain to work with at all. */
  async function checked(): Promise<void> {
    await reader.check().catch((error: unknown) => {
      throw error instanceof RpcRefusal ? unreachable(chainId, `the node refuses: ${error.message}`) : error;
    });
  }

  return {
    chainId,
    async anchor(batch, signal) {
      const deadline = performance.now() + timing.attemptMs;
      await checked();
      for (let faults = 0; performance.now() < deadline; ) {
        signal.throwIfAborted();
        try {
          const mined = await step(batch);
          if (mined !== null) return toAnchor(settings, mined, deps.now());
          faults = 0;
        } catch (error) {
          faults += 1;
          const fault =
            error instanceof RpcRefusal ? unreachable(chainId, `the node refuses: ${error.message}`) : error;
          if (!isPassing(fault) || faults > PATIENCE) throw fault;
        }
        await delay(timing.pollMs, undefined, { signal });
      }
      throw unreachable(chainId, `the anchor of ${batch.id} was not confirmed in time`, false);
    },
  };
}

function isPassing(error: unknown): boolean {
  return error instanceof FairleadError && error.retryable;
}

function toAnchor({ chainId, contract, explorerUrl }: ChainSettings, mined: Mined, confirmedAt: Date): Anchor {
  const { txHash, blockNumber, blockHash } = mined;
  const link = explorerUrl === null ? null : `${explorerUrl.replace(/\/+$/, '')}/tx/${txHash}`;
  return { chainId, contract, txHash, blockNumber, blockHash, confirmedAt, explorerUrl: link };
}
