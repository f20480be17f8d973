import { FairleadError } from '../errors.ts';
import type { WalletAccount } from './account.ts';
import { BALANCES, type BalanceName, type Balances, INTRO_TOKENS, totalOf } from './balances.ts';
import { type LedgerEntry, OPENING_KEY, type Posting } from './entry.ts';

/** Balances that the platform adds to: bought by the org, or earned by its services. */
export const CREDITED = ['purchased', 'earned'] as const;

/** A change of an account that somebody asks for. */
export type Movement = Credit | Debit;

interface Asked {
  /** Whole tokens, above 0. */
  readonly amount: number;
  readonly reason: string;
  readonly actor: string;
  readonly idempotencyKey: string;
}

export interface Credit extends Asked {
  readonly kind: 'credit';
  readonly balance: (typeof CREDITED)[number];
}

export interface Debit extends Asked {
  readonly kind: 'debit';
}

/** What the ledger gives an entry. */
interface EntryFrame {
  readonly id: string;
  readonly at: Date;
}

const EMPTY: Balances = { intro: 0, purchased: 0, earned: 0 };
const SIDES = { purchased: 'sales', earned: 'payouts' } as const;

/** A new account with its intro tokens and the entry that says so. */
export function openAccount(org: string, { id, at }: EntryFrame): WalletAccount {
  const postings = [
    { account: 'grants', amount: -INTRO_TOKENS },
    { account: 'intro', amount: INTRO_TOKENS },
  ] as const;
  const balances = add(EMPTY, postings);
  const opening = { kind: 'opening', amount: INTRO_TOKENS, idempotencyKey: OPENING_KEY, actor: 'wallet' } as const;
  const last: LedgerEntry = { id, org, sequence: 1, ...opening, postings, balances, reason: 'Intro tokens', at };
  return { org, balances, last, openedAt: at };
}

/**
 * The account after a movement, with its entry as the last one.
 * @throws INSUFFICIENT_GAS with balance, required and shortfall; CONFLICT for a credit above what an account can hold
 */
export function applyMovement(account: WalletAccount, movement: Movement, { id, at }: EntryFrame): WalletAccount {
  const { org, last } = account;
  const { kind, amount, reason, actor, idempotencyKey } = movement;
  const postings = kind === 'credit' ? creditPostings(account, movement) : debitPostings(account, movement);
  const balances = add(account.balances, postings);
  const sequence = last.sequence + 1;
  return {
    ...account,
    balances,
    last: { id, org, sequence, kind, amount, postings, balances, idempotencyKey, reason, actor, at },
  };
}

/** True when the entry is what this movement asks for: then the movement is a repeat of the one that made it. */
export function isOf(entry: LedgerEntry, movement: Movement): boolean {
  const { kind, amount, reason, actor } = movement;
  if (entry.kind !== kind || entry.amount !== amount || entry.reason !== reason || entry.actor !== actor) return false;
  return movement.kind === 'debit' || entry.postings.some(({ account }) => account === movement.balance);
}

function creditPostings({ org, balances }: WalletAccount, { amount, balance }: Credit): readonly Posting[] {
  if (!Number.isSafeInteger(totalOf(balances) + amount)) {
    throw new FairleadError('CONFLICT', `The wallet of ${org} cannot hold ${amount} tokens more`);
  }
  return [
    { account: SIDES[balance], amount: -amount },
    { account: balance, amount },
  ];
}

/** Takes from each balance what it has, in the order of {@link BALANCES}. */
function debitPostings({ org, balances }: WalletAccount, { amount }: Debit): readonly Posting[] {
  const balance = totalOf(balances);
  if (balance < amount) throw insufficientGas(`The wallet of ${org}`, { balance, required: amount });
  const taken: Posting[] = [];
  let open = amount;
  for (const account of BALANCES) {
    const part = Math.min(open, balances[account]);
    if (part > 0) taken.push({ account, amount: -part });
    open -= part;
  }
  return [...taken, { account: 'usage', amount }];
}

/**
 * Says in words and details what is there, what is needed and what is missing, in whole tokens.
 * @param what whose tokens, as the beginning of a sentence
 */
export function insufficientGas(
  what: string,
  { balance, required }: { readonly balance: number; readonly required: number },
): FairleadError {
  const shortfall = Math.max(0, required - balance);
  const message = `${what} has ${balance} tokens, and ${required} are required: ${shortfall} are missing.`;
  return new FairleadError('INSUFFICIENT_GAS', message, { details: { balance, required, shortfall } });
}

function add(balances: Balances, postings: readonly Posting[]): Balances {
  const of = (name: BalanceName): number =>
    postings.reduce((sum, { account, amount }) => (account === name ? sum + amount : sum), balances[name]);
  return { intro: of('intro'), purchased: of('purchased'), earned: of('earned') };
}
