import { Interface } from 'ethers';
import { z } from 'zod';
import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { dayNumber } from '../../domain/audit-ledger/days.ts';
import type { Hash } from '../../domain/audit-ledger/event.ts';
import { RpcRefusal } from '../../domain/audit-ledger/json-rpc.ts';
import type { Clock } from '../../domain/clock.ts';
import { all, lowest, lowestOrNull } from './agreeing-rpc.ts';
import { REGISTRY_ABI } from './registry-abi.ts';
import { type Rpc, refused, unreachable } from './rpc.ts';

/** What the contract holds for a batch. */
export interface StandingAnchor {
  readonly root: Hash;
  /** As the chain's own `block.number` had it; on some rollups that is the number of another chain's block. */
  readonly blockNumber: number;
  /** True when the owner took the batch out of force: proofs against it do not verify any more. */
  readonly invalidated: boolean;
}

/** Where a transaction was mined. */
export interface Mined {
  readonly txHash: Hash;
  readonly blockNumber: number;
  readonly blockHash: Hash;
  readonly succeeded: boolean;
}

export interface RegistryReader {
  /** Makes sure of the chain and of the contract. @throws CHAIN_UNREACHABLE for another chain, or without a contract */
  check(): Promise<void>;
  /** Number of the newest block that all nodes have. @throws CHAIN_UNREACHABLE when it is before what was seen earlier */
  head(): Promise<number>;
  /** Number of the newest block that the chain itself calls final; null when its nodes know none. */
  finalized(): Promise<number | null>;
  /** What the contract held at the end of a block. */
  standing(batch: Day, block: number): Promise<StandingAnchor | null>;
  receipt(txHash: Hash): Promise<Mined | null>;
  /** The transaction that anchored a batch, from the contract's events. */
  findAnchoring(batch: Day, standing: StandingAnchor, head: number): Promise<Mined | null>;
  /** True while the block is the one of its number on the chain. */
  isCanonical(mined: Pick<Mined, 'blockNumber' | 'blockHash'>): Promise<boolean>;
}

export const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform((text) => BigInt(text));
export const smallNumber = quantity.pipe(z.bigint().max(BigInt(Number.MAX_SAFE_INTEGER))).transform(Number);
export const hashSchema = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/i)
  .transform((text) => text.toLowerCase() as Hash);
export const hexSchema = z.string().regex(/^0x([0-9a-f]{2})*$/i);

const receiptSchema = z
  .object({ transactionHash: hashSchema, blockNumber: smallNumber, blockHash: hashSchema, status: smallNumber })
  .nullable();
const blockSchema = z.object({ hash: hashSchema }).nullable();
const numberedSchema = z
  .object({ number: smallNumber })
  .nullable()
  .transform((block) => block?.number ?? null);
const logsSchema = z.array(z.object({ transactionHash: hashSchema, blockNumber: smallNumber, blockHash: hashSchema }));

/** How long a node may not answer with an older head than was seen; after that the chain itself went back. */
const LAG_MS = 10 * 60_000;
/** Blocks that every provider searches at once, and how many times. */
const SEARCH_BLOCKS = 1_000;
const SEARCHES = 20;

export const REGISTRY = new Interface(REGISTRY_ABI);

/** Reads the contract of one chain. Remembers the highest block, so that a node that lags is not believed. */
export function createRegistryReader(deps: { rpc: Rpc; contract: string; now: Clock }): RegistryReader {
  const { rpc, contract, now } = deps;
  const { chainId } = rpc;
  let highest = { block: 0, at: 0 };

  async function logs(batch: Day, root: Hash, fromBlock: number, toBlock: number): Promise<Mined | null> {
    const topics = REGISTRY.encodeFilterTopics('Anchored', [dayNumber(batch), root]);
    const range = { fromBlock: toQuantity(fromBlock), toBlock: toQuantity(toBlock) };
    const [log] = await rpc.call('eth_getLogs', [{ address: contract, topics, ...range }], logsSchema);
    if (log === undefined) return null;
    return { txHash: log.transactionHash, blockNumber: log.blockNumber, blockHash: log.blockHash, succeeded: true };
  }

  return {
    async check() {
      const answered = await rpc.call('eth_chainId', [], smallNumber);
      if (answered !== chainId) throw unreachable(chainId, `the node is one of chain ${answered}`, false);
      const code = await rpc.call('eth_getCode', [contract, 'latest'], hexSchema);
      // A node that is not up to date has none either.
      if (code === '0x') throw unreachable(chainId, `the node knows no contract at ${contract}`, false);
    },
    async head() {
      const block = await rpc.call('eth_blockNumber', [], smallNumber, lowest);
      const time = now().getTime();
      if (block < highest.block && time - highest.at < LAG_MS) {
        throw unreachable(chainId, `the node is at block ${block}, and ${highest.block} was seen before`);
      }
      highest = { block, at: time };
      return block;
    },
    async finalized() {
      try {
        return await rpc.call('eth_getBlockByNumber', ['finalized', false], numberedSchema, lowestOrNull);
      } catch (error) {
        // Not every chain has such blocks.
        if (error instanceof RpcRefusal) return null;
        throw error;
      }
    },
    async standing(batch, block) {
      const data = REGISTRY.encodeFunctionData('anchors', [dayNumber(batch)]);
      const answer = await rpc.call('eth_call', [{ to: contract, data }, toQuantity(block)], hexSchema);
      if (answer === '0x') throw unreachable(chainId, 'the node gives an empty answer for the contract');
      const [root, , blockNumber, invalidated] = decodeAnchor(chainId, contract, answer);
      return /^0x0+$/.test(root) ? null : { root, blockNumber: Number(blockNumber), invalidated };
    },
    async receipt(txHash) {
      const receipt = await rpc.call('eth_getTransactionReceipt', [txHash], receiptSchema, all);
      if (receipt === null) return null;
      const { blockNumber, blockHash, status } = receipt;
      return { txHash, blockNumber, blockHash, succeeded: status === 1 };
    },
    async findAnchoring(batch, standing, head) {
      if (standing.blockNumber <= head) {
        const found = await logs(batch, standing.root, standing.blockNumber, standing.blockNumber);
        if (found !== null) return found;
      }
      for (let search = 0, to = head; search < SEARCHES && to >= 0; search += 1, to -= SEARCH_BLOCKS) {
        const found = await logs(batch, standing.root, Math.max(0, to - SEARCH_BLOCKS + 1), to);
        if (found !== null) return found;
      }
      return null;
    },
    async isCanonical({ blockNumber, blockHash }) {
      const block = await rpc.call('eth_getBlockByNumber', [toQuantity(blockNumber), false], blockSchema, all);
      return block?.hash === blockHash;
    },
  };
}

export function toQuantity(value: number | bigint): string {
  return `0x${value.toString(16)}`;
}

function decodeAnchor(chainId: number, contract: string, answer: string): [Hash, bigint, bigint, boolean] {
  try {
    const [root, anchoredAt, blockNumber, invalidated] = REGISTRY.decodeFunctionResult('anchors', answer);
    return [root, anchoredAt, blockNumber, invalidated];
  } catch {
    throw refused(chainId, `the contract at ${contract} is not an anchor registry`);
  }
}
