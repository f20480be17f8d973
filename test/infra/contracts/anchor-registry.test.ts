import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { StandardMerkleTree } from '@openzeppelin/merkle-tree';
import { Contract, Interface, id, isError, JsonRpcSigner, keccak256, Wallet, ZeroAddress, ZeroHash } from 'ethers';
import fc from 'fast-check';
import { buildTree } from '../../../adapters/merkle/build-tree.ts';
import { leafOf } from '../../../domain/audit-ledger/merkle-proof.ts';
import { siblingPath, toHash } from '../../../domain/audit-ledger/merkle-tree.ts';
import { anchorRegistryArtifact } from '../../../infra/contracts/contract-artifact.ts';
import { silentReporter } from '../../../infra/dev/terminal.ts';
import { REGISTRY_CODES } from '../../../sdk/audit/registry-code.ts';
import { ANCHORER, minedReceipt, startAnvil, type TestChain } from '../../support/start-anvil.ts';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHash);
const DAY_SECONDS = 86_400;
const nodeOf = (nodes: Uint8Array, node: number) => toHash(nodes.subarray(node * 32, node * 32 + 32));

describe('AnchorRegistry on a real EVM', () => {
  let chain: TestChain;
  let owned: Contract;
  let anchoring: Contract;
  let stranger: Contract;
  let abi: Interface;

  before(async () => {
    chain = await startAnvil(31_337);
    abi = new Interface(JSON.stringify((await anchorRegistryArtifact(process.env, silentReporter)).abi));
    owned = new Contract(chain.contract, abi, new JsonRpcSigner(chain.provider, chain.owner));
    anchoring = new Contract(chain.contract, abi, ANCHORER.connect(chain.provider));
    const wallet = Wallet.createRandom().connect(chain.provider);
    await chain.rpc('anvil_setBalance', wallet.address, '0x56bc75e2d63100000');
    stranger = new Contract(chain.contract, abi, wallet);
  });
  after(() => chain.stop());

  /** Sends, and gives the events of the transaction by name with their arguments. */
  async function send(contract: Contract, method: string, ...args: unknown[]) {
    const { hash } = await contract.getFunction(method)(...args);
    const receipt = await minedReceipt(chain, hash);
    const events = receipt.logs.map((log) => {
      const parsed = abi.parseLog(log);
      return [parsed?.name, ...(parsed?.args ?? [])];
    });
    return { events, gas: Number(receipt.gasUsed) };
  }

  const refuses = (contract: Contract, error: string, args: unknown[], method: string, ...call: unknown[]) =>
    assert.rejects(contract.getFunction(method).staticCall(...call), (thrown) => {
      assert.ok(isError(thrown, 'CALL_EXCEPTION'), String(thrown));
      assert.equal(thrown.revert?.name, error);
      assert.deepEqual([...(thrown.revert?.args ?? [])], args);
      return true;
    });

  it('has the code that verifiers know', async () => {
    const codeHash = keccak256(await chain.provider.getCode(chain.contract));
    assert.deepEqual([...REGISTRY_CODES.keys()].at(-1), codeHash);
  });

  /** A day that has just ended: the clock of the chain goes on to the next one. */
  async function dayOver(): Promise<bigint> {
    await chain.rpc('evm_increaseTime', DAY_SECONDS);
    await chain.rpc('evm_mine');
    return (await today()) - 1n;
  }

  async function today(): Promise<bigint> {
    return BigInt(Math.floor(((await chain.provider.getBlock('latest'))?.timestamp ?? 0) / DAY_SECONDS));
  }

  async function anchored(root = toHash(randomBytes(32))) {
    const batch = await dayOver();
    await send(anchoring, 'anchor', batch, root);
    return { batch, root };
  }

  const verify = (batch: bigint, eventHash: string, proof: readonly string[]): Promise<boolean> =>
    owned.getFunction('verify')(batch, eventHash, proof);

  it('a root is written once by the anchorer, and stays', async (test) => {
    const batch = await dayOver();
    const root = id('a root');
    const { events, gas } = await send(anchoring, 'anchor', batch, root);
    assert.deepEqual(events, [['Anchored', batch, root, ANCHORER.address]]);
    test.diagnostic(`gas of anchor: ${gas}`);
    const [kept, anchoredAt, blockNumber, invalidated] = await owned.getFunction('anchors')(batch);
    assert.equal(kept, root);
    assert.ok(anchoredAt > 0n && blockNumber > 0n && invalidated === false);
    await refuses(anchoring, 'AlreadyAnchored', [batch, root], 'anchor', batch, id('another'));
    await refuses(anchoring, 'AlreadyAnchored', [batch, root], 'anchor', batch, root);
    await refuses(anchoring, 'ZeroRoot', [], 'anchor', (await today()) - 1n, ZeroHash);
  });

  it('nobody but the anchorer and the owner anchors', async () => {
    const caller = await (stranger.runner as Wallet).getAddress();
    await refuses(stranger, 'NotAnchorer', [caller], 'anchor', 9_999n, id('x'));
  });

  it('our proofs verify, and so do those of the standard library; those of another tree do not', async () => {
    const sizes = fc.uniqueArray(bytes32, { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(sizes, bytes32, async (hashes, other) => {
        fc.pre(!hashes.includes(other));
        const tree = buildTree(Buffer.from(hashes.map((hash) => hash.slice(2)).join(''), 'hex'));
        const standard = StandardMerkleTree.of(
          hashes.map((hash) => [hash]),
          ['bytes32'],
        );
        const { batch } = await anchored(nodeOf(tree.nodes, 0));
        const { batch: elsewhere } = await anchored();
        for (const [leaf, hash] of hashes.entries()) {
          const proof = siblingPath(tree.positions[leaf] ?? 0).map((node) => nodeOf(tree.nodes, node));
          assert.equal(await verify(batch, hash, proof), true);
          assert.equal(await verify(batch, hash, standard.getProof(leaf)), true);
          assert.equal(await verify(batch, other, proof), false);
          assert.equal(await verify(batch, hash, [...proof, other]), false);
          if (proof.length > 0) assert.equal(await verify(batch, hash, proof.slice(1)), false);
          assert.equal(await verify(elsewhere, hash, proof), false);
        }
      }),
      { numRuns: 12 },
    );
  });

  it('random proofs do not verify', async () => {
    const { batch } = await anchored();
    await fc.assert(
      fc.asyncProperty(bytes32, fc.array(bytes32, { maxLength: 24 }), async (hash, proof) => {
        assert.equal(await verify(batch, hash, proof), false);
      }),
      { numRuns: 60 },
    );
  });

  it('an inner node shown as an event, or as a leaf, does not verify', async () => {
    const tree = buildTree(randomBytes(4 * 32));
    const { batch } = await anchored(nodeOf(tree.nodes, 0));
    const [inner, sibling] = [nodeOf(tree.nodes, 1), nodeOf(tree.nodes, 2)];
    assert.equal(await verify(batch, inner, [sibling]), false);
    assert.equal(await verify(batch, leafOf(inner), [sibling]), false);
    assert.equal(await verify(batch, nodeOf(tree.nodes, 3), [nodeOf(tree.nodes, 4), sibling]), false);
  });

  it('an unknown batch verifies nothing', async () => {
    assert.equal(await verify(123_456n, id('event'), []), false);
    assert.equal(await verify(123_456n, ZeroHash, []), false);
  });

  it('a day that is not over has no root, whoever writes, and it cannot be written ahead', async () => {
    const now = await today();
    const huge = [2n ** 64n, 2n ** 255n, 2n ** 256n - 1n];
    for (const batch of [now, now + 1n, now + 400n, ...huge]) {
      for (const contract of [anchoring, owned]) await refuses(contract, 'NotOver', [batch], 'anchor', batch, id('x'));
    }
  });

  it('the anchorer writes no day that ended more than 31 days ago; the owner does', async () => {
    const now = await today();
    const oldest = now - 32n;
    await send(anchoring, 'anchor', now - 30n, id('31 days'));
    await refuses(anchoring, 'TooLate', [oldest], 'anchor', oldest, id('older'));
    const { events } = await send(owned, 'anchor', oldest, id('older'));
    assert.deepEqual(events, [['Anchored', oldest, id('older'), chain.owner]]);
    await refuses(owned, 'AlreadyAnchored', [oldest, id('older')], 'anchor', oldest, id('another'));
  });

  it('an invalidated day verifies nothing any more, says why, and can be anchored again as a new revision', async (test) => {
    const hash = toHash(randomBytes(32));
    const wrong = toHash(randomBytes(32));
    const { batch } = await anchored(wrong);
    const { events, gas } = await send(owned, 'invalidate', batch, 'written by a stolen key');
    test.diagnostic(`gas of invalidate: ${gas}`);
    assert.deepEqual(events, [['Invalidated', batch, 0n, 'written by a stolen key']]);
    await refuses(owned, 'AlreadyInvalidated', [batch], 'invalidate', batch, 'again');
    const entry = await owned.getFunction('anchors')(batch);
    assert.deepEqual([entry.root, entry.invalidated], [wrong, true], 'the root stays readable');
    assert.equal(await verify(batch, hash, []), false);

    const again = await send(anchoring, 'anchor', batch, leafOf(hash));
    assert.deepEqual(again.events, [['Anchored', batch, leafOf(hash), ANCHORER.address]]);
    assert.equal(await verify(batch, hash, []), true);
    assert.equal(await owned.getFunction('revisions')(batch), 1n);
    const [root, anchoredAt, blockNumber, invalidated] = await owned.getFunction('earlier')(batch, 0);
    assert.deepEqual([root, anchoredAt, blockNumber, invalidated], [wrong, entry.anchoredAt, entry.blockNumber, true]);
    await refuses(anchoring, 'AlreadyAnchored', [batch, leafOf(hash)], 'anchor', batch, id('a third'));
    const second = await send(owned, 'invalidate', batch, 'wrong as well');
    assert.deepEqual(second.events, [['Invalidated', batch, 1n, 'wrong as well']]);
  });

  it('a proof against a root that was invalidated does not verify, whatever stands now', async () => {
    const hash = toHash(randomBytes(32));
    const { batch } = await anchored(leafOf(hash));
    assert.equal(await verify(batch, hash, []), true);
    await send(owned, 'invalidate', batch, 'built from a broken copy');
    assert.equal(await verify(batch, hash, []), false);
    await send(anchoring, 'anchor', batch, id('mended'));
    assert.equal(await verify(batch, hash, []), false);
  });

  it('invalidation needs the owner, a reason, and an anchored batch', async () => {
    const { batch } = await anchored();
    await refuses(anchoring, 'NotOwner', [ANCHORER.address], 'invalidate', batch, 'reason');
    await refuses(owned, 'ReasonMissing', [], 'invalidate', batch, '');
    await refuses(owned, 'NotAnchored', [777_777n], 'invalidate', 777_777n, 'reason');
  });

  it('the owner appoints another anchorer, and the previous one can no longer anchor', async () => {
    const other = Wallet.createRandom().connect(chain.provider);
    await chain.rpc('anvil_setBalance', other.address, '0x56bc75e2d63100000');
    await refuses(stranger, 'NotOwner', [await (stranger.runner as Wallet).getAddress()], 'setAnchorer', other.address);
    await refuses(owned, 'ZeroAddress', [], 'setAnchorer', ZeroAddress);
    const { events } = await send(owned, 'setAnchorer', other.address);
    assert.deepEqual(events, [['AnchorerChanged', ANCHORER.address, other.address]]);
    await refuses(anchoring, 'NotAnchorer', [ANCHORER.address], 'anchor', 9_998n, id('x'));
    await send(new Contract(chain.contract, abi, other), 'anchor', await dayOver(), id('y'));
    await send(owned, 'setAnchorer', ANCHORER.address);
  });

  it('ownership is transferred in two steps, and an offer can be withdrawn', async () => {
    const wallet = Wallet.createRandom().connect(chain.provider);
    await chain.rpc('anvil_setBalance', wallet.address, '0x56bc75e2d63100000');
    const next = new Contract(chain.contract, abi, wallet);
    await refuses(next, 'NotOwner', [wallet.address], 'transferOwnership', wallet.address);
    await refuses(next, 'NotPendingOwner', [wallet.address], 'acceptOwnership');
    await send(owned, 'transferOwnership', wallet.address);
    await send(owned, 'transferOwnership', ZeroAddress);
    await refuses(next, 'NotPendingOwner', [wallet.address], 'acceptOwnership');
    const offered = await send(owned, 'transferOwnership', wallet.address);
    assert.deepEqual(offered.events, [['OwnershipTransferStarted', chain.owner, wallet.address]]);
    assert.equal(await owned.getFunction('owner')(), chain.owner, 'an offer changes nothing');
    const accepted = await send(next, 'acceptOwnership');
    assert.deepEqual(accepted.events, [['OwnershipTransferred', chain.owner, wallet.address]]);
    assert.equal(await owned.getFunction('owner')(), wallet.address);
    assert.equal(await owned.getFunction('pendingOwner')(), ZeroAddress);
    await refuses(owned, 'NotOwner', [chain.owner], 'setAnchorer', ANCHORER.address);
    await send(next, 'transferOwnership', chain.owner);
    await send(owned, 'acceptOwnership');
  });

  it('it is at the same address on every chain, and a second deployment finds it there', async () => {
    const second = await startAnvil(31_338);
    try {
      assert.equal(second.contract, chain.contract);
      assert.notEqual(await second.provider.getCode(second.contract), '0x');
    } finally {
      await second.stop();
    }
  });

  it('a contract without an owner or an anchorer cannot be made', async () => {
    const { bytecode } = await anchorRegistryArtifact(process.env, silentReporter);
    for (const [owner, anchorer] of [
      [ZeroAddress, chain.owner],
      [chain.owner, ZeroAddress],
    ]) {
      const data = bytecode + abi.encodeDeploy([owner, anchorer]).slice(2);
      await assert.rejects(chain.provider.call({ data, from: chain.owner }), (thrown) => {
        assert.ok(isError(thrown, 'CALL_EXCEPTION'));
        assert.equal(abi.parseError(thrown.data ?? '')?.name, 'ZeroAddress');
        return true;
      });
    }
  });
});
