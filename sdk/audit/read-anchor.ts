import { keccak_256 } from '@noble/hashes/sha3.js';
import { z } from 'zod';
import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { dayNumber } from '../../domain/audit-ledger/days.ts';
import type { Hash } from '../../domain/audit-ledger/event.ts';
import { toHash } from '../../domain/audit-ledger/merkle-tree.ts';
import { parseJson } from '../../domain/parse-json.ts';
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

/** The node gives no usable answer. Its address, which may hold a key of its provider's, is not in the message. */
export class NodeUnreachable extends Error {
  override readonly name = 'NodeUnreachable';
}

/** The node answers, and there is no anchor registry where one should be. */
export class NoRegistry extends Error {
  override readonly name = 'NoRegistry';
}

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 64 * 1024;

const replySchema = z.object({ result: z.unknown().optional(), error: z.object({ message: z.string() }).nullish() });
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
 * @throws NodeUnreachable, NoRegistry
 */
export async function readAnchor(options: {
  rpcUrl: string;
  contract: string;
  batchId: Day;
  fetch: typeof fetch;
}): Promise<ReadAnchor> {
  const { rpcUrl, contract, batchId } = options;
  const call = <T>(method: string, params: readonly unknown[], schema: z.ZodType<T>) =>
    callNode({ url: rpcUrl, fetch: options.fetch }, method, params, schema);
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
    throw new NodeUnreachable('the node gives no usable answer for the contract');
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

async function callNode<T>(
  node: { url: string; fetch: typeof fetch },
  method: string,
  params: readonly unknown[],
  schema: z.ZodType<T>,
): Promise<T> {
  const reply = replySchema.safeParse(parseJson(await post(node, { jsonrpc: '2.0', id: 1, method, params })));
  if (!reply.success) throw new NodeUnreachable(`${method}: the answer is not JSON-RPC`);
  const { result, error } = reply.data;
  if (error) throw new NodeUnreachable(`${method}: the node refuses: ${error.message.slice(0, 200)}`);
  const parsed = schema.safeParse(result);
  if (parsed.success) return parsed.data;
  throw new NodeUnreachable(`${method}: the answer has another form than expected`);
}

async function post(node: { url: string; fetch: typeof fetch }, body: object): Promise<string> {
  try {
    const response = await node.fetch(node.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return await readLimited(response);
  } catch (error) {
    // Messages of HTTP clients may repeat the address.
    const late = error instanceof Error && error.name === 'TimeoutError';
    throw new NodeUnreachable(late ? 'the node does not answer in time' : 'the node does not answer');
  }
}

async function readLimited(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > MAX_ANSWER_BYTES) return '';
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}
