import type { BalanceName, Balances } from './balances.ts';

/** Where tokens come from, and where they go: the platform's side of each entry. */
export type Counterpart = 'grants' | 'sales' | 'payouts' | 'usage';

/** Tokens that an entry adds to one side, or takes from it. */
export interface Posting {
  /** A balance of the org, or the platform's side. */
  readonly account: BalanceName | Counterpart;
  /** Whole tokens; never 0. Negative where they are taken. */
  readonly amount: number;
}

/** The key of the entry that opens an account. It has a blank, so that no request can name it. */
export const OPENING_KEY = 'opening entry';

export const ENTRY_KINDS = ['opening', 'credit', 'debit'] as const;

/**
 * One movement of tokens of an org. It is written once and never changed. Its postings add up to 0 (double entry), and
 * those of all entries of an org add up to its balances.
 */
export interface LedgerEntry {
  /** `wle_…` */
  readonly id: string;
  readonly org: string;
  /** 1 for the entry that opens the account; no number is left out. */
  readonly sequence: number;
  readonly kind: (typeof ENTRY_KINDS)[number];
  /** Whole tokens, above 0, whatever the kind. */
  readonly amount: number;
  readonly postings: readonly Posting[];
  /** The balances with this entry in them. */
  readonly balances: Balances;
  /** Under one key an org has one entry. */
  readonly idempotencyKey: string;
  readonly reason: string;
  /** Who moved the tokens: a user id, a client id, `internal` or `wallet`. */
  readonly actor: string;
  readonly at: Date;
}
