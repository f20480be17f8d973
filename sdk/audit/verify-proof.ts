import type { EventProof } from '../../domain/audit-ledger/batch.ts';
import type { Hash } from '../../domain/audit-ledger/event.ts';
import { leafOf, rootOfProof } from '../../domain/audit-ledger/merkle-proof.ts';
import type { Receipt } from '../../domain/audit-ledger/receipt.ts';
import { type ChainNodes, checkChains } from './check-chains.ts';
import { checkEvent, checkReceipt } from './check-documents.ts';
import { type ProofCheck, type Verdict, verdictOf } from './proof-check.ts';
import type { ShownEvent } from './proof-documents.ts';

/** Without the address of the contract that of the proof itself is asked, and nothing is proven. */
export interface ProofInput extends ChainNodes {
  readonly proof: EventProof;
  /** The event itself: shows that the proof is about it. */
  readonly event?: ShownEvent;
  readonly receipt?: Receipt;
  /** Keys of the ledger that the receipt may be signed with; see `ledger-key.ts`. */
  readonly keys?: readonly string[];
}

/**
 * `proven`: the event was in the ledger when the root was anchored. `refuted`: something contradicts that. `undecided`:
 * nothing does, but something is missing that proves it: the address of the contract, known code at it, or two chains that
 * answer and that hold the root since the day after the event's.
 */
export interface ProofVerdict {
  readonly verdict: Verdict;
  readonly checks: readonly ProofCheck[];
}

/**
 * Verifies a proof without the ledger: the root that the proof leads to is computed here and compared with what the
 * contract holds on every chain that is asked (spec 3, "Anchoring"). Nothing the ledger says is believed.
 */
export async function verifyProof(input: ProofInput): Promise<ProofVerdict> {
  const { proof, event, receipt, keys = [] } = input;
  const root = rootOfProof(proof.eventHash, proof.proof);
  const checks = [
    ...(event === undefined ? [] : [checkEvent(event, proof)]),
    ...(receipt === undefined ? [] : [checkReceipt(receipt, proof.eventHash, keys)]),
    checkLeaf(proof),
    checkRoot(proof, root),
    ...(await checkChains({ ...proof, root }, input)),
  ];
  return { verdict: verdictOf(checks), checks };
}

function checkLeaf({ eventHash, leaf }: EventProof): ProofCheck {
  const same = leafOf(eventHash) === leaf;
  const text = same ? 'the leaf is the one of the event hash' : `the leaf of the event hash is ${leafOf(eventHash)}`;
  return { check: 'leaf', outcome: same ? 'passed' : 'failed', text };
}

function checkRoot({ proof, root }: EventProof, computed: Hash): ProofCheck {
  const steps = `${proof.length} ${proof.length === 1 ? 'step' : 'steps'}`;
  if (computed === root) return { check: 'root', outcome: 'passed', text: `${steps} lead from the leaf to ${root}` };
  return { check: 'root', outcome: 'failed', text: `${steps} lead to ${computed}, and the proof claims ${root}` };
}
