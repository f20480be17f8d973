import type { Batch, SignatureCheck } from '../../../domain/audit-ledger/batch.ts';
import type { CheckedBatch } from '../../../domain/audit-ledger/checked-batch.ts';
import type { Day } from '../../../domain/audit-ledger/day-close.ts';
import { addDays, dayOf, daysBetween } from '../../../domain/audit-ledger/days.ts';
import type { Reply } from '../../http/define-route.ts';
import { type Html, html } from '../../http/pages/html.ts';
import type { AuditPagesDeps } from './deps.ts';
import { doubtOf, transactionLink } from './event-page.ts';
import { sendLedgerPage } from './layout.ts';
import { short } from './proof-path.ts';

const DAYS_SHOWN = 60;
/** Anchoring is tried until then, UTC; before, what is missing is merely not there yet. */
const LAST_ATTEMPT = '03:10';

/** Every night of the last weeks on every chain, the latest first; what is missing is red. */
export async function anchorsPage(
  { batches, checkBatch }: Pick<AuditPagesDeps, 'batches' | 'checkBatch'>,
  now: Date,
): Promise<Reply> {
  const yesterday = addDays(dayOf(now), -1);
  const earliest = addDays(yesterday, 1 - DAYS_SHOWN);
  const { items } = await batches.list(earliest, yesterday, { cursor: null, limit: DAYS_SHOWN });
  const older = await batches.latestBefore(earliest);
  // Before its first batch a ledger has missed nothing.
  const first = older === null ? items[0]?.id : earliest;
  const nights = first === undefined ? [] : daysBetween(first, yesterday).toReversed();
  const byDay = new Map(items.map((batch) => [batch.id, checkBatch(batch)]));
  const chains = [...new Set(items.flatMap(chainsOf))].sort((left, right) => left - right);
  const pending = now.toISOString().slice(11, 16) < LAST_ATTEMPT ? yesterday : null;
  return sendLedgerPage(
    'Anchors',
    nights.length === 0
      ? html`<p class="quiet">No day was anchored yet. The first batch is made in the night after the first day, at 00:10 UTC.</p>`
      : html`<p>Each day's root, and where the ledger saw it. A night that a chain has missed is red, and so is what the ledger
did not sign: somebody may have put it into its database.</p>
<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Day</th><th scope="col">Root</th>
${chains.map((chainId) => html`<th scope="col">Chain ${chainId}</th>`)}</tr></thead>
<tbody>${nights.map((day) => nightRow(day, byDay.get(day), chains, day === pending))}</tbody>
</table></div>`,
  );
}

function chainsOf({ chainIds, anchors }: Batch): readonly number[] {
  return [...chainIds, ...anchors.map(({ chainId }) => chainId)];
}

function nightRow(day: Day, batch: CheckedBatch | undefined, chains: readonly number[], pending: boolean): Html {
  const missing = pending ? html`<td class="quiet">under way</td>` : html`<td class="missed">missed</td>`;
  if (batch === undefined) {
    const root = pending ? html`<td class="quiet">under way</td>` : html`<td class="missed">no batch</td>`;
    const nothing = pending ? missing : html`<td class="missed">no anchor</td>`;
    return html`<tr><th scope="row">${day}</th>${root}${chains.map(() => nothing)}</tr>`;
  }
  const root = html`<code title="${batch.root}">${short(batch.root)}</code>`;
  return html`<tr><th scope="row">${day}</th>${checkedCell(batch, root)}
${chains.map((chainId) => {
  const anchor = batch.anchors.find((one) => one.chainId === chainId);
  if (anchor !== undefined) {
    return checkedCell(anchor, transactionLink(anchor.txHash, anchor.explorerUrl, short(anchor.txHash)));
  }
  return batch.chainIds.includes(chainId) ? missing : html`<td class="quiet">–</td>`;
})}</tr>`;
}

/** What the ledger signed is shown; of the rest that it is not to be believed. */
function checkedCell({ signature }: { readonly signature: SignatureCheck }, shown: Html): Html {
  const doubt = doubtOf(signature);
  return doubt === null ? html`<td>${shown}</td>` : html`<td class="missed">${doubt}</td>`;
}
