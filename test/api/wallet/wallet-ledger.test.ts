import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createWalletLedger } from '../../../api/wallet/wallet-ledger.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { type Balances, INTRO_TOKENS, totalOf } from '../../../domain/wallet/balances.ts';
import type { LedgerEntry } from '../../../domain/wallet/entry.ts';
import type { Movement } from '../../../domain/wallet/movement.ts';
import type { WalletLedger, WalletStore } from '../../../domain/wallet/ports.ts';
import { dyingAtWrite } from '../../support/dying-at.ts';
import { createInMemoryWalletStore } from '../../support/in-memory/wallet-store.ts';

const now = () => new Date();
const by = { reason: 'a reason', actor: 'gateway' } as const;
const debit = (amount: number, idempotencyKey: string): Movement => ({ kind: 'debit', amount, idempotencyKey, ...by });
const credit = (amount: number, idempotencyKey: string): Movement => ({
  ...{ kind: 'credit', balance: 'purchased', amount, idempotencyKey },
  ...by,
});

/** A process of the wallet; several may have one store. */
function ledgerOn(store: WalletStore): WalletLedger {
  return createWalletLedger({ store, newId, now, orgs: null });
}

async function entriesOf(ledger: WalletLedger): Promise<readonly LedgerEntry[]> {
  return (await ledger.listEntries('acme', { cursor: null, limit: 1_000 })).items;
}

/** The account is what its entries add up to, and no number, key or entry is there twice. */
async function assertWhole(store: WalletStore): Promise<{ balances: Balances; keys: readonly string[] }> {
  const ledger = ledgerOn(store);
  const entries = (await entriesOf(ledger)).toReversed();
  const { balances } = await ledger.readAccount('acme');
  const sums = { intro: 0, purchased: 0, earned: 0 };
  for (const { postings, balances: after } of entries) {
    assert.equal(
      postings.reduce((sum, { amount }) => sum + amount, 0),
      0,
    );
    for (const { account, amount } of postings) if (account in sums) sums[account as keyof Balances] += amount;
    assert.deepEqual(after, sums);
    assert.ok(Object.values(after).every((amount) => Number.isSafeInteger(amount) && amount >= 0));
  }
  assert.deepEqual(sums, balances);
  assert.deepEqual(
    entries.map(({ sequence }) => sequence),
    entries.map((_, index) => index + 1),
  );
  const [, ...keys] = entries.map(({ idempotencyKey }) => idempotencyKey);
  assert.equal(new Set(keys).size, keys.length);
  return { balances, keys };
}

describe('the ledger of the wallet', () => {
  it('gives an org its intro tokens once, by 50 requests at once in two processes', async () => {
    const store = createInMemoryWalletStore();
    const processes = [ledgerOn(store), ledgerOn(store)];
    const accounts = await Promise.all(
      Array.from({ length: 50 }, (_, index) => processes[index % 2]?.readAccount('acme')),
    );
    assert.ok(accounts.every((account) => account?.balances.intro === INTRO_TOKENS));
    assert.equal((await entriesOf(ledgerOn(store))).length, 1);
    await assertWhole(store);
  });

  it('makes a movement once under its key, by however many it is asked for at once', async () => {
    const store = createInMemoryWalletStore();
    const processes = [ledgerOn(store), ledgerOn(store)];
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, index) => processes[index % 2]?.move('acme', debit(100, 'one'))),
    );
    assert.equal(new Set(made.map((entry) => entry?.id)).size, 1);
    const { balances } = await assertWhole(store);
    assert.equal(balances.intro, INTRO_TOKENS - 100);
  });

  it('refuses a key that another movement had, and moves nothing', async () => {
    const store = createInMemoryWalletStore();
    const ledger = ledgerOn(store);
    await ledger.move('acme', debit(100, 'one'));
    for (const other of [debit(101, 'one'), credit(100, 'one')]) {
      await assert.rejects(ledger.move('acme', other), { code: 'IDEMPOTENCY_KEY_REUSED' });
    }
    assert.deepEqual((await assertWhole(store)).keys, ['one']);
  });

  it('spends no token twice: of two processes that take all at once, each token goes to one', async () => {
    const store = createInMemoryWalletStore();
    const processes = [ledgerOn(store), ledgerOn(store)];
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) => processes[index % 2]?.move('acme', debit(2_000, `debit-${index}`))),
    );
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    assert.equal(outcomes.length - refused.length, INTRO_TOKENS / 2_000);
    for (const error of refused) {
      assert.ok(error instanceof FairleadError);
      assert.deepEqual(
        [error.code, error.details],
        ['INSUFFICIENT_GAS', { balance: 0, required: 2_000, shortfall: 2_000 }],
      );
    }
    assert.equal(totalOf((await assertWhole(store)).balances), 0);
  });

  it('writes nothing of a debit that is refused', async () => {
    const store = createInMemoryWalletStore();
    const ledger = ledgerOn(store);
    const before = await ledger.readAccount('acme');
    await assert.rejects(ledger.move('acme', debit(INTRO_TOKENS + 1, 'too-much')), { code: 'INSUFFICIENT_GAS' });
    assert.deepEqual(await ledger.readAccount('acme'), before);
    assert.equal(await store.findEntry('acme', 'too-much'), null);
    // Its key is free: with enough tokens the same request succeeds.
    await ledger.move('acme', credit(1, 'more'));
    await ledger.move('acme', debit(INTRO_TOKENS + 1, 'too-much'));
    assert.equal(totalOf((await assertWhole(store)).balances), 0);
  });

  it('loses and repeats no entry when it is killed before or after any write, and the request is repeated', async () => {
    const requests = [debit(10, 'first'), credit(5, 'second'), debit(20, 'third')];
    let kills = 0;
    for (const moment of ['before', 'after'] as const) {
      for (let write = 1; ; write += 1) {
        const store = createInMemoryWalletStore();
        const { ports, died } = dyingAtWrite({ write, moment }, { store });
        const mortal = ledgerOn(ports.store);
        for (const request of requests) await mortal.move('acme', request).catch(() => undefined);
        if (!died()) break;
        kills += 1;
        // What the dead process left is whole for whoever reads it, before any repeat.
        await assertWhole(store);
        const next = ledgerOn(store);
        for (const request of requests) await next.move('acme', request);
        const { balances, keys } = await assertWhole(store);
        assert.deepEqual(balances, { intro: INTRO_TOKENS - 30, purchased: 5, earned: 0 }, `${moment} write ${write}`);
        assert.deepEqual(keys.toSorted(), ['first', 'second', 'third']);
      }
    }
    // Per moment: the account is opened, and each movement completes the entries, replaces the account and adds its own.
    assert.equal(kills, 2 * (1 + 3 * requests.length));
  });

  it('leaves what two processes do at once whole, when one is killed at any write', async () => {
    for (let write = 1; write <= 10; write += 1) {
      for (const moment of ['before', 'after'] as const) {
        const store = createInMemoryWalletStore();
        const mortal = ledgerOn(dyingAtWrite({ write, moment }, { store }).ports.store);
        const other = ledgerOn(store);
        await Promise.all([
          ...[1, 2, 3].map((number) => mortal.move('acme', debit(1, `mortal-${number}`)).catch(() => undefined)),
          ...[1, 2, 3].map((number) => other.move('acme', debit(1, `other-${number}`))),
        ]);
        const { keys } = await assertWhole(store);
        assert.equal(keys.filter((key) => key.startsWith('other')).length, 3);
      }
    }
  });

  it('keeps balances equal to the sum of the entries over random sequences, with repeats', async () => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const random = randomNumbers(seed);
      const store = createInMemoryWalletStore();
      const processes = [ledgerOn(store), ledgerOn(store)];
      const expected = new Map<string, number>();
      for (let round = 0; round < 12; round += 1) {
        const movements = Array.from({ length: 1 + random(4) }, () => randomMovement(random));
        const asked = movements.map((movement) => processes[random(2)]?.move('acme', movement));
        for (const [key, amount] of await madeOf(asked)) expected.set(key, amount);
        const { balances, keys } = await assertWhole(store);
        assert.deepEqual(keys.toSorted(), [...expected.keys()].toSorted(), `seed ${seed}`);
        const sum = [...expected.values()].reduce((all, amount) => all + amount, INTRO_TOKENS);
        assert.equal(totalOf(balances), sum, `seed ${seed}`);
      }
    }
  });

  it('opens no account for an org that is not there, nor while nobody can say so', async () => {
    const store = createInMemoryWalletStore();
    for (const code of ['ORG_NOT_FOUND', 'UNAVAILABLE'] as const) {
      const orgs = { requireOrg: () => Promise.reject(new FairleadError(code, 'no')) };
      const ledger = createWalletLedger({ store, newId, now, orgs });
      await assert.rejects(ledger.readAccount('acme'), { code });
      await assert.rejects(ledger.move('acme', credit(5, 'one')), { code });
      await assert.rejects(ledger.listEntries('acme', { cursor: null, limit: 5 }), { code });
      assert.equal(await store.readAccount('acme'), null);
    }
  });
});

function randomMovement(random: (below: number) => number): Movement {
  const key = `key-${random(60)}`;
  return random(2) === 0 ? debit(1 + random(30_000), key) : credit(1 + random(10_000), key);
}

/** By key, what each movement that was made has changed. The others were refused for one of two reasons. */
async function madeOf(asked: readonly (Promise<LedgerEntry> | undefined)[]): Promise<readonly [string, number][]> {
  return (await Promise.allSettled(asked)).flatMap((outcome): [string, number][] => {
    if (outcome.status === 'rejected') {
      assert.match(outcome.reason.code, /^(INSUFFICIENT_GAS|IDEMPOTENCY_KEY_REUSED)$/);
      return [];
    }
    assert.ok(outcome.value);
    const { kind, amount, idempotencyKey } = outcome.value;
    return [[idempotencyKey, kind === 'debit' ? -amount : amount]];
  });
}

/** Numbers below a bound, the same ones for the same seed (mulberry32). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
