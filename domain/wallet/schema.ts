import { z } from 'zod';
import { orgSlugSchema } from '../org-slug.ts';
import { BALANCES } from './balances.ts';
import { ENTRY_KINDS } from './entry.ts';
import { CREDITED } from './movement.ts';

/** The most that one movement adds or takes: 10 million USD. */
export const MOST_TOKENS = 1_000_000_000;

const tokens = z.int().min(1).max(MOST_TOKENS).describe('Whole gas tokens');
const reason = z.string().trim().min(1).max(200).describe('Why, in words for the people of the org');

export const walletParamsSchema = z.strictObject({ org: orgSlugSchema });

export const creditBodySchema = z.strictObject({
  amount: tokens,
  balance: z.enum(CREDITED).default('purchased').describe('The balance that the tokens are added to'),
  reason,
});

export const debitBodySchema = z.strictObject({ amount: tokens, reason });

const balancesSchema = z
  .object({ intro: z.int(), purchased: z.int(), earned: z.int() })
  .describe(`Spent in this order: ${BALANCES.join(', ')}`);

export const walletViewSchema = z.object({
  org: z.string(),
  balance: z.int().describe('All that the org can spend: the sum of its balances'),
  balances: balancesSchema,
  openedAt: z.string(),
});

export const entryViewSchema = z.object({
  id: z.string(),
  sequence: z.int().describe('1 for the entry that opens the account; no number is left out'),
  kind: z.enum(ENTRY_KINDS),
  amount: z.int(),
  postings: z
    .array(z.object({ account: z.string(), amount: z.int() }))
    .describe("Balances of the org and the platform's side; their amounts add up to 0"),
  balances: balancesSchema,
  balance: z.int().describe('The sum of the balances with this entry in them'),
  reason: z.string(),
  actor: z.string(),
  at: z.string(),
});
