import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Interface, Wallet } from 'ethers';
import { createAnchorChain } from '../../../adapters/chain/anchor-chain.ts';
import { createEnvSigner } from '../../../adapters/chain/env-signer.ts';
import { REGISTRY_ABI } from '../../../adapters/chain/registry-abi.ts';
import { createAnchoringIndexes } from '../../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { createPendingAnchorStore } from '../../../adapters/mongo/audit-ledger/pending-anchors.ts';
import { addDays, dayNumber } from '../../../domain/audit-ledger/days.ts';
import { toHash } from '../../../domain/audit-ledger/merkle-tree.ts';
import { anchorRegistryArtifact } from '../../../infra/contracts/contract-artifact.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { startMongo, type TestMongo } from '../mongo/start-mongo.ts';
import { type RpcProxy, startRpcProxy } from './rpc-proxy.ts';
import { ANCHORER, startAnvil, type TestChain } from './start-anvil.ts';

const CHAIN_ID = 31_337;
const GWEI = 10n ** 9n;
const NEVER = new AbortController().signal;

describe('anchoring on a real chain', { timeout: 120_000 }, () => {
  let chain: TestChain;
  let mongo: TestMongo;
  let proxy: RpcProxy;
  let day = '2026-01-01';
  const now = () => new Date();

  before(async () => {
    [chain, mongo] = await Promise.all([startAnvil(CHAIN_ID), startMongo()]);
    await createAnchoringIndexes(mongo.connection.db);
    proxy = await startRpcProxy(chain.rpcUrl);
  });
  after(async () => {
    await proxy.stop();
    await Promise.all([chain.stop(), mongo.stop()]);
  });
  beforeEach(async () => {
    proxy.meddle = (_call, ask) => ask();
    proxy.calls.length = 0;
    await chain.rpc('evm_setAutomine', true);
  });

  const batch = () => {
    day = addDays(day, 1);
    return { id: day, root: toHash(randomBytes(32)) };
  };
  const store = () => createPendingAnchorStore(mongo.connection);
  const anchoring = (
    changes: {
      confirmations?: number;
      contract?: string;
      chainId?: number;
      key?: string;
      feeCapWei?: bigint;
      now?: () => Date;
      replaceAfterMs?: number;
      attemptMs?: number;
    } = {},
  ) =>
    createAnchorChain(
      {
        chainId: changes.chainId ?? CHAIN_ID,
        rpcUrl: proxy.url,
        contract: changes.contract ?? chain.contract,
        confirmations: changes.confirmations ?? 1,
        explorerUrl: 'https://explorer.example/',
      },
      {
        signer: createEnvSigner(Buffer.from((changes.key ?? ANCHORER.privateKey).slice(2), 'hex')),
        pending: store(),
        now: changes.now ?? now,
        feeCapWei: changes.feeCapWei ?? 500n * GWEI,
        timing: {
          pollMs: 20,
          rpcTimeoutMs: 500,
          attemptMs: changes.attemptMs ?? 5_000,
          replaceAfterMs: changes.replaceAfterMs ?? 60_000,
        },
      },
    );
  const sent = () => proxy.calls.filter(({ method }) => method === 'eth_sendRawTransaction');
  const transactionsOfAnchorer = async () =>
    Number(await chain.rpc('eth_getTransactionCount', ANCHORER.address, 'latest'));
  const rootOn = async (id: string) => {
    const abi = new Interface(REGISTRY_ABI);
    const data = abi.encodeFunctionData('anchors', [dayNumber(id)]);
    return abi.decodeFunctionResult('anchors', await chain.provider.call({ to: chain.contract, data }))[0];
  };

  it('the part of the interface that we write down is that of the compiled contract', async () => {
    const compiled = new Interface(JSON.stringify((await anchorRegistryArtifact(process.env, silentReporter)).abi));
    new Interface(REGISTRY_ABI).forEachFunction((fragment) => {
      assert.equal(compiled.getFunction(fragment.selector)?.format('full'), fragment.format('full'));
    });
    new Interface(REGISTRY_ABI).forEachEvent((fragment) => {
      assert.equal(compiled.getEvent(fragment.topicHash)?.format('full'), fragment.format('full'));
    });
  });

  it('puts a root into the contract and says where it is', async () => {
    const given = batch();
    const anchor = await anchoring().anchor(given, NEVER);
    assert.equal(await rootOn(given.id), given.root);
    const receipt = await chain.provider.getTransactionReceipt(anchor.txHash);
    assert.equal(receipt?.blockHash, anchor.blockHash);
    assert.equal(receipt?.blockNumber, anchor.blockNumber);
    assert.equal(anchor.explorerUrl, `https://explorer.example/tx/${anchor.txHash}`);
    assert.equal(anchor.contract, chain.contract);
  });

  it('a second call finds the anchor and sends nothing, also without memory of the first', async () => {
    const given = batch();
    const first = await anchoring().anchor(given, NEVER);
    const before = await transactionsOfAnchorer();
    assert.equal((await anchoring().anchor(given, NEVER)).txHash, first.txHash);
    await mongo.connection.db.collection('pending_anchors').deleteMany({});
    assert.equal((await anchoring().anchor(given, NEVER)).txHash, first.txHash, 'found by the event of the contract');
    assert.equal(await transactionsOfAnchorer(), before);
  });

  it('another root that stands is refused, loudly', async () => {
    const given = batch();
    await anchoring().anchor(given, NEVER);
    const forged = { id: given.id, root: toHash(randomBytes(32)) };
    await assert.rejects(anchoring().anchor(forged, NEVER), { code: 'ANCHOR_REFUSED', retryable: false });
    assert.equal(await rootOn(given.id), given.root);
  });

  it('a batch that the owner invalidated does not count as anchored', async () => {
    const given = batch();
    await anchoring().anchor(given, NEVER);
    const owner = new Interface(['function invalidate(uint256 batchId, string reason, uint256 successorBatchId)']);
    const data = owner.encodeFunctionData('invalidate', [dayNumber(given.id), 'built from a broken copy', 0]);
    await chain.rpc('eth_sendTransaction', { from: chain.owner, to: chain.contract, data });
    await chain.rpc('evm_mine');
    await assert.rejects(anchoring().anchor(given, NEVER), { code: 'ANCHOR_REFUSED', message: /invalidated/ });
  });

  it('waits for the confirmations it was told', async () => {
    const given = batch();
    const waiting = anchoring({ confirmations: 3 }).anchor(given, NEVER);
    let done = false;
    void waiting.then(() => {
      done = true;
    });
    while ((await rootOn(given.id)) !== given.root) await delay(20);
    await chain.rpc('evm_mine');
    await delay(200);
    assert.equal(done, false, 'two blocks are not three');
    await chain.rpc('evm_mine');
    const anchor = await waiting;
    assert.ok((await chain.provider.getBlockNumber()) - anchor.blockNumber + 1 >= 3);
  });

  it('an anchor whose block leaves the chain is made again, and the block that stays is recorded', async () => {
    const given = batch();
    const waiting = anchoring({ confirmations: 4 }).anchor(given, NEVER);
    while ((await rootOn(given.id)) !== given.root) await delay(20);
    await chain.rpc('evm_mine');
    const orphaned = await chain.provider.getBlock('latest');
    await chain.rpc('anvil_reorg', 2, []);
    assert.notEqual((await chain.provider.getBlock(orphaned?.number ?? 0))?.hash, orphaned?.hash);
    const mining = setInterval(() => void chain.rpc('evm_mine'), 60);
    const anchor = await waiting.finally(() => clearInterval(mining));
    assert.equal(await rootOn(given.id), given.root);
    assert.equal((await chain.provider.getBlock(anchor.blockNumber))?.hash, anchor.blockHash);
  });

  it('a worker killed after it sent leaves one transaction, which the next one finds', async () => {
    const given = batch();
    const before = await transactionsOfAnchorer();
    await chain.rpc('evm_setAutomine', false);
    // The node takes the transaction, and its answer never arrives.
    const accepted = Promise.withResolvers<void>();
    proxy.meddle = async (call, ask) => {
      const answer = await ask();
      if (call.method !== 'eth_sendRawTransaction') return answer;
      accepted.resolve();
      return 'hang';
    };
    const script = fileURLToPath(new URL('./anchor-child.ts', import.meta.url));
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script], {
      stdio: 'inherit',
      env: {
        ...process.env,
        ANCHOR_CHILD: JSON.stringify({
          ...given,
          rpcUrl: proxy.url,
          contract: chain.contract,
          chainId: CHAIN_ID,
          mongoUri: mongo.uri,
        }),
      },
    });
    const exited = once(child, 'exit');
    await Promise.race([accepted.promise, exited.then(() => assert.fail('the worker ended by itself'))]);
    child.kill('SIGKILL');
    await exited;
    proxy.meddle = (_call, ask) => ask();
    const waiting = anchoring().anchor(given, NEVER);
    await delay(150);
    await chain.rpc('evm_setAutomine', true);
    await chain.rpc('evm_mine');
    const anchor = await waiting;
    assert.equal(await transactionsOfAnchorer(), before + 1, 'one transaction, not two');
    assert.equal((await chain.provider.getTransactionReceipt(anchor.txHash))?.status, 1);
  });

  it('a worker killed before it sent loses nothing: the stored transaction is sent as it is', async () => {
    const given = batch();
    const before = await transactionsOfAnchorer();
    proxy.meddle = async (call, ask) => (call.method === 'eth_sendRawTransaction' ? 'hang' : ask());
    const stop = new AbortController();
    const first = anchoring().anchor(given, stop.signal);
    while (sent().length === 0) await delay(10);
    stop.abort(new Error('killed'));
    await assert.rejects(first);
    const stored = (await store().find(given.id, CHAIN_ID))?.transactions ?? [];
    proxy.meddle = (_call, ask) => ask();
    const anchor = await anchoring().anchor(given, NEVER);
    assert.equal(anchor.txHash, stored[0]?.hash);
    assert.equal(await transactionsOfAnchorer(), before + 1);
  });

  it('a transaction that is stuck is replaced under its nonce by one that pays at least an eighth more', async () => {
    const given = batch();
    const before = await transactionsOfAnchorer();
    await chain.rpc('evm_setAutomine', false);
    const waiting = anchoring({ replaceAfterMs: 150 }).anchor(given, NEVER);
    while (((await store().find(given.id, CHAIN_ID))?.transactions.length ?? 0) < 3) await delay(20);
    await chain.rpc('evm_setAutomine', true);
    await chain.rpc('evm_mine');
    const anchor = await waiting;
    assert.equal(await transactionsOfAnchorer(), before + 1);
    const { transactions = [], nonce } = (await store().find(given.id, CHAIN_ID)) ?? {};
    assert.equal(nonce, before);
    assert.ok(transactions.some(({ hash }) => hash === anchor.txHash));
    for (const [index, { maxFeePerGas, maxPriorityFeePerGas }] of transactions.slice(1).entries()) {
      const earlier = transactions[index];
      assert.ok(earlier && maxFeePerGas * 8n >= earlier.maxFeePerGas * 9n);
      assert.ok(maxPriorityFeePerGas * 8n >= earlier.maxPriorityFeePerGas * 9n);
    }
  });

  it('a transaction that the node dropped is sent again', async () => {
    const given = batch();
    await chain.rpc('evm_setAutomine', false);
    const waiting = anchoring().anchor(given, NEVER);
    while (sent().length === 0) await delay(10);
    await chain.rpc('anvil_dropAllTransactions');
    await delay(200);
    await chain.rpc('evm_setAutomine', true);
    await chain.rpc('evm_mine');
    await waiting;
    assert.ok(sent().length >= 2);
    assert.equal((await store().find(given.id, CHAIN_ID))?.transactions.length, 1, 'the same transaction');
  });

  it('a nonce that something else used up is given up for another', async () => {
    const given = batch();
    await chain.rpc('evm_setAutomine', false);
    const waiting = anchoring().anchor(given, NEVER);
    while (sent().length === 0) await delay(10);
    // Somebody with the same key replaces it by a transaction of another kind.
    await chain.rpc('anvil_dropAllTransactions');
    const nonce = (await store().find(given.id, CHAIN_ID))?.nonce ?? -1;
    const other = {
      to: chain.owner,
      value: 1n,
      nonce,
      gasLimit: 21_000n,
      maxFeePerGas: 90n * GWEI,
      maxPriorityFeePerGas: 50n * GWEI,
      chainId: CHAIN_ID,
      type: 2,
    };
    await chain.provider.broadcastTransaction(await new Wallet(ANCHORER.privateKey).signTransaction(other));
    await chain.rpc('evm_mine');
    await chain.rpc('evm_setAutomine', true);
    await waiting;
    assert.equal(await rootOn(given.id), given.root);
    assert.ok(((await store().find(given.id, CHAIN_ID))?.nonce ?? 0) > nonce);
  });

  it('what is stuck before it in the order of nonces is helped first', async () => {
    const [first, second] = [batch(), batch()];
    await chain.rpc('evm_setAutomine', false);
    await assert.rejects(anchoring({ attemptMs: 100 }).anchor(first, NEVER), { code: 'CHAIN_UNREACHABLE' });
    const { nonce = 0 } = (await store().find(first.id, CHAIN_ID)) ?? {};
    await assert.rejects(anchoring({ attemptMs: 100 }).anchor(second, NEVER), { code: 'CHAIN_UNREACHABLE' });
    assert.equal((await store().find(second.id, CHAIN_ID))?.nonce, nonce + 1);
    await chain.rpc('anvil_dropAllTransactions');
    await chain.rpc('evm_setAutomine', true);
    await anchoring().anchor(second, NEVER);
    assert.equal(await rootOn(first.id), first.root);
    assert.equal(await rootOn(second.id), second.root);
  });

  it('days anchored at once get a nonce each', async () => {
    const batches = [batch(), batch(), batch(), batch()];
    const before = await transactionsOfAnchorer();
    const one = anchoring();
    const anchors = await Promise.all(batches.map((given) => one.anchor(given, NEVER)));
    assert.equal(new Set(anchors.map(({ txHash }) => txHash)).size, 4);
    assert.equal(await transactionsOfAnchorer(), before + 4);
  });

  it('gas over the cap waits for another time, and nothing is sent', async () => {
    const given = batch();
    const waits = anchoring({ feeCapWei: 1n }).anchor(given, NEVER);
    await assert.rejects(waits, (error: Error & { code: string; retryable: boolean }) => {
      assert.equal(error.code, 'CHAIN_UNREACHABLE');
      assert.equal(error.retryable, false);
      assert.match(error.message, /gas costs/);
      return true;
    });
    assert.equal(sent().length, 0);
    await anchoring().anchor(given, NEVER);
  });

  it('a node of another chain is not believed', async () => {
    proxy.meddle = async (call, ask) => (call.method === 'eth_chainId' ? { result: '0x1' } : ask());
    await assert.rejects(anchoring().anchor(batch(), NEVER), /the node is one of chain 1$/);
    assert.deepEqual(
      proxy.calls.map(({ method }) => method),
      ['eth_chainId'],
    );
  });

  it('a signature for one chain is of no use on another', async () => {
    const signer = createEnvSigner(Buffer.from(ANCHORER.privateKey.slice(2), 'hex'));
    const raw = await signer.signTransaction({
      chainId: 1,
      nonce: await transactionsOfAnchorer(),
      to: chain.contract,
      data: '0x',
      gasLimit: 50_000n,
      maxFeePerGas: 90n * GWEI,
      maxPriorityFeePerGas: GWEI,
    });
    await assert.rejects(chain.provider.broadcastTransaction(raw));
  });

  it('a node that falls behind is waited for', async () => {
    const given = batch();
    let heads = 0;
    proxy.meddle = async (call, ask) => {
      if (call.method !== 'eth_blockNumber') return ask();
      heads += 1;
      return heads === 2 || heads === 3 ? { result: '0x1' } : ask();
    };
    const anchor = await anchoring().anchor(given, NEVER);
    assert.equal((await chain.provider.getTransactionReceipt(anchor.txHash))?.blockHash, anchor.blockHash);
    assert.ok(heads > 3);
  });

  for (const fault of ['hang', 'break', 'status 503', 'no json'] as const) {
    it(`a node that is away for a moment (${fault}) is waited for, one that stays away is not, and its address is in no error`, async () => {
      const given = batch();
      let faults = 2;
      proxy.meddle = async (call, ask) => (call.method === 'eth_blockNumber' && faults-- > 0 ? fault : ask());
      await anchoring().anchor(given, NEVER);
      proxy.meddle = async () => fault;
      await assert.rejects(anchoring().anchor(batch(), NEVER), (error: Error & { code: string; details: unknown }) => {
        assert.equal(error.code, 'CHAIN_UNREACHABLE');
        assert.doesNotMatch(
          `${error.message} ${error.stack} ${JSON.stringify(error.details)} ${String(error.cause)}`,
          /canary/,
        );
        return true;
      });
    });
  }

  it('an account that may not anchor is refused with the reason of the contract', async () => {
    const stranger = Wallet.createRandom();
    await assert.rejects(anchoring({ key: stranger.privateKey }).anchor(batch(), NEVER), {
      code: 'ANCHOR_REFUSED',
      message: `Chain ${CHAIN_ID}: the contract refuses with NotAnchorer(${stranger.address})`,
    });
    assert.equal(sent().length, 0);
  });

  it('an address without the contract is refused', async () => {
    await assert.rejects(anchoring({ contract: stranger() }).anchor(batch(), NEVER), { code: 'ANCHOR_REFUSED' });
  });

  const stranger = () => Wallet.createRandom().address;
});
