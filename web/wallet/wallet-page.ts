import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { FairleadError } from '../../domain/errors.ts';
import { pageSchema } from '../../domain/page-schema.ts';
import { BALANCES, type BalanceName } from '../../domain/wallet/balances.ts';
import { entryViewSchema, walletViewSchema } from '../../domain/wallet/schema.ts';
import { barChart, whole } from '../look/chart.ts';
import { card, pagination, table } from '../look/components.ts';
import { moment } from '../look/time.ts';
import { definePage } from '../page.ts';
import type { Who } from '../people/who.ts';
import { pathOf } from '../platform/platform.ts';
import { spendingByDay } from './spending-by-day.ts';

const PATH = '/wallet';
const ENTRIES = pageSchema(entryViewSchema);
/** Of the newest entries, which the chart is made of. */
const CHARTED = 200;

type Entry = z.output<typeof entryViewSchema>;

const BALANCE_WORDS: Readonly<Record<BalanceName, readonly [title: string, text: string]>> = {
  intro: ['Intro', 'Given at the start. Spent first.'],
  purchased: ['Purchased', 'Bought by the organisation.'],
  earned: ['Earned', 'By services that others pay for.'],
};

export const walletPage = definePage({
  module: 'wallet',
  path: PATH,
  summary: 'Gas tokens of the org: balances, spending by day, entries',
  nav: { label: 'Wallet', icon: 'wallet', group: 'people', order: 40 },
  callers: { 'platform-admin': true, user: 'viewer' },
  query: z.strictObject({ cursor: z.string().max(500).optional() }),
  load: async ({ platform, person: { org }, query: { cursor } }) => {
    if (org === '')
      throw new FairleadError('FORBIDDEN', 'You act in no organisation, and only organisations have a wallet');
    const entries = (query: Record<string, string | number | undefined>) =>
      platform.get('wallet', pathOf('wallets', org, 'ledger'), ENTRIES, query);
    const [wallet, page, newest] = await Promise.all([
      platform.get('wallet', pathOf('wallets', org), walletViewSchema),
      entries({ cursor }),
      cursor === undefined ? entries({ limit: CHARTED }) : null,
    ]);
    return { wallet, page, newest };
  },
  people: ({ wallet, page }) => ({ ids: page.items.map(({ actor }) => actor), org: wallet.org }),
  view: ({ wallet, page, newest }, { now, who }) => {
    const chart = newest === null ? null : spendingByDay(newest, now());
    return {
      title: 'Wallet',
      lead: html`Gas tokens of ${wallet.org}. One token is 0.01 USD.`,
      body: html`${newest !== null && balances(wallet)}
${chart !== null && card({ title: `Spent in the last ${chart.length} days` }, barChart({ title: `Tokens spent by day, the last ${chart.length} days`, unit: 'tokens', bars: chart }))}
${card(
  { title: 'Entries', flush: true },
  html`${table(
    'Entries',
    COLUMNS,
    page.items.map((entry) => entryRow(entry, who)),
  )}${pagination(PATH, page.nextCursor)}`,
)}`,
    };
  },
});

function balances({ balance, balances: kinds }: z.output<typeof walletViewSchema>): Html {
  return html`<div class="stats">${stat('All', balance, 'What the organisation can spend.')}${BALANCES.map((name) => stat(BALANCE_WORDS[name][0], kinds[name], BALANCE_WORDS[name][1]))}</div>`;
}

function stat(title: string, value: number, text: string): Html {
  return html`<div class="stat"><span class="stat-title">${title}</span><span class="stat-value">${whole(value)}</span><span class="stat-text">${text}</span></div>`;
}

const COLUMNS = [
  { label: 'Why', kind: 'main' },
  { label: 'Tokens', kind: 'number' },
  { label: 'Balance', kind: 'number' },
  { label: 'By' },
  { label: 'When' },
] as const;

function entryRow({ sequence, kind, amount, postings, balance, reason, actor, at }: Entry, who: Who) {
  const isDebit = kind === 'debit';
  const own = postings.flatMap(({ account }) => (account in BALANCE_WORDS ? [account] : []));
  return [
    html`${reason}<span class="sub">entry ${sequence}, ${isDebit ? 'from' : 'to'} ${own.join(' and ')}</span>`,
    html`<span${!isDebit && html` class="more"`}>${isDebit ? '−' : '+'}${whole(amount)}</span>`,
    whole(balance),
    who(actor),
    moment(at),
  ];
}
