import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { AbiCoder, keccak256, toBeHex, zeroPadValue } from 'ethers';
import type { EventProof } from '../../../domain/audit-ledger/batch.ts';
import { addDays, dayNumber } from '../../../domain/audit-ledger/days.ts';
import { encodeRegistryCall } from '../../../infra/contracts/registry-calls.ts';
import { parseEvent, parseProof } from '../../../sdk/audit/proof-documents.ts';
import { type ProofInput, type ProofVerdict, verifyProof } from '../../../sdk/audit/verify-proof.ts';
import type { TestChain } from '../../support/start-anvil.ts';
import { anchorRoot, DAY, eventsOfDay, proofOf, receiptOf, SIGNER, shown, startChainOfNight } from './anchored-day.ts';

/** Two chains with the real contract; the ledger is not there at all. */
describe('verifying a proof without the ledger', () => {
  const events = eventsOfDay(11);
  let chains: TestChain[];
  let proof: EventProof;
  let rpcUrls: string[];
  let contract: string;
  before(async () => {
    chains = await Promise.all([startChainOfNight(31_337), startChainOfNight(31_338)]);
    proof = proofOf(events, 4, chains);
    rpcUrls = chains.map(({ rpcUrl }) => rpcUrl);
    contract = chains[0]?.contract ?? '';
    for (const chain of chains) await anchorRoot(chain, proof.root);
  });
  after(() => Promise.all(chains.map((chain) => chain.stop())));

  const verify = (changes: Partial<ProofInput> = {}): Promise<ProofVerdict> =>
    verifyProof({ proof, rpcUrls, contract, ...changes });
  const failures = ({ checks }: ProofVerdict) => checks.filter(({ outcome }) => outcome !== 'passed');
  async function invalidate({ contract: to, owner, rpc }: TestChain, day: string): Promise<void> {
    await rpc('eth_sendTransaction', {
      from: owner,
      to,
      data: encodeRegistryCall('invalidate', { day, reason: 'wrong' }),
    });
    await rpc('evm_mine');
  }
  const at = (index: number) => {
    const event = events[index];
    assert.ok(event);
    return event;
  };

  it('proves every event of the day on both chains, with the event and its receipt', async () => {
    for (const [index, event] of events.entries()) {
      const result = await verify({
        proof: parseProof(JSON.parse(JSON.stringify(proofOf(events, index, chains)))),
        event: parseEvent({ success: true, data: shown(event) }),
        receipt: await receiptOf(event),
        keys: SIGNER.keys.map(({ publicKey }) => publicKey),
      });
      assert.equal(result.verdict, 'proven', JSON.stringify(result));
      assert.deepEqual(failures(result), []);
    }
  });

  it('refutes any change of event hash, proof, leaf or root, even where the proof is consistent in itself', async () => {
    const other = at(5).eventHash;
    const forged = proofOf(eventsOfDay(3), 1, chains);
    const changed: EventProof[] = [
      { ...proof, eventHash: other },
      { ...proof, leaf: proofOf(events, 5, chains).leaf },
      { ...proof, proof: proof.proof.slice(1) },
      { ...proof, proof: [other, ...proof.proof.slice(1)] },
      { ...proof, root: other },
      // An inner node for a leaf: the second hashing of leaves is what refuses it.
      { ...proof, proof: [] },
      forged,
    ];
    for (const candidate of changed) assert.equal((await verify({ proof: candidate })).verdict, 'refuted');
    const [chain] = failures(await verify({ proof: forged })).filter(({ check }) => check === 'chain');
    assert.match(chain?.text ?? '', /another root was anchored/);
  });

  it('refutes an event that is not the one of the proof, in any of its fields', async () => {
    const event = shown(at(4));
    const changes = [
      { data: { amount: 5, currency: 'EUR' } },
      { metadata: {} },
      { entityId: 'order-5' },
      { orgSlug: 'evil' },
      { emitter: 'other' },
      { createdAt: `${DAY}T12:00:00.001Z` },
      { chainIndex: 5 },
      { id: 'evt_9' },
    ];
    for (const change of changes) {
      const result = await verify({ event: parseEvent({ ...event, ...change }) });
      assert.deepEqual(
        failures(result).map(({ check }) => check),
        ['event'],
        JSON.stringify(change),
      );
    }
    const { data: _, metadata: __, ...withoutContent } = event;
    assert.equal((await verify({ event: parseEvent(withoutContent) })).verdict, 'proven');
  });

  it('refutes a receipt of another event, and is undecided on one that no given key has signed in its window', async () => {
    const keys = SIGNER.keys.map(({ publicKey }) => publicKey);
    const receipt = await receiptOf(at(4));
    const other = await verify({ receipt: await receiptOf(at(5)), keys });
    assert.equal(other.verdict, 'refuted');
    assert.deepEqual(
      failures(other).map(({ check }) => check),
      ['receipt'],
    );
    assert.equal(
      (await verify({ receipt, keys: keys.map((key) => `${key}@2020-01-01T00:00:00Z/..`) })).verdict,
      'proven',
    );
    const cases = [
      { receipt, keys: keys.map((key) => `${key}@../2020-01-01T00:00:00Z`) },
      { receipt: { ...receipt, chainIndex: 99 }, keys },
      { receipt, keys: [Buffer.alloc(32, 9).toString('base64')] },
      { receipt, keys: [] },
    ];
    for (const one of cases) assert.equal((await verify(one)).verdict, 'undecided');
  });

  it('refutes a day that one of the chains does not hold, and a root that was anchored before its day was over', async () => {
    const [first, second] = chains;
    assert.ok(first && second);
    const missed = { ...proof, batchId: '2026-11-07' };
    await anchorRoot(first, proof.root, missed.batchId);
    const result = await verify({ proof: missed });
    assert.equal(result.verdict, 'refuted');
    assert.deepEqual(
      failures(result).flatMap(({ check, outcome }) => (outcome === 'failed' ? [check] : [])),
      ['chain', 'agreement'],
    );
    const early = { ...proof, batchId: '2099-01-01' };
    // The contract refuses to write it: it is put into its storage, where `anchors` is the fourth.
    const slot = keccak256(AbiCoder.defaultAbiCoder().encode(['uint256', 'uint256'], [dayNumber(early.batchId), 3]));
    const time = zeroPadValue(toBeHex(Date.parse(`${DAY}T00:00:00Z`) / 1000), 32);
    for (const chain of chains) {
      await chain.rpc('anvil_setStorageAt', chain.contract, slot, proof.root);
      await chain.rpc('anvil_setStorageAt', chain.contract, toBeHex(BigInt(slot) + 1n, 32), time);
    }
    assert.match(failures(await verify({ proof: early }))[0]?.text ?? '', /before 2099-01-01 was over/);
  });

  it('refutes a batch that was invalidated', async () => {
    const day = '2026-11-09';
    for (const chain of chains) await anchorRoot(chain, proof.root, day);
    const [first] = chains;
    assert.ok(first);
    await invalidate(first, day);
    const [problem] = failures(await verify({ proof: { ...proof, batchId: day } }));
    assert.match(problem?.text ?? '', /invalidated/);
  });

  it('proves with a root that follows an invalidated one, and says so', async () => {
    const day = DAY;
    const snapshots = await Promise.all(chains.map((chain) => chain.rpc('evm_snapshot')));
    for (const chain of chains) {
      await invalidate(chain, day);
      await anchorRoot(chain, proof.root, day);
    }
    const result = await verify();
    for (const [index, chain] of chains.entries()) await chain.rpc('evm_revert', snapshots[index]);
    assert.equal(result.verdict, 'proven');
    assert.match(failures(result)[0]?.text ?? '', /the owner of the contract invalidated 1 before/);
  });

  it('proves nothing with one chain alone, however many of its nodes are asked', async () => {
    for (const nodes of [1, 3]) {
      const one = await verify({ rpcUrls: Array.from({ length: nodes }, () => rpcUrls[0] ?? '') });
      assert.equal(one.verdict, 'undecided');
      assert.match(failures(one)[0]?.text ?? '', /chain 31337 alone .* ask also chain 31338/);
    }
  });

  it('proves nothing where the proof itself names the contract', async () => {
    const believed = await verifyProof({ proof, rpcUrls });
    assert.equal(believed.verdict, 'undecided');
    assert.deepEqual(
      failures(believed).map(({ check, outcome }) => [check, outcome]),
      [['contract', 'unknown']],
    );
  });

  it('proves nothing with a contract of code that is not known, whatever it answers', async () => {
    const [first] = chains;
    assert.ok(first);
    const snapshot = await first.rpc('evm_snapshot');
    // The same contract with one byte behind its code, which nothing reads.
    await first.rpc('anvil_setCode', first.contract, `${await first.provider.getCode(first.contract)}00`);
    const result = await verify();
    await first.rpc('evm_revert', snapshot);
    assert.equal(result.verdict, 'undecided');
    assert.match(failures(result)[0]?.text ?? '', /code is that of no known anchor registry/);
  });

  it('proves nothing with a root that was anchored more than 24 hours after its day', async () => {
    const late = { ...proof, batchId: addDays(DAY, -2) };
    for (const chain of chains) await anchorRoot(chain, proof.root, late.batchId);
    const result = await verify({ proof: late });
    assert.equal(result.verdict, 'undecided');
    assert.deepEqual(
      failures(result).map(({ check, outcome }) => [check, outcome]),
      [
        ['chain', 'warning'],
        ['chain', 'warning'],
        ['agreement', 'unknown'],
      ],
    );
    assert.match(failures(result)[0]?.text ?? '', /more than a day after the day's end/);
  });

  it('cannot decide while a node is away, or answers nonsense; and no key in its address is told', async () => {
    const nonsense = createServer((_request, response) => response.end('<html>'));
    await new Promise<void>((ready) => nonsense.listen(0, '127.0.0.1', ready));
    const { port } = nonsense.address() as AddressInfo;
    for (const url of ['http://127.0.0.1:1/v3/provider-key', `http://127.0.0.1:${port}/v3/provider-key`]) {
      const result = await verify({ rpcUrls: [...rpcUrls.slice(0, 1), url] });
      assert.equal(result.verdict, 'undecided');
      assert.ok(!JSON.stringify(result).includes('provider-key'));
    }
    nonsense.closeAllConnections();
    await new Promise((done) => nonsense.close(done));
  });

  it('refutes where there is no contract, or another one', async () => {
    const nobody = `0x${'12'.repeat(20)}`;
    const factory = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
    assert.equal((await verify({ contract: nobody })).verdict, 'refuted');
    assert.notEqual((await verify({ contract: factory })).verdict, 'proven');
  });
});
