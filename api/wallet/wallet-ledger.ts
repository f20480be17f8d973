import type { Clock } from '../../domain/clock.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { NewId } from '../../domain/ids.ts';
import { createMutex } from '../../domain/mutex.ts';
import type { OrgDirectory } from '../../domain/org-directory.ts';
import type { WalletAccount } from '../../domain/wallet/account.ts';
import type { LedgerEntry } from '../../domain/wallet/entry.ts';
import { applyMovement, isOf, type Movement, openAccount } from '../../domain/wallet/movement.ts';
import type { WalletLedger, WalletStore } from '../../domain/wallet/ports.ts';

export interface WalletLedgerDeps {
  readonly store: WalletStore;
  readonly newId: NewId;
  readonly now: Clock;
  /** Asked before an account is opened. Null where no identity provider is known: then the caller's word counts. */
  readonly orgs: OrgDirectory | null;
}

/** Only other processes are in the way, and of all that try at once one succeeds. */
const MOST_ATTEMPTS = 100;

/**
 * The wallet's ledger. The account document carries the balances and the newest entry together, and changes only on the
 * condition that its newest entry is still the one that was read. A movement is, in this order:
 *
 * 1. the newest entry of the account is added to the entries, unless it is there: a process that was killed after step 3
 *    left it out;
 * 2. the idempotency key is looked up among the entries, which are all there are by now;
 * 3. the account is replaced by one with the new balances and the new entry: with this write the movement is made;
 * 4. the new entry is added to the entries.
 *
 * So a kill between any two writes loses nothing and repeats nothing, and the balances are always the sum of the entries
 * and the newest one. Movements of one org take turns in this process, to spare them attempts; between processes only the
 * condition of step 3 decides.
 */
export function createWalletLedger(deps: WalletLedgerDeps): WalletLedger {
  const { store } = deps;
  const inTurn = createMutex();
  return {
    readAccount: (org) => findOrOpen(deps, org),
    move: (org, movement) => inTurn(org, () => move(deps, org, movement)),
    async listEntries(org, page) {
      await completeEntries(deps, org);
      return await store.listEntries(org, page);
    },
  };
}

async function move(deps: WalletLedgerDeps, org: string, movement: Movement): Promise<LedgerEntry> {
  const { store, newId, now } = deps;
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
    const account = await completeEntries(deps, org);
    const made = await store.findEntry(org, movement.idempotencyKey);
    if (made !== null) return requireSame(made, movement);
    const moved = applyMovement(account, movement, { id: newId('walletEntry'), at: now() });
    if (!(await store.replaceAccount(moved, account.last.id))) continue;
    await store.appendEntry(moved.last);
    return moved.last;
  }
  throw new FairleadError('UNAVAILABLE', `Too much is moved in the wallet of ${org} at once; try again shortly`, {
    retryable: true,
  });
}

/** The account, with its newest entry among the entries. */
async function completeEntries(deps: WalletLedgerDeps, org: string): Promise<WalletAccount> {
  const account = await findOrOpen(deps, org);
  await deps.store.appendEntry(account.last);
  return account;
}

async function findOrOpen({ store, orgs, newId, now }: WalletLedgerDeps, org: string): Promise<WalletAccount> {
  const found = await store.readAccount(org);
  if (found !== null) return found;
  await orgs?.requireOrg(org);
  const account = openAccount(org, { id: newId('walletEntry'), at: now() });
  if (await store.openAccount(account)) return account;
  const opened = await store.readAccount(org);
  if (opened !== null) return opened;
  throw new FairleadError('UNAVAILABLE', `The wallet of ${org} cannot be read; try again shortly`, { retryable: true });
}

function requireSame(made: LedgerEntry, movement: Movement): LedgerEntry {
  if (isOf(made, movement)) return made;
  const message = `Idempotency-Key: ${made.org} has another ${made.kind} under this key, of ${made.amount} tokens`;
  throw new FairleadError('IDEMPOTENCY_KEY_REUSED', message);
}
