import type { Balances } from './balances.ts';
import type { LedgerEntry } from './entry.ts';

/** The account of an org: the one document that decides what its balances are. */
export interface WalletAccount {
  /** Slug of the org, which has one account. */
  readonly org: string;
  readonly balances: Balances;
  /**
   * The newest entry. It is written with the balances, in one document, and so never without them. Who finds it here and
   * not among the entries adds it there before the account changes again.
   */
  readonly last: LedgerEntry;
  readonly openedAt: Date;
}
