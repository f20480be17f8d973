import { setTimeout as delay } from 'node:timers/promises';
import type { AnchorChain, PendingAnchorStore, TransactionSigner } from '../../domain/audit-ledger/anchoring-ports.ts';
import type { Anchor, Batch } from '../../domain/audit-ledger/batch.ts';
import { RpcRefusal } from '../../domain/audit-ledger/json-rpc.ts';
import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import { createAgreeingRpc } from './agreeing-rpc.ts';
import { createAnchorSender } from './anchor-sender.ts';
import { isOwnUndertaking } from './own-undertaking.ts';
import { createRegistryReader, type Mined } from './registry-reader.ts';
import { createRpc, refused, unreachable } from './rpc.ts';

export interface ChainSettings {
  readonly chainId: number;
  /** Nodes, best of several providers: they must agree. */
  readonly rpcUrls: readonly string[];
  readonly contract: string;
  /** When an anchor is believed: once its block is final as the chain says, or after some confirmations. */
  readonly finality: 'finalized' | 'confirmations';
  /** Blocks from the one with the anchor to the newest, both counted; also where the chain knows no final blocks. */
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

/** What one look at the chain finds: the anchor once it is confirmed. */
type Look = Mined | NotYet;
/** `absentAt`: the block at which the contract had no root. */
type NotYet = { readonly absentAt: number | null };

const UNCONFIRMED: NotYet = { absentAt: null };

/** The contract on one chain, anchored through its nodes. Nothing is asked of them before the first call. */
export function createAnchorChain(settings: ChainSettings, deps: AnchorChainDeps): AnchorChain {
  const { chainId, contract } = settings;
  const timing = { ...TIMING, ...deps.timing };
  const nodes = settings.rpcUrls.map((url) => createRpc({ chainId, url, timeoutMs: timing.rpcTimeoutMs }));
  const rpc = createAgreeingRpc(chainId, nodes);
  const reader = createRegistryReader({ rpc, contract, now: deps.now });
  const sender = createAnchorSender({ ...deps, rpc, contract, replaceAfterMs: timing.replaceAfterMs });

  /** One look at the chain, and the one thing that it asks for. */
  async function step(batch: Pick<Batch, 'id' | 'root'>): Promise<Look> {
    const head = await reader.head();
    const standing = await reader.standing(batch.id, head);
    // What the owner took out of force is followed by ours, but for our own: then the batch itself is in doubt.
    if (standing === null || (standing.invalidated && standing.root !== batch.root)) {
      await sender.advance(batch);
      return { absentAt: head };
    }
    if (standing.root !== batch.root) {
      throw refused(chainId, `for ${batch.id} the root ${standing.root} stands, and ours is ${batch.root}`);
    }
    if (standing.invalidated)
      throw refused(chainId, `the batch of ${batch.id} was invalidated by the contract's owner`);
    const mined = (await ownReceipt(batch)) ?? (await reader.findAnchoring(batch.id, standing, head));
    if (mined === null || !(await isFinal(mined, head))) return UNCONFIRMED;
    // The block may have left the chain, and the transaction be in another: then the next look finds it there.
    return (await reader.isCanonical(mined)) ? mined : UNCONFIRMED;
  }

  async function isFinal({ blockNumber }: Mined, head: number): Promise<boolean> {
    const finalized = settings.finality === 'finalized' ? await reader.finalized() : null;
    return finalized === null ? head - blockNumber + 1 >= settings.confirmations : blockNumber <= finalized;
  }

  async function ownReceipt({ id }: Pick<Batch, 'id'>): Promise<Mined | null> {
    const pending = await deps.pending.find(id, chainId);
    if (pending === null || !isOwnUndertaking(pending, await deps.signer.address())) return null;
    for (const { hash } of pending.transactions) {
      const mined = await reader.receipt(hash);
      if (mined?.succeeded === true) return mined;
    }
    return null;
  }

  function faultOf(error: unknown): FairleadError {
    if (error instanceof RpcRefusal) return unreachable(chainId, `the node refuses: ${error.message}`);
    if (error instanceof FairleadError) return error;
    throw error;
  }

  function notYet(id: Batch['id'], { absentAt }: NotYet): FairleadError {
    const state = absentAt !== null ? 'mined' : settings.finality === 'finalized' ? 'final' : 'confirmed';
    const more = absentAt === null ? {} : { absent: true, block: absentAt };
    return unreachable(chainId, `the anchor of ${id} is not ${state} yet`, false, more);
  }

  /** The first question decides whether there is a chain to work with at all. */
  async function checked(): Promise<void> {
    await reader.check().catch((error: unknown) => {
      throw faultOf(error);
    });
  }

  return {
    chainId,
    contract,
    async anchor(batch, signal) {
      const deadline = performance.now() + timing.attemptMs;
      await checked();
      let seen: NotYet = UNCONFIRMED;
      for (let faults = 0; performance.now() < deadline; ) {
        signal.throwIfAborted();
        const look = await step(batch).catch(faultOf);
        if (look instanceof FairleadError) {
          faults += 1;
          if (!look.retryable || faults > PATIENCE) throw look;
        } else if ('txHash' in look) {
          return toAnchor(settings, look, deps.now());
        } else {
          faults = 0;
          seen = look;
        }
        await delay(timing.pollMs, undefined, { signal });
      }
      throw notYet(batch.id, seen);
    },
    async rootOf(day) {
      await checked();
      try {
        const standing = await reader.standing(day, await reader.head());
        return standing === null || standing.invalidated ? null : standing.root;
      } catch (error) {
        throw faultOf(error);
      }
    },
  };
}

function toAnchor({ chainId, contract, explorerUrl }: ChainSettings, mined: Mined, confirmedAt: Date): Anchor {
  const { txHash, blockNumber, blockHash } = mined;
  const link = explorerUrl === null ? null : `${explorerUrl.replace(/\/+$/, '')}/tx/${txHash}`;
  return { chainId, contract, txHash, blockNumber, blockHash, confirmedAt, explorerUrl: link };
}
