import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { WalletAccount } from '../../../domain/wallet/account.ts';
import type { LedgerEntry } from '../../../domain/wallet/entry.ts';
import type { WalletStore } from '../../../domain/wallet/ports.ts';
import { pageOf } from './page-of.ts';

const newestFirst = {
  cursor: z.tuple([z.int()]),
  keyOf: ({ sequence }: LedgerEntry): [number] => [sequence],
  compare: ([a]: readonly [number], [b]: readonly [number]) => b - a,
};

/** Accounts and entries of this process. */
export function createInMemoryWalletStore(): WalletStore {
  const accounts = new Map<string, WalletAccount>();
  const entries = new Map<string, LedgerEntry>();
  const ofOrg = (org: string) => [...entries.values()].filter((entry) => entry.org === org);
  return {
    readAccount: async (org) => structuredClone(accounts.get(org) ?? null),
    async openAccount(account) {
      if (accounts.has(account.org)) return false;
      accounts.set(account.org, structuredClone(account));
      return true;
    },
    async replaceAccount(account, lastId) {
      if (accounts.get(account.org)?.last.id !== lastId) return false;
      accounts.set(account.org, structuredClone(account));
      return true;
    },
    async appendEntry(entry) {
      const beside = ofOrg(entry.org);
      const taken = beside.find(
        ({ sequence, idempotencyKey }) => sequence === entry.sequence || idempotencyKey === entry.idempotencyKey,
      );
      if (taken === undefined) entries.set(entry.id, structuredClone(entry));
      else if (taken.id !== entry.id) throw new FairleadError('CONFLICT', `${entry.org} has another entry`);
    },
    findEntry: async (org, key) =>
      structuredClone(ofOrg(org).find(({ idempotencyKey }) => idempotencyKey === key)) ?? null,
    listEntries: async (org, page) => structuredClone(pageOf(ofOrg(org), page, newestFirst)),
  };
}
