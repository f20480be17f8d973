import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { StandardMerkleTree } from '@openzeppelin/merkle-tree';
import { Contract } from 'ethers';
import { REGISTRY_ABI } from '../../../adapters/chain/registry-abi.ts';
import { batchDayOf } from '../../../domain/audit-ledger/batch-day.ts';
import { readPayload } from '../../../domain/audit-ledger/canonical.ts';
import { dayNumber } from '../../../domain/audit-ledger/days.ts';
import { EMPTY_DAY_ROOT, rootOfProof } from '../../../domain/audit-ledger/merkle-proof.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { DAY, useLedgerDay } from './use-ledger-day.ts';

describe('a day of the ledger, from its events to two chains', { timeout: 300_000 }, () => {
  const { parts, clock, run, reopen, emit, leavesOf, verdictOf } = useLedgerDay([31_337, 31_338]);

  it('every event is proven by the contracts on both chains and by the standard library, and those of other days are not in it', async () => {
    const shop = await emit('shop', 5, `${DAY}T08:00:00Z`);
    const bank = await emit('bank', 3, `${DAY}T23:59:59.999Z`);
    const early = await emit('shop', 2, '2026-01-06T00:00:00Z');
    clock.now = new Date('2026-01-06T00:10:00Z');
    const { root, chainIds } = await run('batchDay', DAY);
    for (const chainId of chainIds) await run('anchorBatch', { day: DAY, chainId });
    const leaves = await leavesOf(DAY);
    const closes = ['shop', 'bank', "the ledger's own"].length + 1;
    assert.equal(leaves.length, 5 + 3 + closes, 'events, a close for each namespace, and the close of the ledger');
    const standard = StandardMerkleTree.of(
      leaves.map(({ eventHash }) => [eventHash]),
      ['bytes32'],
    );
    assert.equal(standard.root, root);
    const { anchors = [] } = (await parts.ledger.batches.find(DAY)) ?? {};
    assert.deepEqual(
      anchors.map(({ chainId }) => chainId),
      [31_337, 31_338],
    );
    for (const event of [...shop, ...bank]) {
      const found = await parts.ledger.batches.locate(batchDayOf(event), event.namespace, event.chainIndex);
      assert.equal(found?.batch.id, DAY);
      const proof = await parts.ledger.batches.proof(DAY, found.leafIndex);
      assert.equal(rootOfProof(event.eventHash, proof), root);
      assert.ok(StandardMerkleTree.verify(standard.root, ['bytes32'], [event.eventHash], [...proof]));
      for (const chain of parts.chains) {
        const contract = new Contract(chain.contract, REGISTRY_ABI, chain.provider);
        assert.equal(await contract.getFunction('verify')(dayNumber(DAY), event.eventHash, proof), true);
        assert.equal(await contract.getFunction('verify')(dayNumber(DAY) + 1, event.eventHash, proof), false);
      }
    }
    for (const event of early) assert.equal(await parts.ledger.batches.locate(DAY, 'shop', event.chainIndex), null);
    for (const namespace of ['shop', 'bank', 'ledger'])
      assert.equal((await verdictOf(namespace)).valid, true, namespace);
  });

  it('an anchor that its chain lost after all is made again when the day is anchored again; one of a chain that is away stays', async () => {
    const [chain] = parts.chains;
    const snapshot = await chain?.rpc('evm_snapshot');
    await emit('shop', 1, `${DAY}T10:00:00Z`);
    clock.now = new Date('2026-01-06T00:10:00Z');
    await run('batchDay', DAY);
    await run('anchorBatch', { day: DAY, chainId: 31_337 });
    const [first] = (await parts.ledger.batches.find(DAY))?.anchors ?? [];
    const away = {
      chainId: 31_337,
      contract: chain?.contract ?? '',
      anchor: async () => Promise.reject(new FairleadError('CHAIN_UNREACHABLE', 'away')),
      rootOf: async () => Promise.reject(new FairleadError('CHAIN_UNREACHABLE', 'away')),
    };
    reopen({ chains: [away] });
    assert.equal((await run('anchorBatch', { day: DAY, chainId: 31_337 })).txHash, first?.txHash);
    await chain?.rpc('evm_revert', snapshot);
    await chain?.rpc('evm_mine');
    reopen();
    await run('anchorBatch', { day: DAY, chainId: 31_337 });
    const [second, ...others] = (await parts.ledger.batches.find(DAY))?.anchors ?? [];
    assert.deepEqual(others, []);
    assert.notEqual(second?.blockHash, first?.blockHash);
    assert.equal((await chain?.provider.getTransactionReceipt(second?.txHash ?? ''))?.blockHash, second?.blockHash);
  });

  it('each night looks at the last seven days again, and anchors again what a reorganisation took off a chain', async () => {
    const [chain] = parts.chains;
    await emit('shop', 1, `${DAY}T10:00:00Z`);
    clock.now = new Date('2026-01-06T00:10:00Z');
    await run('batchDay', DAY);
    for (const { chainId } of parts.chains) await run('anchorBatch', { day: DAY, chainId });
    const before = (await parts.ledger.batches.find(DAY))?.anchors ?? [];
    await chain?.rpc('anvil_reorg', 1, []);
    assert.equal(await chain?.provider.getTransactionReceipt(before[0]?.txHash ?? ''), null);
    clock.now = new Date('2026-01-07T00:10:00Z');
    assert.deepEqual(await run('listDaysToAnchor', '2026-01-06'), [DAY, '2026-01-06']);
    assert.deepEqual(await run('listDaysToAnchor', '2026-01-12').then(([first]) => first), DAY);
    const { chainIds } = await run('batchDay', DAY);
    for (const chainId of chainIds) await run('anchorBatch', { day: DAY, chainId });
    const after = (await parts.ledger.batches.find(DAY))?.anchors ?? [];
    assert.notEqual(after.find(({ chainId }) => chainId === 31_337)?.blockHash, before[0]?.blockHash);
    for (const { chainId, contract, txHash, blockHash } of after) {
      const { provider } = parts.chains.find((one) => one.chainId === chainId) ?? assert.fail();
      assert.equal((await provider.getTransactionReceipt(txHash))?.blockHash, blockHash);
      const anchored = new Contract(contract, REGISTRY_ABI, provider).getFunction('anchors');
      assert.equal((await anchored(dayNumber(DAY))).root, (await parts.ledger.batches.find(DAY))?.root);
    }
  });

  it('an anchor that a reorganisation took away counts as missed until it stands again', async () => {
    const [chain] = parts.chains;
    await emit('shop', 1, `${DAY}T10:00:00Z`);
    clock.now = new Date('2026-01-06T00:10:00Z');
    await run('batchDay', DAY);
    for (const { chainId } of parts.chains) await run('anchorBatch', { day: DAY, chainId });
    await chain?.rpc('anvil_reorg', 1, []);
    await chain?.rpc('evm_setAutomine', false);
    await assert.rejects(run('anchorBatch', { day: DAY, chainId: 31_337 }), { code: 'CHAIN_UNREACHABLE' });
    assert.deepEqual(await run('reportMissedAnchors', DAY), [{ day: DAY, chainId: 31_337 }]);
    await chain?.rpc('evm_setAutomine', true);
    await chain?.rpc('evm_mine');
    await run('anchorBatch', { day: DAY, chainId: 31_337 });
    assert.deepEqual(await run('reportMissedAnchors', DAY), []);
  });

  it('a day goes to the chains of now, and to those that it was built for', async () => {
    const [first, second] = parts.ledger.chains;
    assert.ok(first && second);
    await emit('shop', 1, `${DAY}T10:00:00Z`);
    clock.now = new Date('2026-01-06T00:10:00Z');
    reopen({ chains: [first] });
    assert.deepEqual((await run('batchDay', DAY)).chainIds, [31_337]);
    reopen({ chains: [second] });
    assert.deepEqual((await run('batchDay', DAY)).chainIds, [31_337, 31_338]);
    await run('anchorBatch', { day: DAY, chainId: 31_338 });
    assert.deepEqual(await run('reportMissedAnchors', DAY), [{ day: DAY, chainId: 31_337 }]);
    await assert.rejects(run('anchorBatch', { day: DAY, chainId: 31_337 }), { code: 'CHAIN_UNREACHABLE' });
  });

  it('a node that is behind the block of an anchor takes it from nobody', async () => {
    const [first] = parts.ledger.chains;
    assert.ok(first);
    await emit('shop', 1, `${DAY}T10:00:00Z`);
    clock.now = new Date('2026-01-06T00:10:00Z');
    await run('batchDay', DAY);
    const { blockNumber } = await run('anchorBatch', { day: DAY, chainId: 31_337 });
    const behind = (block: number) => {
      const error = new FairleadError('CHAIN_UNREACHABLE', 'not mined yet', { details: { absent: true, block } });
      return { ...first, anchor: () => Promise.reject(error) };
    };
    reopen({ chains: [behind(blockNumber - 1)] });
    assert.equal((await run('anchorBatch', { day: DAY, chainId: 31_337 })).blockNumber, blockNumber);
    reopen({ chains: [behind(blockNumber)] });
    await assert.rejects(run('anchorBatch', { day: DAY, chainId: 31_337 }), { code: 'CHAIN_UNREACHABLE' });
    assert.deepEqual((await parts.ledger.batches.find(DAY))?.anchors, []);
  });

  it('a chain that is configured later misses no day that nights do not look at any more', async () => {
    const [first] = parts.ledger.chains;
    assert.ok(first);
    const recent = '2026-01-12';
    reopen({ chains: [first] });
    await emit('shop', 1, `${DAY}T10:00:00Z`);
    clock.now = new Date('2026-01-14T00:10:00Z');
    for (const day of await run('listDaysToAnchor', '2026-01-13')) {
      await run('batchDay', day);
      await run('anchorBatch', { day, chainId: 31_337 });
    }
    reopen();
    const missed = await run('reportMissedAnchors', '2026-01-13');
    assert.deepEqual([...new Set(missed.map(({ chainId }) => chainId))], [31_338]);
    assert.ok(missed.some(({ day }) => day === recent));
    assert.ok(missed.every(({ day }) => day > DAY));
  });

  it('an anchor in the contract of before stays as it is, in time, when another contract is configured', async () => {
    const [first] = parts.ledger.chains;
    assert.ok(first);
    await emit('shop', 1, `${DAY}T10:00:00Z`);
    clock.now = new Date('2026-01-06T00:10:00Z');
    await run('batchDay', DAY);
    await run('anchorBatch', { day: DAY, chainId: 31_337 });
    const before = await parts.ledger.batches.find(DAY);
    const anchor = async () => assert.fail('nothing is asked of the new contract');
    reopen({ chains: [{ ...first, contract: `0x${'12'.repeat(20)}`, anchor }] });
    await run('anchorBatch', { day: DAY, chainId: 31_337 });
    assert.deepEqual(await parts.ledger.batches.find(DAY), before);
  });

  it('a night before the first event anchors the root of an empty day', async () => {
    clock.now = new Date('2026-01-06T00:10:00Z');
    const { root, leafCount } = await run('batchDay', DAY);
    assert.deepEqual([root, leafCount], [EMPTY_DAY_ROOT, 0]);
    assert.equal(await parts.ledger.batches.latestBefore(DAY), null, 'nor is there anything to make up for');
    await run('anchorBatch', { day: DAY, chainId: 31_338 });
    const contract = new Contract(parts.chains[1]?.contract ?? '', REGISTRY_ABI, parts.chains[1]?.provider ?? null);
    assert.equal((await contract.getFunction('anchors')(dayNumber(DAY))).root, EMPTY_DAY_ROOT);
    assert.equal(await contract.getFunction('verify')(dayNumber(DAY), EMPTY_DAY_ROOT, []), false);
  });

  it('a chain that was not reached is reported once, and the report is an event of the next day', async () => {
    await emit('shop', 1, `${DAY}T10:00:00Z`);
    clock.now = new Date('2026-01-06T00:10:00Z');
    await run('batchDay', DAY);
    await run('anchorBatch', { day: DAY, chainId: 31_337 });
    clock.now = new Date('2026-01-06T04:05:00Z');
    for (let round = 0; round < 2; round += 1) {
      assert.deepEqual(await run('reportMissedAnchors', DAY), [{ day: DAY, chainId: 31_338 }]);
    }
    const { items } = await parts.ledger.events.list(
      { orgSlug: null, eventType: 'anchor.missed' },
      { cursor: null, limit: 10 },
    );
    assert.equal(items.length, 1);
    assert.equal(items[0]?.namespace, 'ledger');
    assert.deepEqual((readPayload(items[0]?.payload ?? '{}').data as { chainId?: number }).chainId, 31_338);
    clock.now = new Date('2026-01-08T04:05:00Z');
    const later = await run('reportMissedAnchors', '2026-01-07');
    assert.deepEqual(
      later.map(({ day, chainId }) => `${day} ${chainId}`),
      [...[`${DAY} 31338`, '2026-01-06 31337', '2026-01-06 31338', '2026-01-07 31337', '2026-01-07 31338']],
    );
  });
});
