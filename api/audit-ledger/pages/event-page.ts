import type { EventProof, ProofAnchor, SignatureCheck } from '../../../domain/audit-ledger/batch.ts';
import { readPayload } from '../../../domain/audit-ledger/canonical.ts';
import type { LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import type { Reply } from '../../http/define-route.ts';
import { type Html, html } from '../../http/pages/html.ts';
import { exactTime, sendLedgerPage } from './layout.ts';
import { proofPath } from './proof-path.ts';

/** One event and what proves it. @param proof null before the batch of its day */
export function eventPage(event: LedgerEvent, proof: EventProof | null): Reply {
  const { id, namespace, chainIndex, orgSlug, emitter, eventType, entityId, prevHash, eventHash } = event;
  const content = JSON.stringify(readPayload(event.payload), null, 2);
  const sameEntity = `/audit?${new URLSearchParams({ entityId })}`;
  return sendLedgerPage(
    eventType,
    html`<dl>
<dt>Entity</dt><dd><a href="${sameEntity}">${entityId}</a></dd>
<dt>When</dt><dd>${exactTime(event.createdAt)}</dd>
<dt>Org</dt><dd>${orgSlug}</dd>
<dt>Written by</dt><dd>${emitter}</dd>
<dt>Place</dt><dd>${namespace} #${chainIndex}</dd>
<dt>Id</dt><dd><code>${id}</code></dd>
<dt>Event hash</dt><dd><code>${eventHash}</code></dd>
<dt>Hash before it</dt><dd><code>${prevHash}</code></dd>
</dl>
<h2>What it says</h2>
<pre tabindex="0"><code>${content}</code></pre>
<h2>Proof</h2>
${proof === null ? notYet() : proven(proof)}`,
  );
}

function notYet(): Html {
  return html`<p class="quiet">There is none yet: the batch of its day is made in the night after it, from 00:10 UTC on.</p>`;
}

function proven(proof: EventProof): Html {
  const { batchId, leafIndex, root, signature, anchors } = proof;
  const doubt = doubtOf(signature);
  return html`${doubt !== null && html`<p class="message error">The batch of ${batchId}: ${doubt}.</p>`}<p>Leaf ${leafIndex} of the batch of ${batchId}. Whoever has the event hash and the hashes on the right can
compute the root, and compare it with the contract of each chain: <code>fairlead audit verify proof.json --contract … --rpc …</code></p>
${proofPath(proof)}
<dl><dt>Root</dt><dd><code>${root}</code></dd></dl>
<ul class="rows">${anchors.map(anchorRow)}</ul>
${anchors.length === 0 && html`<p class="message error">The root stands on no chain yet.</p>`}`;
}

function anchorRow({ chainId, contract, txHash, blockNumber, explorerUrl, signature }: ProofAnchor): Html {
  const doubt = doubtOf(signature);
  if (doubt !== null) return html`<li><strong>Chain ${chainId}</strong> <span class="missed">${doubt}</span></li>`;
  return html`<li><div><strong>Chain ${chainId}, block ${blockNumber}</strong>
<span class="quiet">contract <code>${contract}</code></span>
<span class="quiet">transaction ${transactionLink(txHash, explorerUrl)}</span></div></li>`;
}

/** Why a record of the ledger's database is not to be believed; null for one that it signed. */
export function doubtOf(signature: SignatureCheck | undefined): string | null {
  if (signature === 'good') return null;
  return signature === 'wrong' ? 'does not match its signature' : 'not signed, not checked';
}

/** The explorer's address is the operator's own setting; anything but a web address is shown as text. */
export function transactionLink(txHash: string, explorerUrl: string | null, text = txHash): Html {
  if (explorerUrl === null || !/^https?:\/\//.test(explorerUrl)) return html`<code title="${txHash}">${text}</code>`;
  return html`<a href="${explorerUrl}" rel="noopener noreferrer"><code title="${txHash}">${text}</code></a>`;
}
