import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WalletAccount } from '../../../domain/wallet/account.ts';
import { type Balances, INTRO_TOKENS, totalOf } from '../../../domain/wallet/balances.ts';
import { applyMovement, isOf, type Movement, openAccount } from '../../../domain/wallet/movement.ts';

const frame = { id: 'wle_next', at: new Date(1_700_000_000_000) };
const by = { reason: 'a reason', actor: 'gateway', idempotencyKey: 'key' } as const;
const debit = (amount: number): Movement => ({ kind: 'debit', amount, ...by });
const credit = (amount: number, balance: 'purchased' | 'earned'): Movement => ({
  ...{ kind: 'credit', amount, balance },
  ...by,
});

function holding(balances: Balances): WalletAccount {
  return { ...openAccount('acme', { ...frame, id: 'wle_first' }), balances };
}

const sumOf = (postings: readonly { readonly amount: number }[]) =>
  postings.reduce((sum, { amount }) => sum + amount, 0);

describe('movements of a wallet', () => {
  it('a new account holds 50,000 intro tokens and the entry that gives them', () => {
    const { balances, last } = openAccount('acme', frame);
    assert.deepEqual(balances, { intro: 50_000, purchased: 0, earned: 0 });
    assert.deepEqual([last.kind, last.sequence, last.amount, sumOf(last.postings)], ['opening', 1, INTRO_TOKENS, 0]);
  });

  const ROWS: readonly [what: string, before: Balances, Movement, after: Balances, postings: string][] = [
    [
      'intro tokens are spent first',
      { intro: 10, purchased: 10, earned: 10 },
      debit(4),
      { intro: 6, purchased: 10, earned: 10 },
      'intro -4, usage 4',
    ],
    [
      'then purchased ones',
      { intro: 3, purchased: 10, earned: 10 },
      debit(8),
      { intro: 0, purchased: 5, earned: 10 },
      'intro -3, purchased -5, usage 8',
    ],
    [
      'then earned ones, to the last',
      { intro: 1, purchased: 2, earned: 3 },
      debit(6),
      { intro: 0, purchased: 0, earned: 0 },
      'intro -1, purchased -2, earned -3, usage 6',
    ],
    [
      'a balance without tokens is not named',
      { intro: 0, purchased: 0, earned: 9 },
      debit(9),
      { intro: 0, purchased: 0, earned: 0 },
      'earned -9, usage 9',
    ],
    [
      'bought tokens are purchased',
      { intro: 1, purchased: 0, earned: 0 },
      credit(5, 'purchased'),
      { intro: 1, purchased: 5, earned: 0 },
      'sales -5, purchased 5',
    ],
    [
      'earned tokens are earned',
      { intro: 1, purchased: 0, earned: 2 },
      credit(5, 'earned'),
      { intro: 1, purchased: 0, earned: 7 },
      'payouts -5, earned 5',
    ],
  ];
  for (const [what, before, movement, after, postings] of ROWS) {
    it(`${what}; the postings add up to 0`, () => {
      const { balances, last } = applyMovement(holding(before), movement, frame);
      assert.deepEqual(balances, after);
      assert.deepEqual(last.balances, after);
      assert.equal(last.postings.map(({ account, amount }) => `${account} ${amount}`).join(', '), postings);
      assert.deepEqual([sumOf(last.postings), last.sequence], [0, 2]);
    });
  }

  it('a debit of more than there is says what is there, what is needed and what is missing', () => {
    assert.throws(() => applyMovement(holding({ intro: 1, purchased: 2, earned: 3 }), debit(10), frame), {
      code: 'INSUFFICIENT_GAS',
      details: { balance: 6, required: 10, shortfall: 4 },
    });
  });

  it('an account holds no more tokens than a number counts exactly', () => {
    const full = holding({ intro: 0, purchased: Number.MAX_SAFE_INTEGER - 1, earned: 0 });
    assert.equal(totalOf(applyMovement(full, credit(1, 'earned'), frame).balances), Number.MAX_SAFE_INTEGER);
    assert.throws(() => applyMovement(full, credit(2, 'earned'), frame), { code: 'CONFLICT' });
  });

  it('an entry is of a repeat alone: the same kind, amount, balance, reason and actor', () => {
    const made = applyMovement(openAccount('acme', frame), credit(5, 'earned'), frame).last;
    assert.equal(isOf(made, credit(5, 'earned')), true);
    const others: Movement[] = [
      debit(5),
      credit(6, 'earned'),
      credit(5, 'purchased'),
      { ...credit(5, 'earned'), reason: 'another' },
      { ...credit(5, 'earned'), actor: 'another' },
    ];
    for (const other of others) assert.equal(isOf(made, other), false);
  });
});
