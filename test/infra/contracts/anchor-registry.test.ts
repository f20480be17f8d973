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
import { REGISTRY_CODE_HASHES } from '../../../sdk/audit/registry-code.ts';
import { ANCHORER, startAnvil, type TestChain } from '../../support/start-anvil.ts';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(toHash);
const nodeOf = (nodes: Uint8Array, node: number) => toHash(nodes.subarray(node * 32, node * 32 + 32));

describe('AnchorRegistry on a real EVM', () => {
  let chain: TestChain;
  let owned: Contract;
  let anchoring: Contract;
  let stranger: Contract;
  let abi: Interface;
  let nextBatch = 1;

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
    const transaction = await contract.getFunction(method)(...args);
    const receipt = await transaction.wait();
    const events = receipt.logs.map((log: { topics: string[]; data: string }) => {
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
    assert.deepEqual([...REGISTRY_CODE_HASHES].at(-1), codeHash);
  });

  async function anchored(root = toHash(randomBytes(32))) {
    const batch = BigInt(nextBatch++);
    await send(anchoring, 'anchor', batch, root);
    return { batch, root };
  }

  const verify = (batch: bigint, eventHash: string, proof: readonly string[]): Promise<boolean> =>
    owned.getFunction('verify')(batch, eventHash, proof);

  it('a root is written once by the anchorer, and stays', async (test) => {
    const batch = BigInt(nextBatch++);
    const root = id('a root');
    const { events, gas } = await send(anchoring, 'anchor', batch, root);
    assert.deepEqual(events, [['Anchored', batch, root, ANCHORER.address]]);
    test.diagnostic(`gas of anchor: ${gas}`);
    const [kept, anchoredAt, blockNumber, invalidated] = await owned.getFunction('anchors')(batch);
    assert.equal(kept, root);
    assert.ok(anchoredAt > 0n && blockNumber > 0n && invalidated === false);
    await refuses(anchoring, 'AlreadyAnchored', [batch, root], 'anchor', batch, id('another'));
    await refuses(anchoring, 'AlreadyAnchored', [batch, root], 'anchor', batch, root);
    await refuses(anchoring, 'ZeroRoot', [], 'anchor', BigInt(nextBatch), ZeroHash);
  });

  it('nobody but the anchorer anchors, not even the owner', async () => {
    await refuses(owned, 'NotAnchorer', [chain.owner], 'anchor', 9_999n, id('x'));
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

  it('an invalidated batch verifies nothing any more, and says why and what holds instead', async (test) => {
    const hash = toHash(randomBytes(32));
    const { batch, root } = await anchored(leafOf(hash));
    const { batch: successor } = await anchored(leafOf(hash));
    assert.equal(await verify(batch, hash, []), true);
    const { events, gas } = await send(owned, 'invalidate', batch, 'built from a broken copy', successor);
    test.diagnostic(`gas of invalidate: ${gas}`);
    assert.deepEqual(events, [['Invalidated', batch, successor, 'built from a broken copy']]);
    assert.equal(await verify(batch, hash, []), false);
    assert.equal(await verify(successor, hash, []), true);
    const entry = await owned.getFunction('anchors')(batch);
    assert.equal(entry.root, root, 'the root stays readable');
    assert.equal(entry.invalidated, true);
    assert.equal(await owned.getFunction('successors')(batch), successor);
    await refuses(owned, 'AlreadyInvalidated', [batch], 'invalidate', batch, 'again', 0n);
    await refuses(anchoring, 'AlreadyAnchored', [batch, root], 'anchor', batch, id('again'));
  });

  it('invalidation needs the owner, a reason, an anchored batch, and a successor that stands or none', async () => {
    const [{ batch }, { batch: gone }] = [await anchored(), await anchored()];
    await send(owned, 'invalidate', gone, 'reason', 0n);
    await refuses(anchoring, 'NotOwner', [ANCHORER.address], 'invalidate', batch, 'reason', 0n);
    await refuses(owned, 'ReasonMissing', [], 'invalidate', batch, '', 0n);
    await refuses(owned, 'NotAnchored', [777_777n], 'invalidate', 777_777n, 'reason', 0n);
    for (const successor of [batch, gone, 777_777n]) {
      await refuses(owned, 'BadSuccessor', [batch, successor], 'invalidate', batch, 'reason', successor);
    }
  });

  it('the owner appoints another anchorer, and the one before can do nothing any more', async () => {
    const other = Wallet.createRandom().connect(chain.provider);
    await chain.rpc('anvil_setBalance', other.address, '0x56bc75e2d63100000');
    await refuses(stranger, 'NotOwner', [await (stranger.runner as Wallet).getAddress()], 'setAnchorer', other.address);
    await refuses(owned, 'ZeroAddress', [], 'setAnchorer', ZeroAddress);
    const { events } = await send(owned, 'setAnchorer', other.address);
    assert.deepEqual(events, [['AnchorerChanged', ANCHORER.address, other.address]]);
    await refuses(anchoring, 'NotAnchorer', [ANCHORER.address], 'anchor', 9_998n, id('x'));
    await send(new Contract(chain.contract, abi, other), 'anchor', BigInt(nextBatch++), id('y'));
    await send(owned, 'setAnchorer', ANCHORER.address);
  });

  it('ownership goes over in two steps, and an offer can be taken back', async () => {
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
