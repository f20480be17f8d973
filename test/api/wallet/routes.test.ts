import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { INTRO_TOKENS } from '../../../domain/wallet/balances.ts';
import { MOST_TOKENS } from '../../../domain/wallet/schema.ts';
import { KEY, startWallet, type TestWallet } from '../../support/start-wallet.ts';

const key = (idempotencyKey: string) => ({ 'x-internal-key': KEY, 'idempotency-key': idempotencyKey });

describe('the routes of the wallet', () => {
  let wallet: TestWallet;
  before(async () => {
    wallet = await startWallet();
  });
  after(() => wallet.stop());

  it('the first look at a wallet shows 50,000 intro tokens, and their entry', async () => {
    const { body } = await wallet.call('GET', '/wallets/new');
    const { openedAt, ...shown } = body.data;
    assert.deepEqual(shown, {
      org: 'new',
      balance: INTRO_TOKENS,
      balances: { intro: INTRO_TOKENS, purchased: 0, earned: 0 },
    });
    const ledger = await wallet.call('GET', '/wallets/new/ledger');
    const [{ id, at, ...opening }] = ledger.body.data.items;
    assert.equal(at, openedAt);
    assert.match(id, /^wle_/);
    assert.deepEqual(opening, {
      ...{ sequence: 1, kind: 'opening', amount: INTRO_TOKENS, reason: 'Intro tokens', actor: 'wallet' },
      postings: [
        { account: 'grants', amount: -INTRO_TOKENS },
        { account: 'intro', amount: INTRO_TOKENS },
      ],
      ...{ balances: shown.balances, balance: INTRO_TOKENS },
    });
  });

  it('a credit answers with its entry, and is told to the audit ledger once, however often it is repeated', async () => {
    const body = { amount: 500, reason: 'invoice 7' };
    const answers = [];
    for (let repeat = 1; repeat <= 3; repeat += 1) {
      answers.push(await wallet.call('POST', '/wallets/credited/credits', body, key('invoice-7')));
    }
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
    assert.equal(new Set(answers.map((answer) => answer.body.data.id)).size, 1);
    const [{ data }] = answers.map((answer) => answer.body) as [{ data: Record<string, unknown> }];
    assert.deepEqual(data.balances, { intro: INTRO_TOKENS, purchased: 500, earned: 0 });
    assert.ok(!('idempotencyKey' in data));
    const [event, ...more] = wallet.audit.told().filter(({ entityId }) => entityId === 'credited');
    assert.deepEqual(more, []);
    assert.deepEqual(
      [event?.eventType, event?.orgSlug, event?.metadata.actor],
      ['wallet.credited', 'credited', 'internal'],
    );
    const told = { entry: data.id, amount: 500, balance: 'purchased', reason: 'invoice 7' };
    assert.deepEqual(event?.data, { ...told, org: 'credited', occurredAt: data.at });
  });

  it('a debit takes all of the amount, or says what is missing and takes nothing', async () => {
    const debit = (amount: number, name: string) =>
      wallet.call('POST', '/wallets/debited/debits', { amount, reason: 'a call' }, key(name));
    const taken = await debit(INTRO_TOKENS - 10, 'first');
    assert.deepEqual([taken.status, taken.body.data.balance], [201, 10]);
    const refused = await debit(25, 'second');
    assert.equal(refused.status, 402);
    assert.equal(refused.body.error.code, 'INSUFFICIENT_GAS');
    assert.deepEqual(refused.body.error.details, { balance: 10, required: 25, shortfall: 15 });
    assert.equal((await wallet.call('GET', '/wallets/debited')).body.data.balance, 10);
    assert.equal((await debit(INTRO_TOKENS - 10, 'first')).body.data.id, taken.body.data.id);
    const reused = await debit(1, 'first');
    assert.deepEqual([reused.status, reused.body.error.code], [409, 'IDEMPOTENCY_KEY_REUSED']);
    assert.deepEqual(
      wallet.audit.told().filter(({ entityId }) => entityId === 'debited'),
      [],
    );
  });

  const REFUSED: readonly [what: string, path: string, body: unknown, headers: Record<string, string>][] = [
    ['no key', 'credits', { amount: 1, reason: 'a' }, { 'x-internal-key': KEY }],
    ['a key with a blank', 'credits', { amount: 1, reason: 'a' }, key('opening entry')],
    ['a fraction', 'debits', { amount: 1.5, reason: 'a' }, key('k')],
    ['nothing', 'debits', { amount: 0, reason: 'a' }, key('k')],
    ['less than nothing', 'credits', { amount: -5, reason: 'a' }, key('k')],
    ['a text', 'debits', { amount: '5', reason: 'a' }, key('k')],
    ['too much', 'credits', { amount: MOST_TOKENS + 1, reason: 'a' }, key('k')],
    ['intro tokens', 'credits', { amount: 1, reason: 'a', balance: 'intro' }, key('k')],
    ['no reason', 'credits', { amount: 1, reason: ' ' }, key('k')],
    ['a field that there is not', 'debits', { amount: 1, reason: 'a', balance: 'earned' }, key('k')],
  ];
  for (const [what, path, body, headers] of REFUSED) {
    it(`refuses ${path} with ${what}, and moves nothing`, async () => {
      const answer = await wallet.call('POST', `/wallets/refused/${path}`, body, headers);
      assert.deepEqual([answer.status, answer.body.error.code], [400, 'VALIDATION_FAILED']);
      assert.equal((await wallet.call('GET', '/wallets/refused/ledger')).body.data.items.length, 1);
    });
  }

  it('lists entries in pages that miss and repeat nothing', async () => {
    for (let number = 2; number <= 6; number += 1) {
      await wallet.call('POST', '/wallets/pages/debits', { amount: number, reason: 'a call' }, key(`call-${number}`));
    }
    const seen: number[] = [];
    let cursor = '';
    do {
      const { body } = await wallet.call('GET', `/wallets/pages/ledger?limit=4${cursor && `&cursor=${cursor}`}`);
      seen.push(...body.data.items.map((entry: { sequence: number }) => entry.sequence));
      cursor = body.data.nextCursor ?? '';
    } while (cursor !== '');
    assert.deepEqual(seen, [6, 5, 4, 3, 2, 1]);
    assert.equal((await wallet.call('GET', '/wallets/pages/ledger?cursor=x')).status, 400);
  });
});
