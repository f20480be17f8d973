import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { INTRO_TOKENS } from '../../../domain/wallet/balances.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';
import { startWalletProcess, type WalletProcess } from '../../support/wallet-process.ts';

const KEY = 'internal-key-of-this-test-0123456789';
const MOVEMENTS = 40;
/** So many are answered before a process is killed. */
const ANSWERED = 6;

let mongo: TestMongo;
const processes: WalletProcess[] = [];
before(async () => {
  mongo = await startMongo();
  const start = () => startWalletProcess({ mongodbUri: mongo.uri, key: KEY });
  processes.push(...(await Promise.all([start(), start()])));
});
after(async () => {
  await Promise.all(processes.map((wallet) => wallet.kill('SIGKILL')));
  await mongo.stop();
});

interface Entry {
  readonly id: string;
  readonly sequence: number;
  readonly balance: number;
  readonly postings: readonly { readonly account: string; readonly amount: number }[];
}

async function call(wallet: WalletProcess | undefined, path: string, key?: string): Promise<unknown> {
  assert.ok(wallet);
  const headers = { 'x-internal-key': KEY, 'content-type': 'application/json', 'idempotency-key': key ?? 'none' };
  const body = JSON.stringify({ amount: 10, reason: 'a call' });
  const response = await fetch(`${wallet.url}/wallets/acme${path}`, {
    ...(key === undefined ? { headers } : { method: 'POST', headers, body }),
  });
  const reply = (await response.json()) as { data?: unknown };
  assert.ok(reply.data !== undefined, `${response.status} ${JSON.stringify(reply)}`);
  return reply.data;
}

const keyOf = (number: number): string => `call-${Math.floor(number / 2)}`;

it('two processes on one database make each movement once, also when one is killed among them and all are repeated', async () => {
  const [mortal, lasting] = processes;
  let answered = 0;
  let killed: Promise<void> | null = null;
  const outcomes = await Promise.allSettled(
    Array.from({ length: MOVEMENTS }, async (_, number) => {
      const entry = (await call(processes[number % 2], '/debits', keyOf(number))) as Entry;
      answered += 1;
      if (answered === ANSWERED) killed = mortal?.kill('SIGKILL') ?? null;
      return entry;
    }),
  );
  await killed;
  assert.ok(
    outcomes.some(({ status }) => status === 'rejected'),
    'some answers were lost',
  );
  const again = (await Promise.all(
    outcomes.map((_outcome, number) => call(lasting, '/debits', keyOf(number))),
  )) as Entry[];
  for (const [number, outcome] of outcomes.entries()) {
    if (outcome.status === 'fulfilled') assert.equal(again[number]?.id, outcome.value.id);
  }
  const { items } = (await call(lasting, '/ledger?limit=200')) as { items: Entry[] };
  assert.deepEqual(
    items.map(({ sequence }) => sequence),
    Array.from({ length: MOVEMENTS / 2 + 1 }, (_, index) => MOVEMENTS / 2 + 1 - index),
  );
  const taken = items
    .flatMap(({ postings }) => postings)
    .reduce((sum, { account, amount }) => (account === 'usage' ? sum + amount : sum), 0);
  const wallet = (await call(lasting, '')) as { balance: number };
  assert.deepEqual([taken, wallet.balance], [10 * (MOVEMENTS / 2), INTRO_TOKENS - 10 * (MOVEMENTS / 2)]);
});
