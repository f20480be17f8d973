import { keccak256, Transaction } from 'ethers';
import type { PendingAnchor, SignedTransaction } from '../../domain/audit-ledger/anchoring-ports.ts';

/**
 * True for a stored undertaking whose transactions are all signed by its account and do what it says. The rest of it is the
 * database's word alone: who can write there must not get another call signed, or another transaction taken for ours.
 */
export function isOwnUndertaking(undertaking: PendingAnchor, from: string): boolean {
  const { transactions } = undertaking;
  return (
    undertaking.from === from && transactions.length > 0 && transactions.every((one) => isSigned(undertaking, one))
  );
}

function isSigned(undertaking: PendingAnchor, { raw, hash, ...fees }: SignedTransaction): boolean {
  const { chainId, from, to, data, nonce, gasLimit } = undertaking;
  try {
    const signed = Transaction.from(raw);
    return (
      keccak256(raw) === hash &&
      signed.from === from &&
      signed.to?.toLowerCase() === to.toLowerCase() &&
      signed.chainId === BigInt(chainId) &&
      signed.data === data &&
      signed.nonce === nonce &&
      signed.gasLimit === gasLimit &&
      signed.maxFeePerGas === fees.maxFeePerGas &&
      signed.maxPriorityFeePerGas === fees.maxPriorityFeePerGas
    );
  } catch {
    return false;
  }
}
