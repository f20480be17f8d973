import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { KEY, startWallet, type TestWallet } from '../support/start-wallet.ts';
import { runCli } from './run-cli.ts';

/** Nothing listens there: the commands of the wallet need no builder. */
const API = { url: 'http://127.0.0.1:1' };

/** The commands on a real wallet. */
describe('fairlead wallet', () => {
  let wallet: TestWallet;
  before(async () => {
    wallet = await startWallet();
  });
  after(() => wallet.stop());

  const run = (args: readonly string[], url = wallet.address) =>
    runCli(API, ['wallet', ...args], { env: { FAIRLEAD_KEY: KEY, FAIRLEAD_WALLET_URL: url } });
  const json = async (args: readonly string[]) => {
    const { code, stdout, stderr } = await run([...args, '--json']);
    assert.equal(code, 0, stderr);
    return JSON.parse(stdout).data;
  };

  it('shows the balances for people, the sum with --quiet, and the reply with --json', async () => {
    const { code, stdout } = await run(['--org', 'shown']);
    assert.equal(code, 0);
    assert.match(stdout, /Balance +50,000 tokens\n.*Intro +50,000\n.*Purchased +0\n.*Earned +0/);
    assert.equal((await run(['balance', '--org', 'shown', '--quiet'])).stdout, '50000\n');
    const { openedAt, ...shown } = await json(['balance', '--org', 'shown']);
    assert.deepEqual(shown, {
      org: 'shown',
      balance: 50_000,
      balances: { intro: 50_000, purchased: 0, earned: 0 },
    });
    assert.ok(openedAt);
  });

  it('adds tokens, once under a key, and lists what was added and taken', async () => {
    const credit = ['credit', '500', '--org', 'added', '--reason', 'invoice 7', '--key', 'invoice-7'];
    const [first, second] = [await run(credit), await run(credit)];
    assert.deepEqual([first.code, first.stdout], [0, 'added has 500 tokens more: 50,500\n']);
    assert.equal(second.stdout, first.stdout);
    const headers = { 'x-internal-key': KEY, 'idempotency-key': 'call-1' };
    await wallet.call('POST', '/wallets/added/debits', { amount: 20, reason: '\u001b[2Ja call' }, headers);
    const { stdout } = await run(['ledger', '--org', 'added']);
    const lines = stdout.trim().split('\n');
    assert.equal(lines.length, 4);
    assert.match(lines[1] ?? '', /-20 +50,480 .*a call +internal +wle_/);
    assert.match(lines[2] ?? '', /\+500 +50,500 +invoice 7 +internal +wle_/);
    assert.match(lines[3] ?? '', /\+50,000 +50,000 +Intro tokens +wallet +wle_/);
    assert.ok(!stdout.includes('\u001b[2J'));
    const page = await json(['ledger', '--org', 'added', '-n', '2']);
    assert.deepEqual(
      page.items.map(({ sequence }: { sequence: number }) => sequence),
      [3, 2],
    );
    assert.ok(page.nextCursor);
  });

  it('two credits without a key are two', async () => {
    const credit = ['credit', '5', '--org', 'twice', '--reason', 'a gift', '--balance', 'earned'];
    await run(credit);
    const { stdout } = await run([...credit, '--quiet']);
    assert.match(stdout, /^wle_\w+\n$/);
    assert.deepEqual((await json(['--org', 'twice'])).balances, { intro: 50_000, purchased: 0, earned: 10 });
  });

  it('says with which key to repeat a credit whose answer was lost', async () => {
    const seen: unknown[] = [];
    const cutting = createServer((request) => {
      seen.push(request.headers['idempotency-key']);
      request.socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(cutting, 'listening');
    try {
      const url = `http://127.0.0.1:${(cutting.address() as AddressInfo).port}`;
      const { code, stderr } = await run(['credit', '5', '--org', 'lost', '--reason', 'a gift'], url);
      assert.equal(code, 5);
      assert.equal(/--key ([\w-]+)`/.exec(stderr)?.[1], seen[0]);
    } finally {
      cutting.closeAllConnections();
      cutting.close();
    }
  });

  const WRONG: readonly [what: string, args: readonly string[], message: RegExp][] = [
    ['an amount of none', ['credit', '0', '--org', 'a', '--reason', 'b'], /whole number from 1/],
    ['a fraction', ['credit', '1.5', '--org', 'a', '--reason', 'b'], /whole number/],
    ['no reason', ['credit', '5', '--org', 'a'], /--reason/],
    ['no org', ['credit', '5', '--reason', 'b'], /--org/],
    ['intro tokens', ['credit', '5', '--org', 'a', '--reason', 'b', '--balance', 'intro'], /purchased, earned/],
    ['no org for a key, which acts in none', ['balance'], /A key has no org of its own/],
  ];
  for (const [what, args, message] of WRONG) {
    it(`refuses ${what}`, async () => {
      const { code, stderr } = await run(args);
      assert.equal(code, 2, stderr);
      assert.match(stderr, message);
    });
  }
});
