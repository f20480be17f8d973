import { z } from 'zod';

/** What the command line reads of the wallet's replies; the rest stays untouched, for `--json`. */
const text = z.string();
const balances = z.looseObject({ intro: z.int(), purchased: z.int(), earned: z.int() });

export const walletReply = z.looseObject({ org: text, balance: z.int(), balances });

export const entryReply = z.looseObject({
  id: text,
  sequence: z.int(),
  kind: text,
  amount: z.int(),
  balance: z.int(),
  reason: text,
  actor: text,
  at: text,
});

export type EntryReply = z.infer<typeof entryReply>;
