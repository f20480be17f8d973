import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Interface, Transaction, Wallet } from 'ethers';
import { REGISTRY_ABI } from '../../../adapters/chain/registry-abi.ts';
import { dayNumber } from '../../../domain/audit-ledger/days.ts';
import { ANCHORER } from '../../support/start-anvil.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { CHAIN_ID, GWEI, NEVER, useAnchoring } from './use-anchoring.ts';

describe('one anchor, whatever becomes of workers and transactions', { timeout: 300_000 }, () => {
  const { parts, store, batch, anchoring, sent, transactionsOfAnchorer, rootOn } = useAnchoring();
  const lookedFor = (hash: string) =>
    parts.proxy.calls.some(({ method, params }) => method === 'eth_getTransactionByHash' && params[0] === hash);
  const isKnown = async (hash: unknown) => (await parts.chain.rpc('eth_getTransactionByHash', hash)) !== null;

  it('a worker killed after it sent leaves one transaction, which the next one finds', async () => {
    const given = batch();
    const before = await transactionsOfAnchorer();
    await parts.chain.rpc('evm_setAutomine', false);
    // The node takes the transaction, and its answer never arrives.
    const accepted = Promise.withResolvers<string>();
    parts.proxy.meddle = async (call, ask) => {
      const answer = await ask();
      if (call.method !== 'eth_sendRawTransaction') return answer;
      accepted.resolve(String(answer.result));
      return 'hang';
    };
    const script = fileURLToPath(new URL('./anchor-child.ts', import.meta.url));
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], {
      stdio: 'inherit',
      env: {
        ...process.env,
        ANCHOR_CHILD: JSON.stringify({
          ...given,
          rpcUrl: parts.proxy.url,
          contract: parts.chain.contract,
          chainId: CHAIN_ID,
          mongoUri: parts.mongo.uri,
        }),
      },
    });
    const exited = once(child, 'exit');
    const ended = exited.then(() => assert.fail('the worker ended by itself'));
    ended.catch(() => undefined);
    const hash = await Promise.race([accepted.promise, ended]);
    child.kill('SIGKILL');
    await exited;
    parts.proxy.meddle = (_call, ask) => ask();
    const waiting = anchoring().anchor(given, NEVER);
    await waitUntil('the next one to look for it', () => lookedFor(hash));
    await parts.chain.rpc('evm_setAutomine', true);
    await parts.chain.rpc('evm_mine');
    const anchor = await waiting;
    assert.equal(anchor.txHash, hash);
    assert.equal(sent().length, 1, 'what is known is not sent again');
    assert.equal(await transactionsOfAnchorer(), before + 1, 'one transaction, not two');
    assert.equal((await parts.chain.provider.getTransactionReceipt(anchor.txHash))?.status, 1);
  });

  it('a worker killed before it sent: the next one sends the stored transaction unchanged', async () => {
    const given = batch();
    const before = await transactionsOfAnchorer();
    parts.proxy.meddle = async (call, ask) => (call.method === 'eth_sendRawTransaction' ? 'hang' : ask());
    const stop = new AbortController();
    const first = anchoring().anchor(given, stop.signal);
    await waitUntil('a transaction to be sent', () => sent().length > 0);
    stop.abort(new Error('killed'));
    await assert.rejects(first, { name: 'AbortError' });
    const stored = (await store().find(given.id, CHAIN_ID))?.transactions ?? [];
    assert.equal(stored.length, 1);
    assert.equal(await isKnown(stored[0]?.hash), false, 'no node has it');
    parts.proxy.meddle = (_call, ask) => ask();
    const anchor = await anchoring().anchor(given, NEVER);
    assert.equal(anchor.txHash, stored[0]?.hash);
    assert.equal(await transactionsOfAnchorer(), before + 1);
  });

  it('a transaction that is stuck is replaced under its nonce by one that pays at least an eighth more', async () => {
    const given = batch();
    const before = await transactionsOfAnchorer();
    await parts.chain.rpc('evm_setAutomine', false);
    const waiting = anchoring({ replaceAfterMs: 150 }).anchor(given, NEVER);
    const signed = async () => (await store().find(given.id, CHAIN_ID))?.transactions.length ?? 0;
    await waitUntil('two replacements', async () => (await signed()) >= 3);
    await parts.chain.rpc('evm_setAutomine', true);
    await parts.chain.rpc('evm_mine');
    const anchor = await waiting;
    assert.equal(await transactionsOfAnchorer(), before + 1);
    const { transactions = [], nonce } = (await store().find(given.id, CHAIN_ID)) ?? {};
    assert.equal(nonce, before);
    assert.ok(
      transactions.slice(1).some(({ hash }) => hash === anchor.txHash),
      'one that pays more was mined',
    );
    for (const [index, { maxFeePerGas, maxPriorityFeePerGas }] of transactions.slice(1).entries()) {
      const earlier = transactions[index];
      assert.ok(earlier && maxFeePerGas * 8n >= earlier.maxFeePerGas * 9n);
      assert.ok(maxPriorityFeePerGas * 8n >= earlier.maxPriorityFeePerGas * 9n);
    }
  });

  it('a transaction that the node dropped is sent again', async () => {
    const given = batch();
    await parts.chain.rpc('evm_setAutomine', false);
    const waiting = anchoring().anchor(given, NEVER);
    await waitUntil('a transaction to be sent', () => sent().length > 0);
    const [{ hash } = { hash: '' }] = (await store().find(given.id, CHAIN_ID))?.transactions ?? [];
    await waitUntil('the node to have it', () => isKnown(hash));
    await parts.chain.rpc('anvil_dropAllTransactions');
    assert.equal(await isKnown(hash), false, 'the node dropped it');
    await waitUntil('it to be sent again', () => isKnown(hash));
    await parts.chain.rpc('evm_setAutomine', true);
    await parts.chain.rpc('evm_mine');
    assert.equal((await waiting).txHash, hash);
    assert.equal(new Set(sent().map(({ params }) => params[0])).size, 1, 'the same transaction');
    assert.equal((await store().find(given.id, CHAIN_ID))?.transactions.length, 1);
  });

  it('a nonce that something else used up is given up for another', async () => {
    const given = batch();
    await parts.chain.rpc('evm_setAutomine', false);
    const waiting = anchoring().anchor(given, NEVER);
    await waitUntil('a transaction to be sent', () => sent().length > 0);
    // Somebody with the same key replaces it by a transaction of another kind.
    await parts.chain.rpc('anvil_dropAllTransactions');
    const nonce = (await store().find(given.id, CHAIN_ID))?.nonce;
    assert.ok(nonce !== undefined);
    const other = {
      to: parts.chain.owner,
      value: 1n,
      nonce,
      gasLimit: 21_000n,
      maxFeePerGas: 90n * GWEI,
      maxPriorityFeePerGas: 50n * GWEI,
      chainId: CHAIN_ID,
      type: 2,
    };
    await parts.chain.provider.broadcastTransaction(await new Wallet(ANCHORER.privateKey).signTransaction(other));
    await parts.chain.rpc('evm_mine');
    await parts.chain.rpc('evm_setAutomine', true);
    await waiting;
    assert.equal(await rootOn(given.id), given.root);
    assert.ok(((await store().find(given.id, CHAIN_ID))?.nonce ?? 0) > nonce);
  });

  it('what is stuck before it in the order of nonces is helped first', async () => {
    const [first, second] = [batch(), batch()];
    await parts.chain.rpc('evm_setAutomine', false);
    await assert.rejects(anchoring({ attemptMs: 1_500 }).anchor(first, NEVER), { code: 'CHAIN_UNREACHABLE' });
    const nonce = (await store().find(first.id, CHAIN_ID))?.nonce;
    assert.ok(nonce !== undefined);
    await assert.rejects(anchoring({ attemptMs: 1_500 }).anchor(second, NEVER), { code: 'CHAIN_UNREACHABLE' });
    assert.equal((await store().find(second.id, CHAIN_ID))?.nonce, nonce + 1);
    await parts.chain.rpc('anvil_dropAllTransactions');
    await parts.chain.rpc('evm_setAutomine', true);
    parts.proxy.calls.length = 0;
    await anchoring().anchor(second, NEVER);
    const order = sent().map(({ params }) => Transaction.from(String(params[0])).nonce);
    assert.deepEqual(order.slice(0, 2), [nonce, nonce + 1], 'what is stuck first, then what waits for it');
    assert.equal(await rootOn(first.id), first.root);
    assert.equal(await rootOn(second.id), second.root);
  });

  it('what somebody else put among the undertakings is neither signed nor sent', async () => {
    const [given, other] = [batch(), batch()];
    const nonce = await transactionsOfAnchorer();
    const forged = new Interface(REGISTRY_ABI).encodeFunctionData('anchor', [
      dayNumber(given.id),
      `0x${'66'.repeat(32)}`,
    ]);
    const planted = {
      chainId: CHAIN_ID,
      from: ANCHORER.address,
      to: parts.chain.contract,
      data: forged,
      gasLimit: 200_000n,
      transactions: [
        {
          hash: `0x${'11'.repeat(32)}`,
          raw: await new Wallet(`0x${'77'.repeat(32)}`).signTransaction({ to: parts.chain.contract, nonce }),
          maxFeePerGas: GWEI,
          maxPriorityFeePerGas: GWEI,
          signedAt: new Date(0),
        },
      ],
    } as const;
    // Its own undertaking, and one that would be before it in the order of nonces.
    await store().put({ ...planted, batchId: given.id, nonce: nonce + 1 });
    await store().put({ ...planted, batchId: other.id, nonce });
    await anchoring().anchor(given, NEVER);
    assert.equal(await rootOn(given.id), given.root);
    assert.deepEqual(
      sent().map(({ params }) => Transaction.from(String(params[0])).data === forged),
      [false],
    );
  });

  it('a transaction of our own account for another root of the day is not carried on', async () => {
    const given = batch();
    const forged = { ...given, root: `0x${'66'.repeat(32)}` } as const;
    await parts.chain.rpc('evm_setAutomine', false);
    await assert.rejects(anchoring({ attemptMs: 1_000 }).anchor(forged, NEVER), { code: 'CHAIN_UNREACHABLE' });
    await parts.chain.rpc('anvil_dropAllTransactions');
    await parts.chain.rpc('evm_setAutomine', true);
    await anchoring().anchor(given, NEVER);
    assert.equal(await rootOn(given.id), given.root);
  });

  it('a transaction that is not ours is not taken for the anchor', async () => {
    const given = batch();
    const { txHash } = await anchoring().anchor(given, NEVER);
    const { txHash: foreign } = await anchoring().anchor(batch(), NEVER);
    const pending = (await store().find(given.id, CHAIN_ID)) ?? assert.fail('it is kept');
    const transactions = pending.transactions.map((one) => ({ ...one, hash: foreign }));
    await store().put({ ...pending, transactions });
    assert.equal((await anchoring().anchor(given, NEVER)).txHash, txHash);
  });

  it('days anchored at once get a nonce each', async () => {
    const batches = [batch(), batch(), batch(), batch()];
    const before = await transactionsOfAnchorer();
    const one = anchoring();
    const anchors = await Promise.all(batches.map((given) => one.anchor(given, NEVER)));
    assert.equal(new Set(anchors.map(({ txHash }) => txHash)).size, 4);
    assert.equal(await transactionsOfAnchorer(), before + 4);
  });
});
