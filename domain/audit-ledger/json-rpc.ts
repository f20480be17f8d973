import { z } from 'zod';
import { parseJson } from '../parse-json.ts';

/** A chain's node by its address, and the client that asks it. */
export interface JsonRpcNode {
  /** May hold a key of its provider's: it is in no error. */
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly timeoutMs?: number;
}

/** The node gives no usable answer. Errors of the HTTP client, which may repeat the address, are not passed on. */
export class NodeSilence extends Error {
  override readonly name = 'NodeSilence';
}

/** The node understood and said no: a call that reverts, a nonce that was used, a fee that is too low. */
export class RpcRefusal extends Error {
  override readonly name = 'RpcRefusal';
  /** What a contract reverted with, in hex. */
  readonly revertData: string | null;

  constructor(message: string, revertData: string | null) {
    super(message);
    this.revertData = revertData;
  }
}

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 4 * 1024 ** 2;
const TOO_MANY_REQUESTS = 429;
const FIRST_SERVER_ERROR = 500;

const replySchema = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string(), data: z.unknown().optional() }).nullish(),
});

/**
 * Asks a node by JSON-RPC 2.0 over HTTP: the one client of it, of the ledger and of those who verify its proofs. Follows no
 * redirect. @throws NodeSilence without a usable answer, RpcRefusal when the node says no
 */
export async function callNode<T>(
  node: JsonRpcNode,
  method: string,
  params: readonly unknown[],
  schema: z.ZodType<T>,
): Promise<T> {
  const text = await post(node, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })).catch((error: unknown) => {
    throw new NodeSilence(`${method}: ${reasonOf(error)}`);
  });
  const reply = replySchema.safeParse(parseJson(text));
  if (!reply.success) throw new NodeSilence(`${method}: the answer is not JSON-RPC`);
  const { result, error } = reply.data;
  if (error) throw new RpcRefusal(error.message.slice(0, 300), typeof error.data === 'string' ? error.data : null);
  const parsed = schema.safeParse(result);
  if (!parsed.success) throw new NodeSilence(`${method}: the answer has another form than expected`);
  return parsed.data;
}

async function post({ url, fetch, timeoutMs = TIMEOUT_MS }: JsonRpcNode, body: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  // Nodes answer a call that they refuse with 200 or 4xx, and a JSON-RPC error either way.
  const { status } = response;
  if (status < FIRST_SERVER_ERROR && status !== TOO_MANY_REQUESTS) return await readLimited(response);
  await response.body?.cancel();
  throw new NodeSilence(`the node answered with status ${status}`);
}

/** The text of an answer; nothing of one that is too long. */
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

function reasonOf(error: unknown): string {
  if (error instanceof NodeSilence) return error.message;
  return error instanceof Error && error.name === 'TimeoutError' ? 'no answer in time' : 'the node does not answer';
}
