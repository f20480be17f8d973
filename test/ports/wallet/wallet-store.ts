import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WalletAccount } from '../../../domain/wallet/account.ts';
import { applyMovement, type Credit, openAccount } from '../../../domain/wallet/movement.ts';
import type { WalletStore } from '../../../domain/wallet/ports.ts';

const at = new Date(1_700_000_000_000);
const credit = (key: string): Credit => ({
  ...{ kind: 'credit', balance: 'purchased', amount: 7, reason: 'bought', actor: 'usr_root', idempotencyKey: key },
});

/** An account after so many credits, each with its state. */
export function history(org: string, credits: number): readonly WalletAccount[] {
  const states = [openAccount(org, { id: `wle_${org}1`, at })];
  for (let number = 2; number <= credits + 1; number += 1) {
    const before = states.at(-1);
    assert.ok(before);
    states.push(applyMovement(before, credit(`key-${number}`), { id: `wle_${org}${number}`, at }));
  }
  return states;
}

/** What every {@link WalletStore} guarantees. Orgs are new for each test, so one store serves them all. */
export function walletStoreSuite(store: () => WalletStore): void {
  describe('WalletStore', () => {
    it('keeps one account of an org, as it was first, of 20 that are opened at once', async () => {
      assert.equal(await store().readAccount('opened'), null);
      const accounts = Array.from({ length: 20 }, (_, index) =>
        openAccount('opened', { id: `wle_opened${index}`, at }),
      );
      const kept = await Promise.all(accounts.map((account) => store().openAccount(account)));
      assert.equal(kept.filter(Boolean).length, 1);
      assert.deepEqual(await store().readAccount('opened'), accounts[kept.indexOf(true)]);
    });

    it('replaces an account on the condition that its newest entry is the one named; of 20 at once one does', async () => {
      const [first] = history('replaced', 0);
      assert.ok(first);
      await store().openAccount(first);
      const next = Array.from({ length: 20 }, (_, index) =>
        applyMovement(first, credit(`key-${index}`), { id: `wle_next${index}`, at }),
      );
      const replaced = await Promise.all(next.map((account) => store().replaceAccount(account, first.last.id)));
      assert.equal(replaced.filter(Boolean).length, 1);
      assert.deepEqual(await store().readAccount('replaced'), next[replaced.indexOf(true)]);
    });

    it('replaces no account that was never opened', async () => {
      const [first, second] = history('nobody', 1);
      assert.ok(first && second);
      assert.equal(await store().replaceAccount(second, first.last.id), false);
      assert.equal(await store().readAccount('nobody'), null);
    });

    it('adds an entry once, and refuses another one of its number or its key', async () => {
      const [first, second] = history('added', 1);
      assert.ok(first && second);
      for (const { last } of [first, first, second, second]) await store().appendEntry(last);
      for (const other of [
        { ...second.last, id: 'wle_other', idempotencyKey: 'another' },
        { ...second.last, id: 'wle_other', sequence: 3 },
      ]) {
        await assert.rejects(store().appendEntry(other), { code: 'CONFLICT' });
      }
      const { items } = await store().listEntries('added', { cursor: null, limit: 10 });
      assert.deepEqual(items, [second.last, first.last]);
    });

    it('finds an entry by its key, of its org alone', async () => {
      for (const org of ['found', 'beside']) for (const { last } of history(org, 2)) await store().appendEntry(last);
      assert.deepEqual(await store().findEntry('found', 'key-2'), history('found', 2)[1]?.last);
      assert.equal(await store().findEntry('found', 'key-9'), null);
      assert.equal(await store().findEntry('elsewhere', 'key-2'), null);
    });

    it('lists the newest first in pages that miss and repeat nothing, of one org', async () => {
      for (const org of ['pages', 'pages-2']) for (const { last } of history(org, 4)) await store().appendEntry(last);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await store().listEntries('pages', { cursor, limit: 2 });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(
        seen,
        [5, 4, 3, 2, 1].map((number) => `wle_pages${number}`),
      );
      await assert.rejects(store().listEntries('pages', { cursor: 'x', limit: 2 }), { code: 'VALIDATION_FAILED' });
    });
  });
}
