import type { z } from 'zod';
import type { WalletAccount } from '../../domain/wallet/account.ts';
import { totalOf } from '../../domain/wallet/balances.ts';
import type { LedgerEntry } from '../../domain/wallet/entry.ts';
import type { entryViewSchema, walletViewSchema } from '../../domain/wallet/schema.ts';

export function walletView({ org, balances, openedAt }: WalletAccount): z.input<typeof walletViewSchema> {
  return { org, balance: totalOf(balances), balances, openedAt: openedAt.toISOString() };
}

/** Without the idempotency key, which is between the wallet and who moved the tokens. */
export function entryView(entry: LedgerEntry): z.input<typeof entryViewSchema> {
  const { id, sequence, kind, amount, postings, balances, reason, actor, at } = entry;
  const shown = { id, sequence, kind, amount, postings: [...postings], balances, balance: totalOf(balances) };
  return { ...shown, reason, actor, at: at.toISOString() };
}
