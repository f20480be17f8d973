import type { Anchor, Batch, SignatureCheck } from './batch.ts';
import { isAnchorSigned, isBatchSigned } from './batch-signature.ts';
import type { LedgerKey } from './receipt.ts';

/** A stored batch with what the ledger's signatures say of it: anybody may have written to the database. */
export interface CheckedBatch extends Omit<Batch, 'anchors' | 'signature'> {
  readonly signature: SignatureCheck;
  readonly anchors: readonly CheckedAnchor[];
}

export type CheckedAnchor = Omit<Anchor, 'signature'> & { readonly signature: SignatureCheck };

export type CheckBatch = (batch: Batch) => CheckedBatch;

/** Checked batches that are remembered: more than two years of days, of a kilobyte each. */
const REMEMBERED = 1_000;

/**
 * Checks signatures as the night does. Of a batch from before they were signed a signed anchor proves the root, and neither the
 * chains that it is to be on nor its leaves: it counts as not signed. What was checked is remembered: whoever asks for a year
 * of days again causes no work.
 */
export function createBatchCheck(ledger: {
  readonly ledgerName: string;
  readonly keys: readonly LedgerKey[];
}): CheckBatch {
  const checked = new Map<string, CheckedBatch>();
  return (batch) => {
    const text = JSON.stringify(batch);
    const known = checked.get(text) ?? checkBatch(batch, ledger);
    checked.delete(text);
    checked.set(text, known);
    for (const oldest of checked.keys()) {
      if (checked.size <= REMEMBERED) break;
      checked.delete(oldest);
    }
    return known;
  };
}

function checkBatch(batch: Batch, { ledgerName, keys }: Parameters<typeof createBatchCheck>[0]): CheckedBatch {
  const anchors = batch.anchors.map((anchor) => {
    return { ...anchor, signature: checkOf(anchor, isAnchorSigned(anchor, batch, ledgerName, keys)) };
  });
  return { ...batch, anchors, signature: checkOf(batch, isBatchSigned(batch, ledgerName, keys)) };
}

function checkOf({ signature }: Pick<Batch, 'signature'>, isGood: boolean): SignatureCheck {
  if (signature === undefined) return 'missing';
  return isGood ? 'good' : 'wrong';
}
