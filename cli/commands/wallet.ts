import { randomUUID } from 'node:crypto';
import { actingOrg, type OrgOption } from '../acting-org.ts';
import { CliFailure } from '../cli-failure.ts';
import type { CliContext } from '../context.ts';
import { exitCode } from '../exit-codes.ts';
import { noteMore, readPages } from '../read-pages.ts';
import { printFields } from '../terminal/fields.ts';
import { formatMoment } from '../terminal/times.ts';
import { connectToWallet, walletPath } from '../wallet-api.ts';
import { type EntryReply, entryReply, walletReply } from '../wallet-replies.ts';

const NUMBERS = new Intl.NumberFormat('en-GB');

/** `fairlead wallet`: what an org can spend. */
export async function showBalance(context: CliContext, options: OrgOption): Promise<number> {
  const { output } = context;
  const org = actingOrg(context.connection, options.org);
  const wallet = await connectToWallet(context).call(walletReply, { method: 'GET', path: walletPath(org) });
  output.document(wallet);
  const { balance, balances } = wallet;
  if (output.quiet) output.print(String(balance));
  else {
    printFields(output, [
      ['Org', wallet.org],
      ['Balance', `${NUMBERS.format(balance)} tokens`],
      ['Intro', NUMBERS.format(balances.intro)],
      ['Purchased', NUMBERS.format(balances.purchased)],
      ['Earned', NUMBERS.format(balances.earned)],
    ]);
  }
  return exitCode('ok');
}

/** `fairlead wallet ledger`: the entries of an org, newest first. */
export async function listLedger(context: CliContext, options: OrgOption & { limit: number }): Promise<number> {
  const { output } = context;
  const org = actingOrg(context.connection, options.org);
  const path = walletPath(org, 'ledger');
  const page = await readPages(connectToWallet(context), entryReply, { path, limit: options.limit });
  output.document(page);
  if (output.quiet) for (const { id } of page.items) output.print(id);
  else output.table(COLUMNS, page.items.map(row));
  noteMore(output, page, options.limit);
  return exitCode('ok');
}

const COLUMNS = [
  { title: 'TIME' },
  { title: 'TOKENS' },
  { title: 'BALANCE' },
  { title: 'REASON', shrinks: true },
  { title: 'ACTOR', shrinks: true },
  { title: 'ENTRY' },
];

function row({ id, kind, amount, balance, reason, actor, at }: EntryReply) {
  const change = kind === 'debit' ? -amount : amount;
  return [
    { text: formatMoment(at) },
    { text: `${change > 0 ? '+' : ''}${NUMBERS.format(change)}`, tone: 'bold' },
    { text: NUMBERS.format(balance) },
    { text: reason },
    { text: actor },
    { text: id, tone: 'dim' },
  ] as const;
}

interface CreditOptions {
  readonly org: string;
  readonly reason: string;
  readonly balance: string;
  readonly key?: string;
}

/** `fairlead wallet credit <amount>`: adds tokens; after an answer that was lost, the same command with its key adds no more. */
export async function creditWallet(context: CliContext, amount: number, options: CreditOptions): Promise<number> {
  const { output } = context;
  const { org, reason, balance, key = randomUUID() } = options;
  const request = {
    method: 'POST',
    path: walletPath(org, 'credits'),
    body: { amount, reason, balance },
    headers: { 'idempotency-key': key },
  } as const;
  const entry = await connectToWallet(context)
    .call(entryReply, request)
    .catch((error: unknown) => {
      throw mayHaveHappened(error) ? withKey(error, key) : error;
    });
  output.document(entry);
  output.print(
    output.quiet ? entry.id : `${org} has ${NUMBERS.format(amount)} tokens more: ${NUMBERS.format(entry.balance)}`,
  );
  return exitCode('ok');
}

/** Nobody knows what became of a request without an answer, or with one that cannot be read. */
function mayHaveHappened(error: unknown): error is CliFailure {
  return error instanceof CliFailure && (error.exit === 'unreachable' || error.code === 'UNEXPECTED_REPLY');
}

function withKey({ code, message, exit, details, cause }: CliFailure, key: string): CliFailure {
  const remedy = `It may have been added. Repeat the command with \`--key ${key}\`: then it is added once.`;
  return new CliFailure(code, message, { exit, details, cause, remedy });
}
