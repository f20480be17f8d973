/**
 * The module `wallet`: accounts of orgs, and the ledger of what was added to them and taken from them.
 *
 * Keying: an org has one account, under its slug. An entry has a number within its org, and an org has one entry under
 * each idempotency key.
 * Retries: a movement with the same key is made once, however often and by however many it is asked for.
 * Compensation: none. A movement that was made is answered by another one, never taken out.
 */

import type { Page, PageRequest } from '../page.ts';
import type { WalletAccount } from './account.ts';
import type { LedgerEntry } from './entry.ts';
import type { Movement } from './movement.ts';

/**
 * Accounts and entries. Each call changes one document, so that each either took effect or did not; the order in which
 * the wallet makes them keeps both in agreement (api/wallet/wallet-ledger.ts).
 */
export interface WalletStore {
  /** As a majority of the database's members has it, so that no failover takes it back. @throws UNAVAILABLE */
  readAccount(org: string): Promise<WalletAccount | null>;
  /** Keeps a new account. False when the org has one: then nothing changes. @throws UNAVAILABLE */
  openAccount(account: WalletAccount): Promise<boolean>;
  /** Puts an account in the place of the one with that last entry. False when that is not its last one. @throws UNAVAILABLE */
  replaceAccount(account: WalletAccount, lastId: string): Promise<boolean>;
  /** Adds an entry. Nothing changes when it is there already. @throws CONFLICT when another has its number; UNAVAILABLE */
  appendEntry(entry: LedgerEntry): Promise<void>;
  findEntry(org: string, idempotencyKey: string): Promise<LedgerEntry | null>;
  /** Newest first. @throws VALIDATION_FAILED for a cursor that is none */
  listEntries(org: string, page: PageRequest): Promise<Page<LedgerEntry>>;
}

/** What the routes of the wallet work with. */
export interface WalletLedger {
  /** The account of an org, which is opened when it has none. @throws ORG_NOT_FOUND, UNAVAILABLE */
  readAccount(org: string): Promise<WalletAccount>;
  /**
   * Makes a movement and returns its entry; of a repeat, the entry that is there.
   * @throws INSUFFICIENT_GAS, IDEMPOTENCY_KEY_REUSED, CONFLICT, ORG_NOT_FOUND, UNAVAILABLE; nothing was moved then, but
   *   after UNAVAILABLE, where a repeat with the same key tells
   */
  move(org: string, movement: Movement): Promise<LedgerEntry>;
  /** Newest first. @throws VALIDATION_FAILED for a cursor that is none; ORG_NOT_FOUND, UNAVAILABLE */
  listEntries(org: string, page: PageRequest): Promise<Page<LedgerEntry>>;
}

/** The wallet as other parts of the platform read it. */
export interface WalletReader {
  /**
   * All that an org can spend, in whole tokens.
   * @throws ORG_NOT_FOUND; UNAVAILABLE of the system `wallet` when the wallet does not answer in time, or not in its terms
   */
  readBalance(org: string, signal: AbortSignal): Promise<number>;
}
