import { z } from 'zod';
import type { WalletAccount } from '../../../domain/wallet/account.ts';
import { ENTRY_KINDS, type LedgerEntry } from '../../../domain/wallet/entry.ts';
import { readDocument } from '../read-document.ts';

/** `_id` is the org's slug. */
export interface AccountDocument extends Omit<WalletAccount, 'org'> {
  readonly _id: string;
}

/** `_id` is `<org>/<sequence>`. */
export interface EntryDocument extends LedgerEntry {
  readonly _id: string;
}

const text = z.string();
const tokens = z.int().min(0);
const balancesSchema = z.object({ intro: tokens, purchased: tokens, earned: tokens });

const entrySchema: z.ZodType<LedgerEntry> = z.object({
  id: text,
  org: text,
  sequence: z.int().min(1),
  kind: z.enum(ENTRY_KINDS),
  amount: z.int().min(1),
  postings: z.array(
    z.object({
      account: z.enum(['intro', 'purchased', 'earned', 'grants', 'sales', 'payouts', 'usage']),
      amount: z.int(),
    }),
  ),
  balances: balancesSchema,
  idempotencyKey: text,
  reason: text,
  actor: text,
  at: z.date(),
});

const accountSchema = z.object({ _id: text, balances: balancesSchema, last: entrySchema, openedAt: z.date() });

export function readAccountDocument(document: unknown): WalletAccount {
  const { _id: org, ...account } = readDocument('wallet account', accountSchema, document);
  return { org, ...account };
}

export function readEntryDocument(document: unknown): LedgerEntry {
  return readDocument('wallet entry', entrySchema, document);
}

export function accountDocument({ org, ...account }: WalletAccount): AccountDocument {
  return { _id: org, ...account };
}

export function entryDocument(entry: LedgerEntry): EntryDocument {
  return { _id: `${entry.org}/${entry.sequence}`, ...entry };
}
