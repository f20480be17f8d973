import { fetch } from 'undici';
import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { parseJson } from '../../domain/parse-json.ts';

/** What is made of the answers of several nodes. Without it they have to be the same. */
export type Combine<T> = (answers: readonly T[]) => T;

/** JSON-RPC over HTTP, of one node or of several. */
export interface Rpc {
  readonly chainId: number;
  /** @throws CHAIN_UNREACHABLE (retryable) without a usable answer; {@link RpcRefusal} when the node says no */
  call<T>(method: string, params: readonly unknown[], schema: z.ZodType<T>, combine?: Combine<T>): Promise<T>;
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
const MAX_ANSWER_CHARACTERS = 4 * 1024 ** 2;

const replySchema = z.object({
  result: z.unknown().optional(),
  error: z.object({ message: z.string(), data: z.unknown().optional() }).nullish(),
});

/**
 * A node by its address. The address may hold a key of its provider's: it is in no error, and errors of the HTTP client,
 * which may repeat it, are not passed on as a cause. No redirect is followed.
 */
export function createRpc(options: { chainId: number; url: string; timeoutMs?: number }): Rpc {
  const { chainId, url, timeoutMs = TIMEOUT_MS } = options;

  async function send(method: string, params: readonly unknown[]): Promise<string> {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    // Nodes answer a call that they refuse with 200 or 4xx, and a JSON-RPC error either way.
    if (response.status >= 500 || response.status === 429) throw new HttpStatus(response.status);
    return text.length > MAX_ANSWER_CHARACTERS ? '' : text;
  }

  return {
    chainId,
    async call(method, params, schema) {
      const text = await send(method, params).catch((error: unknown) => {
        throw unreachable(chainId, `${method}: ${reasonOf(error)}`);
      });
      const reply = replySchema.safeParse(parseJson(text));
      if (!reply.success) throw unreachable(chainId, `${method}: the answer is not JSON-RPC`);
      const { result, error } = reply.data;
      if (error) throw new RpcRefusal(error.message.slice(0, 300), typeof error.data === 'string' ? error.data : null);
      const parsed = schema.safeParse(result);
      if (!parsed.success) throw unreachable(chainId, `${method}: the answer has another form than expected`);
      return parsed.data;
    },
  };
}

class HttpStatus extends Error {
  constructor(status: number) {
    super(`the node answered with status ${status}`);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof HttpStatus) return error.message;
  return error instanceof Error && error.name === 'TimeoutError' ? 'no answer in time' : 'the node does not answer';
}

/**
 * What did not come about this time; `retryable` when a moment later may do.
 * @param more what else is known, such as `absent`: no root stands
 */
export function unreachable(
  chainId: number,
  reason: string,
  retryable = true,
  more: Readonly<Record<string, unknown>> = {},
): FairleadError {
  return new FairleadError('CHAIN_UNREACHABLE', `Chain ${chainId}: ${reason}`, {
    details: { chainId, reason, ...more },
    retryable,
  });
}

/** What will not come about by trying again. */
export function refused(chainId: number, reason: string): FairleadError {
  return new FairleadError('ANCHOR_REFUSED', `Chain ${chainId}: ${reason}`, { details: { chainId, reason } });
}
