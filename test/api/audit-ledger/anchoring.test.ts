import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { StandardMerkleTree } from '@openzeppelin/merkle-tree';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createAnchoringActivities } from '../../../activities/audit-ledger/anchoring.ts';
import { createTreeBuilder } from '../../../adapters/merkle/tree-builder.ts';
import { idOfKey } from '../../../adapters/mongo/audit-ledger/event-id.ts';
import type { Anchor } from '../../../domain/audit-ledger/batch.ts';
import { signAnchor } from '../../../domain/audit-ledger/batch-signature.ts';
import { addDays } from '../../../domain/audit-ledger/days.ts';
import { createRootBuilder } from '../../../domain/audit-ledger/leaf-list.ts';
import { listedHash, rootOfProof } from '../../../domain/audit-ledger/merkle-proof.ts';
import { draftOf } from '../../ports/audit-ledger/drafts.ts';
import { KEY, LEDGER, startLedger, type TestLedger } from '../../support/start-ledger.ts';

const DAY = '2026-01-05';
const READER = 'shop-prod/acme/septor:query';
const SILENT = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

const anchorOn = (chainId: number): Anchor => ({
  chainId,
  contract: '0x00000000000000000000000000000000000000c0',
  txHash: `0x${'1'.repeat(64)}`,
  blockNumber: 7,
  blockHash: `0x${'2'.repeat(64)}`,
  confirmedAt: new Date('2026-01-06T00:11:00Z'),
  explorerUrl: 'https://explorer.example/tx/0x1',
});

describe('proofs, batches and anchors over HTTP', () => {
  let ledger: TestLedger;
  let own: string;
  let foreign: string;
  let unbatched: string;
  const clock = { now: new Date(`${DAY}T12:00:00Z`) };

  before(async () => {
    ledger = await startLedger({ now: () => clock.now });
    own = (await ledger.writer.emit(draftOf({ namespace: 'shop' }))).id;
    foreign = (await ledger.writer.emit(draftOf({ namespace: 'shop', orgSlug: 'other' }))).id;
    clock.now = new Date('2026-01-06T00:10:00Z');
    const { batches } = ledger;
    const parts = { trees: createTreeBuilder(), chains: [], idOfKey, now: () => clock.now, platformOrg: 'platform' };
    const { batchDay } = createAnchoringActivities({ ...ledger.night, ...parts });
    await new MockActivityEnvironment({}, { logger: SILENT }).run(batchDay, DAY);
    const batch = (await batches.find(DAY)) ?? assert.fail();
    await batches.putAnchor(DAY, await signAnchor(anchorOn(31_337), batch, LEDGER, ledger.signer));
    unbatched = (await ledger.writer.emit(draftOf({ namespace: 'shop' }))).id;
  });
  after(() => ledger.stop());

  it('a service with the scope gets the proof of its own event, which leads to the anchored root', async () => {
    const { status, body } = await ledger.call(READER, 'GET', `/v1/proofs/${own}`);
    assert.equal(status, 200);
    const { data } = body;
    assert.deepEqual(Object.keys(data).sort(), [
      'anchors',
      'batchId',
      'eventHash',
      'leaf',
      'leafIndex',
      'proof',
      'root',
      'signature',
    ]);
    assert.equal(data.batchId, DAY);
    assert.equal(rootOfProof(data.eventHash, data.proof), data.root);
    assert.ok(StandardMerkleTree.verify(data.root, ['bytes32'], [data.eventHash], data.proof));
    const { chainId, contract, txHash, blockNumber, explorerUrl } = anchorOn(31_337);
    assert.deepEqual(data.anchors, [{ chainId, contract, txHash, blockNumber, explorerUrl, signature: 'good' }]);
  });

  it('there is no proof before the batch, and it says so in the words of the contract', async () => {
    const { status, body } = await ledger.call(READER, 'GET', `/v1/proofs/${unbatched}`);
    assert.equal(status, 404);
    assert.equal(body.error.code, 'NOT_BATCHED');
    assert.deepEqual(body.error.details, { error: 'not_batched' });
  });

  it('events of other orgs and events there are not are the same to a service; the platform sees all', async () => {
    for (const id of [foreign, 'evt_none']) {
      const { status, body } = await ledger.call(READER, 'GET', `/v1/proofs/${id}`);
      assert.deepEqual([status, body.error.code], [404, 'EVENT_NOT_FOUND']);
    }
    assert.equal((await ledger.call('platform', 'GET', `/v1/proofs/${foreign}`)).status, 200);
  });

  it('without the scope there are no proofs, and nobody unknown gets one or a batch', async () => {
    const { status, body } = await ledger.call('shop-prod/acme', 'GET', `/v1/proofs/${own}`);
    assert.deepEqual([status, body.error.details], [403, { scope: 'septor:query' }]);
    assert.equal((await ledger.call(null, 'GET', `/v1/proofs/${own}`)).status, 401);
    assert.equal((await ledger.call(null, 'GET', `/v1/batches/${DAY}`)).status, 401);
    assert.equal((await ledger.call('shop-prod//septor:query', 'GET', `/v1/proofs/${own}`)).status, 403);
  });

  it('a batch has all leaves, of other orgs the hash alone, and its root can be built from them', async () => {
    const { status, body } = await ledger.call('shop-prod/acme', 'GET', `/v1/batches/${DAY}`);
    assert.equal(status, 200);
    const { leaves, leafCount, root } = body.data;
    assert.equal(leaves.length, leafCount);
    const hashes = leaves.map(({ eventHash }: { eventHash: string }) => [eventHash]);
    assert.equal(StandardMerkleTree.of(hashes, ['bytes32']).root, root);
    const mine = leaves.findIndex(({ eventId }: { eventId?: string }) => eventId === own);
    assert.deepEqual([leaves[mine].namespace, leaves[mine].chainIndex], ['shop', 0]);
    assert.deepEqual(Object.keys(leaves[mine + 1]), ['leafIndex', 'eventHash']);
    const all = (await ledger.call('platform', 'GET', `/v1/batches/${DAY}`)).body.data.leaves;
    assert.equal(all[mine + 1].eventId, foreign);
  });

  it('anyone gets the leaf list of a day, which leads to its root and tells nothing of its events but their number', async () => {
    const { status, text, headers } = await ledger.call(null, 'GET', `/v1/batches/${DAY}/leaves`);
    assert.deepEqual([status, headers.get('content-type')], [200, 'application/x-ndjson; charset=utf-8']);
    const [head, ...leaves] = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const batch = (await ledger.call('platform', 'GET', `/v1/batches/${DAY}`)).body.data;
    assert.deepEqual(head, { batchId: DAY, root: batch.root, leafCount: batch.leafCount });
    const builder = createRootBuilder(head.leafCount);
    for (const leaf of leaves) builder.add(leaf);
    assert.equal(builder.root(), batch.root);
    // The hash of an event would be the `prevHash` of the next, with which an event can be guessed.
    for (const { eventHash, eventId, namespace = 'shop' } of batch.leaves) {
      assert.ok(leaves.includes(listedHash(eventHash)));
      for (const secret of [eventHash.slice(2), eventId, namespace]) assert.ok(!text.includes(secret), secret);
    }
    assert.doesNotMatch(text, /acme|other|order/);
    const none = await ledger.call(null, 'GET', '/v1/batches/2026-01-04/leaves');
    assert.deepEqual([none.status, none.body.error.code], [404, 'BATCH_NOT_FOUND']);
  });

  it('an unknown batch is not found, and what is no day is not valid', async () => {
    assert.equal((await ledger.call(READER, 'GET', '/v1/batches/2026-01-04')).body.error.code, 'BATCH_NOT_FOUND');
    for (const id of ['2026-02-30', 'bat_1', '20260105']) {
      assert.equal((await ledger.call(READER, 'GET', `/v1/batches/${id}`)).status, 400);
    }
  });

  it('anyone sees anchors, and nothing of any event', async () => {
    const { status, body, text } = await ledger.call(null, 'GET', `/v1/anchors?from=${DAY}&to=${DAY}`);
    assert.equal(status, 200);
    const [day] = body.data.days;
    assert.equal(day.batchId, DAY);
    assert.deepEqual(day.chainIds, []);
    assert.equal(day.anchors[0].txHash, anchorOn(1).txHash);
    assert.equal(day.anchors[0].confirmedAt, '2026-01-06T00:11:00.000Z');
    for (const secret of [own, foreign, 'shop', 'acme', 'order', 'leafCount', KEY])
      assert.doesNotMatch(text, new RegExp(secret));
    assert.equal((await ledger.call(null, 'GET', '/v1/anchors')).body.data.days.length, 1);
    assert.deepEqual((await ledger.call(null, 'GET', `/v1/anchors?from=${addDays(DAY, 1)}`)).body.data.days, []);
  });

  it('a range of anchors has an order, an end and days that exist', async () => {
    for (const query of [`from=${DAY}&to=2026-01-04`, 'from=2024-01-01&to=2026-01-05', 'from=2026-02-30', 'limit=5']) {
      assert.equal((await ledger.call(null, 'GET', `/v1/anchors?${query}`)).status, 400, query);
    }
    assert.equal((await ledger.call(null, 'GET', '/v1/anchors?from=2025-01-05&to=2026-01-05')).status, 200);
  });

  it('the platform has a day anchored again, and nobody else does', async () => {
    const { status, body } = await ledger.call('platform', 'POST', `/v1/batches/${DAY}/anchor`);
    assert.deepEqual([status, body.data.poll], [202, `/v1/anchors?from=${DAY}&to=${DAY}`]);
    assert.deepEqual(ledger.anchoredByHand, [DAY]);
    assert.equal((await ledger.call(READER, 'POST', `/v1/batches/${DAY}/anchor`)).status, 403);
    assert.equal((await ledger.call(null, 'POST', `/v1/batches/${DAY}/anchor`)).status, 401);
    assert.equal((await ledger.call('platform', 'POST', '/v1/batches/2026-01-06/anchor')).status, 400);
  });
});
