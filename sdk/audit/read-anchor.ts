import { keccak_256 } from '@noble/hashes/sha3.js';
import { z } from 'zod';
import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { dayNumber } from '../../domain/audit-ledger/days.ts';
import type { Hash } from '../../domain/audit-ledger/event.ts';
import { callNode, NodeSilence, RpcRefusal } from '../../domain/audit-ledger/json-rpc.ts';
import { toHash } from '../../domain/audit-ledger/merkle-tree.ts';
import { REGISTRY_CODES } from './registry-code.ts';

/** What the anchor contract of one chain holds for a day, as one node tells it. */
export interface ReadAnchor {
  readonly chainId: number;
  /** keccak256 of the contract's code on the chain. */
  readonly codeHash: Hash;
  /** Null when nothing was anchored for the day. */
  readonly root: Hash | null;
  /** Time of the block it was anchored in. */
  readonly anchoredAt: Date;
  readonly blockNumber: number;
  readonly invalidated: boolean;
  /** Roots of the day that the owner invalidated before this one. */
  readonly revision: number;
}

/** The node answers, and there is no anchor registry where one should be. */
export class NoRegistry extends Error {
  override readonly name = 'NoRegistry';
}

const quantity = z.string().regex(/^0x[0-9a-f]{1,13}$/i);
const code = z.string().regex(/^0x[0-9a-f]*$/i);
const oneWord = z.string().regex(/^0x[0-9a-f]{64}$/i);
/** Four words: root, anchoredAt, blockNumber, invalidated. */
const anchorWords = z.string().regex(/^0x[0-9a-f]{256}$/i);

const selectorOf = (signature: string): string =>
  Buffer.from(keccak_256(new TextEncoder().encode(signature)).subarray(0, 4)).toString('hex');
const SELECTORS = { anchors: selectorOf('anchors(uint256)'), revisions: selectorOf('revisions(uint256)') };

/**
 * Reads `anchors(batchId)` of the contract by plain JSON-RPC: a verifier needs no more of Ethereum than that.
 * @throws NodeSilence, NoRegistry
 */
export async function readAnchor(options: {
  rpcUrl: string;
  contract: string;
  batchId: Day;
  fetch: typeof fetch;
}): Promise<ReadAnchor> {
  const { rpcUrl, contract, batchId } = options;
  const call = <T>(method: string, params: readonly unknown[], schema: z.ZodType<T>) =>
    callNode({ url: rpcUrl, fetch: options.fetch }, method, params, schema).catch((error: unknown) => {
      throw error instanceof RpcRefusal ? new NodeSilence(`${method}: the node refuses: ${error.message}`) : error;
    });
  const chainId = Number(await call('eth_chainId', [], quantity));
  const contractCode = await call('eth_getCode', [contract, 'latest'], code);
  if (contractCode === '0x') throw new NoRegistry(`chain ${chainId} has no contract at ${contract}`);
  const ask = (method: keyof typeof SELECTORS): Promise<string> => {
    const data = `0x${SELECTORS[method]}${dayNumber(batchId).toString(16).padStart(64, '0')}`;
    return call('eth_call', [{ to: contract, data }, 'latest'], code);
  };
  const answer = await ask('anchors');
  if (!anchorWords.safeParse(answer).success) {
    throw new NoRegistry(`the contract at ${contract} on chain ${chainId} is not an anchor registry`);
  }
  const readRevision = async (): Promise<number> => {
    const revisions = oneWord.safeParse(await ask('revisions'));
    if (revisions.success) return Number(BigInt(revisions.data));
    throw new NodeSilence('the node gives no usable answer for the contract');
  };
  const codeHash = toHash(keccak_256(Buffer.from(contractCode.slice(2), 'hex')));
  const revision = REGISTRY_CODES.get(codeHash)?.hasRevisions ? await readRevision() : 0;
  const word = (index: number): string => answer.slice(2 + 64 * index, 66 + 64 * index).toLowerCase();
  return {
    chainId,
    codeHash,
    root: /^0+$/.test(word(0)) ? null : `0x${word(0)}`,
    anchoredAt: new Date(Number(BigInt(`0x${word(1)}`)) * 1000),
    blockNumber: Number(BigInt(`0x${word(2)}`)),
    invalidated: !/^0+$/.test(word(3)),
    revision,
  };
}
