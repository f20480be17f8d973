import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { TokenVerifier } from '../../../sdk/index.ts';
import { spendingByDay } from '../../../web/wallet/spending-by-day.ts';
import { type ConsolePeople, createConsolePeople, verifierOf, wordsOf } from '../../support/console-people.ts';
import { startIdp, type TestIdp } from '../../support/start-idp.ts';
import { KEY, startWallet, type TestWallet } from '../../support/start-wallet.ts';

describe('the page of the wallet', () => {
  let idp: TestIdp;
  let wallet: TestWallet;
  let verifier: TokenVerifier;
  let people: ConsolePeople;
  let ann: UserRecord;
  let nobody: UserRecord;
  before(async () => {
    idp = await startIdp();
    verifier = verifierOf(idp, 'wallet');
    wallet = await startWallet({ verifier, issuer: idp.issuer });
    people = createConsolePeople(idp, { wallet: wallet.address });
    await idp.seedOrg('acme');
    await idp.seedOrg('rival');
    ann = await idp.seedUser('ann@acme.example', { org: 'acme', orgRoles: ['viewer'] });
    nobody = await idp.seedUser('nobody@example.com');
    await move('acme', 'credits', 700, 'Invoice <b>17</b>\u202e');
    for (let number = 1; number <= 60; number += 1) await move('acme', 'debits', number, `hour ${number}`);
    await move('rival', 'credits', 99, 'invoice of the rival');
  });
  after(async () => {
    await people?.stop();
    verifier?.close();
    await wallet?.stop();
    await idp?.stop();
  });

  let made = 0;
  async function move(org: string, kind: string, amount: number, reason: string): Promise<void> {
    made += 1;
    const headers = { 'x-internal-key': KEY, 'idempotency-key': `key-${made}` };
    const { status } = await wallet.call('POST', `/wallets/${org}/${kind}`, { amount, reason }, headers);
    assert.equal(status, 201);
  }

  it('shows the balances of the org that the person acts in, and its entries page by page', async () => {
    const browser = await people.browserOf(ann);
    const { status, text } = await browser.get('/wallet');
    assert.equal(status, 200);
    assert.match(text, /class="stat-value">48\u202f870</);
    assert.match(text, /class="stat-value">700</);
    assert.match(wordsOf(text), /hour 60/);
    assert.doesNotMatch(wordsOf(text), /hour 9 |invoice of the rival/);
    const [, next = ''] = /href="(\/wallet\?cursor=[^"]+)"/.exec(text) ?? [];
    const older = await browser.get(next);
    assert.match(wordsOf(older.text), /hour 9 /);
    assert.match(older.text, /Invoice &lt;b&gt;17&lt;\/b&gt;⟦U\+202E⟧/);
    assert.doesNotMatch(older.text, /class="stat-value"|<b>17/);
  });

  it('says why there is none for somebody who acts in no org', async () => {
    const browser = await people.browserOf(nobody);
    assert.equal((await browser.get('/wallet')).status, 403);
    assert.doesNotMatch((await browser.get('/orgs')).text, /href="\/wallet"/);
  });
});

describe('spending by day', () => {
  const NOW = new Date('2026-11-23T12:00:00.000Z');
  const entry = (kind: 'opening' | 'credit' | 'debit', amount: number, at: string) => ({
    ...{ id: `wle_${at}`, sequence: 1, kind, amount, postings: [], reason: '', actor: '', balance: 0 },
    ...{ balances: { intro: 0, purchased: 0, earned: 0 }, at: `${at}T08:00:00.000Z` },
  });
  const rows: readonly (readonly [
    name: string,
    page: Parameters<typeof spendingByDay>[0],
    bars: readonly string[] | null,
  ])[] = [
    ['is nothing without entries', { items: [], nextCursor: null }, null],
    ['is nothing on the day of the opening', { items: [entry('opening', 5, '2026-11-23')], nextCursor: null }, null],
    [
      'adds up debits alone, and shows days without any',
      {
        items: [
          entry('debit', 3, '2026-11-23'),
          entry('debit', 4, '2026-11-21'),
          entry('debit', 2, '2026-11-21'),
          entry('credit', 100, '2026-11-21'),
          entry('opening', 50, '2026-11-20'),
        ],
        nextCursor: null,
      },
      ['2026-11-20 0', '2026-11-21 6', '2026-11-22 0', '2026-11-23 3'],
    ],
    [
      'leaves out the day of which older entries are missing',
      {
        items: [entry('debit', 3, '2026-11-23'), entry('debit', 4, '2026-11-22'), entry('debit', 2, '2026-11-21')],
        nextCursor: 'more',
      },
      ['2026-11-22 4', '2026-11-23 3'],
    ],
  ];
  for (const [name, page, bars] of rows) {
    it(name, () => {
      const found = spendingByDay(page, NOW);
      assert.deepEqual(found?.map(({ label, value }) => `${label} ${value}`) ?? null, bars);
    });
  }
  it('shows 30 days at most', () => {
    const items = [entry('debit', 1, '2026-11-23'), entry('opening', 1, '2026-01-01')];
    assert.equal(spendingByDay({ items, nextCursor: null }, NOW)?.length, 30);
  });
});
