import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { StandardMerkleTree } from '@openzeppelin/merkle-tree';
import { MockActivityEnvironment } from '@temporalio/testing';
import { Contract } from 'ethers';
import { type AnchoringActivities, createAnchoringActivities } from '../../../activities/audit-ledger/anchoring.ts';
import type { AnchoringDeps } from '../../../activities/audit-ledger/anchoring-deps.ts';
import { createAnchorChain } from '../../../adapters/chain/anchor-chain.ts';
import { createEnvSigner } from '../../../adapters/chain/env-signer.ts';
import { REGISTRY_ABI } from '../../../adapters/chain/registry-abi.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createTreeBuilder } from '../../../adapters/merkle/tree-builder.ts';
import { createAnchoringIndexes } from '../../../adapters/mongo/audit-ledger/anchoring-indexes.ts';
import { createBatchStore } from '../../../adapters/mongo/audit-ledger/batches.ts';
import { idOfKey } from '../../../adapters/mongo/audit-ledger/event-id.ts';
import { createEventWriter } from '../../../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../../../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes, LEDGER_COLLECTIONS } from '../../../adapters/mongo/audit-ledger/indexes.ts';
import { createPendingAnchorStore } from '../../../adapters/mongo/audit-ledger/pending-anchors.ts';
import { readPayload } from '../../../domain/audit-ledger/canonical.ts';
import { dayNumber } from '../../../domain/audit-ledger/days.ts';
import type { LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import { EMPTY_DAY_ROOT, rootOfProof } from '../../../domain/audit-ledger/merkle-proof.ts';
import type { BatchLeaf } from '../../../domain/audit-ledger/ports.ts';
import { verifyChain } from '../../../domain/audit-ledger/verify-chain.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { ANCHORER, startAnvil, type TestChain } from '../../adapters/chain/start-anvil.ts';
import { startMongo, type TestMongo } from '../../adapters/mongo/start-mongo.ts';
import { draftOf } from '../../ports/audit-ledger/drafts.ts';

const DAY = '2026-01-05';
const SILENT = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

describe('a day of the ledger, from its events to two chains', { timeout: 120_000 }, () => {
  let mongo: TestMongo;
  let chains: readonly TestChain[];
  let ledger: ReturnType<typeof open>;
  const clock = { now: new Date(`${DAY}T12:00:00Z`) };

  before(async () => {
    [mongo, ...chains] = await Promise.all([startMongo(), startAnvil(31_337), startAnvil(31_338)] as const);
  });
  after(() => Promise.all([mongo, ...chains].map((part) => part.stop())));
  beforeEach(async () => {
    const { db } = mongo.connection;
    await db.dropDatabase();
    await createLedgerIndexes(db);
    await createAnchoringIndexes(db);
    for (const chain of chains) await chain.rpc('evm_revert', fresh.get(chain) ?? '0x0').catch(() => false);
    for (const chain of chains) fresh.set(chain, (await chain.rpc('evm_snapshot')) as string);
    clock.now = new Date(`${DAY}T12:00:00Z`);
    ledger = open();
  });
  const fresh = new Map<TestChain, string>();

  function open(changes: Partial<AnchoringDeps> = {}) {
    const { db } = mongo.connection;
    const now = () => clock.now;
    const events = createEventStore({ db });
    const pending = createPendingAnchorStore({ db });
    const signer = createEnvSigner(Buffer.from(ANCHORER.privateKey.slice(2), 'hex'));
    const deps: AnchoringDeps = {
      events,
      writer: createEventWriter({ store: events, newId, now }),
      batches: createBatchStore({ db }),
      trees: createTreeBuilder(),
      chains: chains.map(({ chainId, rpcUrl, contract }) =>
        createAnchorChain(
          { chainId, rpcUrl, contract, confirmations: 1, explorerUrl: null },
          {
            signer,
            pending,
            now: () => new Date(),
            feeCapWei: 500n * 10n ** 9n,
            timing: { pollMs: 20, attemptMs: 2_000 },
          },
        ),
      ),
      idOfKey,
      now,
      platformOrg: 'platform',
      ...changes,
    };
    return { ...deps, activities: createAnchoringActivities(deps) };
  }

  /** Runs an activity as a worker would. */
  function run<K extends keyof AnchoringActivities>(name: K, ...args: Parameters<AnchoringActivities[K]>) {
    const activity = ledger.activities[name] as (...given: unknown[]) => ReturnType<AnchoringActivities[K]>;
    return new MockActivityEnvironment({}, { logger: SILENT }).run(activity, ...args) as ReturnType<
      AnchoringActivities[K]
    >;
  }

  async function emit(namespace: string, count: number, at: string): Promise<LedgerEvent[]> {
    clock.now = new Date(at);
    const drafts = Array.from({ length: count }, (_, index) =>
      draftOf({ namespace, orgSlug: index % 2 ? 'acme' : 'other' }),
    );
    return await Promise.all(drafts.map((draft) => ledger.writer.emit(draft)));
  }

  async function leavesOf(day: string): Promise<BatchLeaf[]> {
    const leaves: BatchLeaf[] = [];
    for await (const leaf of ledger.batches.leaves(day)) leaves.push(leaf);
    return leaves;
  }

  const verdictOf = (namespace: string) => verifyChain(ledger.events.stream(namespace, 0));

  it('every event is proven by the contracts on both chains and by the standard library, and those of other days are not in it', async () => {
    const shop = await emit('shop', 5, `${DAY}T08:00:00Z`);
    const bank = await emit('bank', 3, `${DAY}T23:59:59.999Z`);
    const early = await emit('shop', 2, '2026-01-06T00:00:00Z');
    clock.now = new Date('2026-01-06T00:10:00Z');
    const { root, chainIds } = await run('batchDay', DAY);
    for (const chainId of chainIds) await run('anchorBatch', { day: DAY, chainId });
    const leaves = await leavesOf(DAY);
    assert.equal(leaves.length, 5 + 3 + 2 + 1, 'events, a close for each namespace, and the close of the ledger');
    const standard = StandardMerkleTree.of(
      leaves.map(({ eventHash }) => [eventHash]),
      ['bytes32'],
    );
    assert.equal(standard.root, root);
    const { anchors = [] } = (await ledger.batches.find(DAY)) ?? {};
    assert.deepEqual(
      anchors.map(({ chainId }) => chainId),
      [31_337, 31_338],
    );
    for (const event of [...shop, ...bank]) {
      const found = await ledger.batches.locate(event.namespace, event.chainIndex);
      assert.equal(found?.batchId, DAY);
      const proof = await ledger.batches.proof(DAY, found.leafIndex);
      assert.equal(rootOfProof(event.eventHash, proof), root);
      assert.ok(StandardMerkleTree.verify(standard.root, ['bytes32'], [event.eventHash], [...proof]));
      for (const chain of chains) {
        const contract = new Contract(chain.contract, REGISTRY_ABI, chain.provider);
        assert.equal(await contract.getFunction('verify')(dayNumber(DAY), event.eventHash, proof), true);
        assert.equal(await contract.getFunction('verify')(dayNumber(DAY) + 1, event.eventHash, proof), false);
      }
    }
    for (const event of early) assert.equal(await ledger.batches.locate('shop', event.chainIndex), null);
    for (const namespace of ['shop', 'bank', 'ledger'])
      assert.equal((await verdictOf(namespace)).valid, true, namespace);
  });

  it('closes say what the day held, and the close of the ledger names every namespace and the root before', async () => {
    await emit('shop', 2, '2026-01-04T10:00:00Z');
    clock.now = new Date('2026-01-05T00:10:00Z');
    const before = await run('batchDay', '2026-01-04');
    await emit('shop', 4, `${DAY}T10:00:00Z`);
    await emit('bank', 1, `${DAY}T11:00:00Z`);
    clock.now = new Date('2026-01-06T00:10:00Z');
    await run('batchDay', DAY);
    const leaves = await leavesOf(DAY);
    const closes = await Promise.all(leaves.map(({ eventId }) => ledger.events.find(eventId)));
    const data = closes.flatMap((event) =>
      event?.eventType.startsWith('ledger.') ? [readPayload(event.payload).data] : [],
    );
    const [bank, ledgerDay, shop, whole] = data as Record<string, unknown>[];
    assert.deepEqual([bank?.namespace, bank?.count, bank?.firstIndex, bank?.lastIndex], ['bank', 1, 0, 0]);
    assert.deepEqual([ledgerDay?.namespace, ledgerDay?.count], ['ledger', 0]);
    assert.deepEqual([shop?.namespace, shop?.count, shop?.firstIndex, shop?.lastIndex], ['shop', 4, 3, 6]);
    assert.equal(whole?.previousRoot, before.root);
    assert.deepEqual(
      ((whole?.namespaces ?? []) as { namespace: string; count: number }[]).map(({ namespace, count }) => [
        namespace,
        count,
      ]),
      [
        ['bank', 1],
        ['ledger', 0],
        ['shop', 4],
      ],
    );
    for (const namespace of ['shop', 'bank', 'ledger'])
      assert.equal((await verdictOf(namespace)).valid, true, namespace);
  });

  it('a day is closed exactly while others write, before and after midnight', async () => {
    let stop = false;
    clock.now = new Date(`${DAY}T23:59:59.500Z`);
    const written: LedgerEvent[] = [];
    const writers = Array.from({ length: 6 }, async () => {
      // Each a process of its own, with its own idea of the head.
      const writer = createEventWriter({ store: ledger.events, newId, now: () => new Date(clock.now) });
      while (!stop) written.push(await writer.emit(draftOf({ namespace: 'busy' })));
    });
    while (written.length < 40) await new Promise((resolve) => setImmediate(resolve));
    clock.now = new Date('2026-01-06T00:10:00Z');
    await Promise.all([run('batchDay', DAY), run('batchDay', DAY)]);
    stop = true;
    await Promise.all(writers);
    assert.equal((await verdictOf('busy')).valid, true);
    const inBatch = new Set((await leavesOf(DAY)).map(({ eventId }) => eventId));
    for (const { id, createdAt } of written) assert.equal(inBatch.has(id), createdAt < new Date('2026-01-06'), id);
  });

  it('however often and at once a day is batched and anchored, there is one batch, one close and one transaction', async () => {
    await emit('shop', 3, `${DAY}T10:00:00Z`);
    clock.now = new Date('2026-01-06T00:10:00Z');
    const summaries = await Promise.all(Array.from({ length: 4 }, () => run('batchDay', DAY)));
    assert.equal(new Set(summaries.map(({ root }) => root)).size, 1);
    const sent = await Promise.all(Array.from({ length: 3 }, () => run('anchorBatch', { day: DAY, chainId: 31_337 })));
    assert.equal(new Set(sent.map(({ txHash }) => txHash)).size, 1);
    assert.equal((await run('batchDay', DAY)).root, summaries[0]?.root);
    const { items } = await ledger.events.list(
      { orgSlug: null, eventType: 'ledger.day_closed' },
      { cursor: null, limit: 50 },
    );
    assert.equal(items.length, 1);
    assert.equal((await ledger.batches.find(DAY))?.anchors.length, 1);
  });

  it('an anchor that its chain lost after all is made again when the day is anchored again; one of a chain that is away stays', async () => {
    const [chain] = chains;
    const snapshot = await chain?.rpc('evm_snapshot');
    await emit('shop', 1, `${DAY}T10:00:00Z`);
    clock.now = new Date('2026-01-06T00:10:00Z');
    await run('batchDay', DAY);
    await run('anchorBatch', { day: DAY, chainId: 31_337 });
    const [first] = (await ledger.batches.find(DAY))?.anchors ?? [];
    const away = {
      chainId: 31_337,
      anchor: async () => Promise.reject(new FairleadError('CHAIN_UNREACHABLE', 'away')),
    };
    ledger = open({ chains: [away] });
    assert.equal((await run('anchorBatch', { day: DAY, chainId: 31_337 })).txHash, first?.txHash);
    await chain?.rpc('evm_revert', snapshot);
    await chain?.rpc('evm_mine');
    ledger = open();
    await run('anchorBatch', { day: DAY, chainId: 31_337 });
    const [second, ...others] = (await ledger.batches.find(DAY))?.anchors ?? [];
    assert.deepEqual(others, []);
    assert.notEqual(second?.blockHash, first?.blockHash);
    assert.equal((await chain?.provider.getTransactionReceipt(second?.txHash ?? ''))?.blockHash, second?.blockHash);
  });

  it('what was tampered with before its night is not anchored', async () => {
    const events = () => mongo.connection.db.collection(LEDGER_COLLECTIONS.events);
    const tampers: Record<string, () => Promise<unknown>> = {
      'was changed': () => events().updateOne({ namespace: 'shop', chainIndex: 2 }, { $set: { entityId: 'order-2' } }),
      'its close counts 5': () => events().deleteOne({ namespace: 'shop', chainIndex: 2 }),
      'first event is gone': () => events().deleteOne({ namespace: 'shop', chainIndex: 0 }),
    };
    for (const [reason, tamper] of Object.entries(tampers)) {
      await mongo.connection.db.dropDatabase();
      await createLedgerIndexes(mongo.connection.db);
      ledger = open();
      await emit('shop', 5, `${DAY}T10:00:00Z`);
      clock.now = new Date('2026-01-06T00:10:00Z');
      const trees = { build: async () => assert.fail('no tree') };
      // The close is there, and the tree is not built yet.
      const stopped = createAnchoringActivities({ ...ledger, trees });
      await assert.rejects(new MockActivityEnvironment({}, { logger: SILENT }).run(stopped.batchDay, DAY), /no tree/);
      await tamper();
      await assert.rejects(run('batchDay', DAY), { code: 'ANCHOR_REFUSED', message: new RegExp(reason) });
    }
  });

  it('days that were left open are made up for, oldest first, each naming the root before it', async () => {
    await emit('shop', 1, '2026-01-02T10:00:00Z');
    await emit('shop', 1, '2026-01-04T10:00:00Z');
    clock.now = new Date('2026-01-06T00:10:00Z');
    const days = await run('listDaysToAnchor', DAY);
    assert.deepEqual(days, ['2026-01-02', '2026-01-03', '2026-01-04', DAY]);
    await run('batchDay', DAY);
    const batches = (await ledger.batches.list('2026-01-01', DAY, { cursor: null, limit: 10 })).items;
    assert.deepEqual(
      batches.map(({ id }) => id),
      days,
    );
    assert.equal((await verdictOf('shop')).valid, true);
    assert.deepEqual(await run('listDaysToAnchor', DAY), days, 'they have no anchors yet');
  });

  it('a night before the first event anchors the root of an empty day', async () => {
    clock.now = new Date('2026-01-06T00:10:00Z');
    const { root, leafCount } = await run('batchDay', DAY);
    assert.deepEqual([root, leafCount], [EMPTY_DAY_ROOT, 0]);
    assert.equal(await ledger.batches.latestBefore(DAY), null, 'nor is there anything to make up for');
    await run('anchorBatch', { day: DAY, chainId: 31_338 });
    const contract = new Contract(chains[1]?.contract ?? '', REGISTRY_ABI, chains[1]?.provider ?? null);
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
    const { items } = await ledger.events.list(
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

  it('a day that is not over is not closed', async () => {
    await emit('shop', 1, `${DAY}T10:00:00Z`);
    clock.now = new Date(`${DAY}T23:59:59.999Z`);
    await assert.rejects(run('batchDay', DAY), { code: 'VALIDATION_FAILED' });
    assert.equal(await ledger.batches.find(DAY), null);
  });
});
