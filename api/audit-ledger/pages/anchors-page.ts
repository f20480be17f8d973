import type { Batch } from '../../../domain/audit-ledger/batch.ts';
import type { Day } from '../../../domain/audit-ledger/day-close.ts';
import { addDays, dayOf, daysBetween } from '../../../domain/audit-ledger/days.ts';
import type { BatchStore } from '../../../domain/audit-ledger/ports.ts';
import type { Reply } from '../../http/define-route.ts';
import { type Html, html } from '../../http/pages/html.ts';
import { transactionLink } from './event-page.ts';
import { sendLedgerPage } from './layout.ts';
import { short } from './proof-path.ts';

const DAYS_SHOWN = 60;
/** Anchoring is tried until then, UTC; before, what is missing is merely not there yet. */
const LAST_ATTEMPT = '03:10';

/** Every night of the last weeks on every chain, the latest first; what is missing is red. */
export async function anchorsPage(batches: Pick<BatchStore, 'list' | 'latestBefore'>, now: Date): Promise<Reply> {
  const yesterday = addDays(dayOf(now), -1);
  const earliest = addDays(yesterday, 1 - DAYS_SHOWN);
  const { items } = await batches.list(earliest, yesterday, { cursor: null, limit: DAYS_SHOWN });
  const older = await batches.latestBefore(earliest);
  // Before its first batch a ledger has missed nothing.
  const first = older === null ? items[0]?.id : earliest;
  const nights = first === undefined ? [] : daysBetween(first, yesterday).toReversed();
  const byDay = new Map(items.map((batch) => [batch.id, batch]));
  const chains = [...new Set(items.flatMap(chainsOf))].sort((left, right) => left - right);
  const pending = now.toISOString().slice(11, 16) < LAST_ATTEMPT ? yesterday : null;
  return sendLedgerPage(
    'Anchors',
    nights.length === 0
      ? html`<p class="quiet">No day was anchored yet. The first batch is made in the night after the first day, at 00:10 UTC.</p>`
      : html`<p>Each day's root, and where it stands. A night that a chain has missed is red.</p>
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

function nightRow(day: Day, batch: Batch | undefined, chains: readonly number[], pending: boolean): Html {
  const missing = pending ? html`<td class="quiet">under way</td>` : html`<td class="missed">missed</td>`;
  if (batch === undefined) {
    const root = pending ? html`<td class="quiet">under way</td>` : html`<td class="missed">no batch</td>`;
    return html`<tr><th scope="row">${day}</th>${root}${chains.map(() => missing)}</tr>`;
  }
  return html`<tr><th scope="row">${day}</th><td><code title="${batch.root}">${short(batch.root)}</code></td>
${chains.map((chainId) => {
  const anchor = batch.anchors.find((one) => one.chainId === chainId);
  if (anchor !== undefined) {
    return html`<td>${transactionLink(anchor.txHash, anchor.explorerUrl, short(anchor.txHash))}</td>`;
  }
  return batch.chainIds.includes(chainId) ? missing : html`<td class="quiet">–</td>`;
})}</tr>`;
}
