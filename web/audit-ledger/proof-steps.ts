import { type Html, html } from '../../api/http/pages/html.ts';
import type { EventProof } from '../../domain/audit-ledger/batch.ts';
import { pairHash } from '../../domain/audit-ledger/merkle-proof.ts';

/** What is computed from a leaf up to the root, and the hashes that the proof brings for it. */
export function proofSteps({ leaf, proof }: Pick<EventProof, 'leaf' | 'proof'>): Html {
  let hash = leaf;
  const steps = proof.map((sibling, level) => {
    hash = pairHash(hash, sibling);
    return html`<li><span class="quiet">with</span> <code>${sibling}</code><br><span class="quiet">${level === proof.length - 1 ? 'root of the day' : 'gives'}</span> <code>${hash}</code></li>`;
  });
  return html`<ol class="proof-steps"><li><span class="quiet">leaf of the event</span> <code>${leaf}</code></li>${steps}</ol>`;
}
