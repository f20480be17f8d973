import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Interface, Wallet } from 'ethers';
import { createEnvSigner } from '../../../adapters/chain/env-signer.ts';
import { REGISTRY_ABI } from '../../../adapters/chain/registry-abi.ts';
import { toHash } from '../../../domain/audit-ledger/merkle-tree.ts';
import { anchorRegistryArtifact } from '../../../infra/contracts/contract-artifact.ts';
import { encodeRegistryCall } from '../../../infra/contracts/registry-calls.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { ANCHORER } from '../../support/start-anvil.ts';
import { CHAIN_ID, GWEI, NEVER, useAnchoring } from './use-anchoring.ts';

describe('anchoring on a real chain', { timeout: 300_000 }, () => {
  const { parts, batch, anchoring, sent, transactionsOfAnchorer, rootOn } = useAnchoring();

  async function invalidate(day: string): Promise<void> {
    const { owner: from, contract: to } = parts.chain;
    const data = encodeRegistryCall('invalidate', { day, reason: 'built from a broken copy' });
    await parts.chain.rpc('eth_sendTransaction', { from, to, data });
    await parts.chain.rpc('evm_mine');
  }

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
    const receipt = await parts.chain.provider.getTransactionReceipt(anchor.txHash);
    assert.equal(receipt?.blockHash, anchor.blockHash);
    assert.equal(receipt?.blockNumber, anchor.blockNumber);
    assert.equal(anchor.explorerUrl, `https://explorer.example/tx/${anchor.txHash}`);
    assert.equal(anchor.contract, parts.chain.contract);
  });

  it('a second call finds the anchor and sends nothing, also without memory of the first', async () => {
    const given = batch();
    const first = await anchoring().anchor(given, NEVER);
    const before = await transactionsOfAnchorer();
    assert.equal((await anchoring().anchor(given, NEVER)).txHash, first.txHash);
    await parts.mongo.connection.db.collection('pending_anchors').deleteMany({});
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
    await invalidate(given.id);
    await assert.rejects(anchoring().anchor(given, NEVER), { code: 'ANCHOR_REFUSED', message: /invalidated/ });
  });

  it('tells which root stands and is in force', async () => {
    const { id, root } = batch();
    const chain = anchoring();
    assert.equal(await chain.rootOf(id), null);
    await chain.anchor({ id, root }, NEVER);
    assert.equal(await chain.rootOf(id), root);
    await invalidate(id);
    assert.equal(await chain.rootOf(id), null);
    parts.proxy.meddle = async () => 'break';
    await assert.rejects(chain.rootOf(id), { code: 'CHAIN_UNREACHABLE' });
  });

  it('a day whose root somebody else wrote is anchored again once the owner has invalidated that root', async () => {
    const given = batch();
    const foreign = { id: given.id, root: toHash(randomBytes(32)) };
    await anchoring().anchor(foreign, NEVER);
    await assert.rejects(anchoring().anchor(given, NEVER), { code: 'ANCHOR_REFUSED', message: /stands, and ours is/ });
    await invalidate(given.id);
    const anchor = await anchoring().anchor(given, NEVER);
    assert.equal(await rootOn(given.id), given.root);
    const receipt = await parts.chain.provider.getTransactionReceipt(anchor.txHash);
    assert.equal(receipt?.logs[0]?.topics[2], given.root, 'its own transaction, not that of the root before');
    await assert.rejects(anchoring().anchor(foreign, NEVER), { code: 'ANCHOR_REFUSED' });
  });

  it('a day that is not over by the clock of the chain waits for the next hour', async () => {
    const tomorrow = { id: '2026-12-31', root: toHash(randomBytes(32)) };
    await assert.rejects(anchoring().anchor(tomorrow, NEVER), { code: 'CHAIN_UNREACHABLE', message: /NotOver/ });
    assert.equal(sent().length, 0);
  });

  it('waits for the confirmations it was told', async () => {
    const given = batch();
    const waiting = anchoring({ confirmations: 3 }).anchor(given, NEVER);
    let done = false;
    void waiting.then(() => {
      done = true;
    });
    while ((await rootOn(given.id)) !== given.root) await delay(20);
    await parts.chain.rpc('evm_mine');
    await delay(200);
    assert.equal(done, false, 'two blocks are not three');
    await parts.chain.rpc('evm_mine');
    const anchor = await waiting;
    assert.ok((await parts.chain.provider.getBlockNumber()) - anchor.blockNumber + 1 >= 3);
  });

  it('an anchor whose block leaves the chain is made again, and the block that stays is recorded', async () => {
    const given = batch();
    const waiting = anchoring({ confirmations: 4 }).anchor(given, NEVER);
    while ((await rootOn(given.id)) !== given.root) await delay(20);
    await parts.chain.rpc('evm_mine');
    const orphaned = await parts.chain.provider.getBlock('latest');
    await parts.chain.rpc('anvil_reorg', 2, []);
    assert.notEqual((await parts.chain.provider.getBlock(orphaned?.number ?? 0))?.hash, orphaned?.hash);
    const mining = setInterval(() => void parts.chain.rpc('evm_mine'), 60);
    const anchor = await waiting.finally(() => clearInterval(mining));
    assert.equal(await rootOn(given.id), given.root);
    assert.equal((await parts.chain.provider.getBlock(anchor.blockNumber))?.hash, anchor.blockHash);
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
    parts.proxy.meddle = async (call, ask) => (call.method === 'eth_chainId' ? { result: '0x1' } : ask());
    await assert.rejects(anchoring().anchor(batch(), NEVER), /the node is one of chain 1$/);
    assert.deepEqual(
      parts.proxy.calls.map(({ method }) => method),
      ['eth_chainId'],
    );
  });

  it('a signature for one chain is of no use on another', async () => {
    const signer = createEnvSigner(Buffer.from(ANCHORER.privateKey.slice(2), 'hex'));
    const raw = await signer.signTransaction({
      chainId: 1,
      nonce: await transactionsOfAnchorer(),
      to: parts.chain.contract,
      data: '0x',
      gasLimit: 50_000n,
      maxFeePerGas: 90n * GWEI,
      maxPriorityFeePerGas: GWEI,
    });
    await assert.rejects(parts.chain.provider.broadcastTransaction(raw));
  });

  it('a node that falls behind is waited for', async () => {
    const given = batch();
    let heads = 0;
    parts.proxy.meddle = async (call, ask) => {
      if (call.method !== 'eth_blockNumber') return ask();
      heads += 1;
      return heads === 2 || heads === 3 ? { result: '0x1' } : ask();
    };
    const anchor = await anchoring().anchor(given, NEVER);
    assert.equal((await parts.chain.provider.getTransactionReceipt(anchor.txHash))?.blockHash, anchor.blockHash);
    assert.ok(heads > 3);
  });

  for (const fault of ['hang', 'break', 'status 503', 'no json'] as const) {
    it(`a node that is away for a moment (${fault}) is waited for, one that stays away is not, and its address is in no error`, async () => {
      const given = batch();
      let faults = 2;
      parts.proxy.meddle = async (call, ask) => (call.method === 'eth_blockNumber' && faults-- > 0 ? fault : ask());
      await anchoring().anchor(given, NEVER);
      parts.proxy.meddle = async () => fault;
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

  it('at an address without the contract nothing is sent', async () => {
    const contract = Wallet.createRandom().address;
    await assert.rejects(anchoring({ contract }).anchor(batch(), NEVER), { code: 'CHAIN_UNREACHABLE' });
    assert.equal(sent().length, 0);
  });
});
