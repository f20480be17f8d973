import type { z } from 'zod';
import { callNode, NodeSilence } from '../../domain/audit-ledger/json-rpc.ts';
import { FairleadError } from '../../domain/errors.ts';

/** What is made of the answers of several nodes. Without it they have to be the same. */
export type Combine<T> = (answers: readonly T[]) => T;

/** JSON-RPC over HTTP, of one node or of several. */
export interface Rpc {
  readonly chainId: number;
  /** @throws CHAIN_UNREACHABLE (retryable) without a usable answer; RpcRefusal when the node says no */
  call<T>(method: string, params: readonly unknown[], schema: z.ZodType<T>, combine?: Combine<T>): Promise<T>;
}

/** A node by its address. */
export function createRpc(options: { chainId: number; url: string; timeoutMs?: number }): Rpc {
  const { chainId, ...node } = options;
  return {
    chainId,
    async call(method, params, schema) {
      return await callNode({ ...node, fetch }, method, params, schema).catch((error: unknown) => {
        throw error instanceof NodeSilence ? unreachable(chainId, error.message) : error;
      });
    },
  };
}

/**
 * What did not come about this time; `retryable` when a moment later may do.
 * @param more what else is known, such as `absent`: no root stands at the block `block`
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
