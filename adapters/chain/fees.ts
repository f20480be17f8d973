import { z } from 'zod';
import type { SignedTransaction } from '../../domain/audit-ledger/anchoring-ports.ts';
import { RpcRefusal } from '../../domain/audit-ledger/json-rpc.ts';
import { first } from './agreeing-rpc.ts';
import { quantity } from './registry-reader.ts';
import { type Rpc, unreachable } from './rpc.ts';

export interface Fees {
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

const feesSchema = z.object({ baseFeePerGas: quantity });
const GWEI = 1_000_000_000n;

/**
 * What a transaction should offer now: the tip the node suggests, on twice the base fee, so that it stays valid through
 * several full blocks; never more than the cap. @throws CHAIN_UNREACHABLE when even the base fee of now is over the cap
 */
export async function suggestFees(rpc: Rpc, capWei: bigint): Promise<Fees> {
  const { baseFeePerGas } = await rpc.call('eth_getBlockByNumber', ['latest', false], feesSchema, first);
  const tip = await suggestedTip(rpc);
  if (baseFeePerGas + tip > capWei) {
    const now = `${(baseFeePerGas + tip) / GWEI} gwei`;
    throw unreachable(rpc.chainId, `gas costs ${now} and the limit is ${capWei / GWEI}: anchoring waits`, false);
  }
  const wanted = 2n * baseFeePerGas + tip;
  return { maxFeePerGas: wanted < capWei ? wanted : capWei, maxPriorityFeePerGas: tip };
}

async function suggestedTip(rpc: Rpc): Promise<bigint> {
  try {
    return await rpc.call('eth_maxPriorityFeePerGas', [], quantity, first);
  } catch (error) {
    // Not every node knows the method; one gwei is what wallets then offer.
    if (error instanceof RpcRefusal) return GWEI;
    throw error;
  }
}

/** What a replacement must offer: the fees of now, and at least an eighth more than before. Null when over the cap. */
export function bumpFees(last: SignedTransaction, now: Fees, capWei: bigint): Fees | null {
  const maxFeePerGas = larger(now.maxFeePerGas, anEighthMore(last.maxFeePerGas));
  const maxPriorityFeePerGas = larger(now.maxPriorityFeePerGas, anEighthMore(last.maxPriorityFeePerGas));
  return maxFeePerGas > capWei ? null : { maxFeePerGas, maxPriorityFeePerGas };
}

/** Rounded up: nodes ask for 12.5 % (some for 10 %) and refuse less. */
function anEighthMore(fee: bigint): bigint {
  return (fee * 9n + 7n) / 8n + 1n;
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
