import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { anchoredDaySchema } from '../../domain/audit-ledger/anchoring-schema.ts';
import { badge } from '../look/badge.ts';
import { card, emptyState, table } from '../look/components.ts';
import { definePage } from '../page.ts';
import { READERS } from './ledger-page.ts';
import { doubtOf, short, transaction } from './transaction.ts';

const DAYS = z.object({ days: z.array(anchoredDaySchema) });
type AnchoredDay = z.output<typeof anchoredDaySchema>;

export const anchorsPage = definePage({
  module: 'audit-ledger',
  path: '/ledger/anchors',
  summary: 'The root of each of the last days, and the chains that it stands on',
  tab: { of: 'ledger', label: 'Anchors', order: 10 },
  callers: READERS,
  load: ({ platform }) => platform.get('audit-ledger', '/v1/anchors', DAYS),
  view: ({ days }) => ({
    title: 'Audit ledger',
    lead: 'Every night one root over the events of the day is written to each chain. A change of an event would change the root.',
    body: card(
      { flush: true },
      days.length === 0
        ? emptyState({
            icon: 'shield',
            title: 'No day is anchored yet',
            text: 'The first batch is made in the night after the first day, at 00:10 UTC.',
          })
        : table('Anchored days', COLUMNS, days.toReversed().map(dayRow)),
    ),
  }),
});

const COLUMNS = [{ label: 'Day', kind: 'main' }, { label: 'State' }, { label: 'Chains' }, { label: 'Root' }] as const;

function dayRow({ batchId, root, signature, chainIds, anchors }: AnchoredDay) {
  return [
    batchId,
    dayState({ signature, chainIds, anchors }),
    html`${anchors.map((anchor) => html`<span class="sub">chain ${anchor.chainId}${placeOf(anchor)}</span>`)}`,
    doubtOf(signature) ?? html`<code title="${root}">${short(root)}</code>`,
  ];
}

function placeOf({ blockNumber, txHash, explorerUrl, signature }: AnchoredDay['anchors'][number]): Html {
  const doubt = doubtOf(signature);
  return doubt === null ? html`, block ${blockNumber}, ${transaction(txHash, explorerUrl)}` : html`: ${doubt}`;
}

/**
 * What is missing is red: a chain that the root was for, and that does not have it. So is what the ledger did not sign: somebody
 * may have put it into its database.
 */
function dayState({ signature, chainIds, anchors }: Pick<AnchoredDay, 'signature' | 'chainIds' | 'anchors'>): Html {
  const checks = [signature, ...anchors.map((anchor) => anchor.signature)];
  if (checks.includes('wrong')) return badge('bad', 'Does not match');
  if (checks.includes('missing')) return badge('warn', 'Not checked');
  const missed = chainIds.filter((chainId) => !anchors.some((anchor) => anchor.chainId === chainId));
  if (missed.length > 0)
    return badge('bad', `Missed on ${missed.length === 1 ? `chain ${missed[0]}` : `chains ${missed.join(', ')}`}`);
  return anchors.length === 0 ? badge('warn', 'On no chain') : badge('good', 'Anchored');
}
