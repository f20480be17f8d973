import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createAnchoringActivities } from '../../../activities/audit-ledger/anchoring.ts';
import { newId } from '../../../adapters/crypto/new-id.ts';
import { createEventWriter } from '../../../adapters/mongo/audit-ledger/event-writer.ts';
import { createLedgerIndexes, LEDGER_COLLECTIONS } from '../../../adapters/mongo/audit-ledger/indexes.ts';
import { batchDayOf } from '../../../domain/audit-ledger/batch-day.ts';
import { readPayload } from '../../../domain/audit-ledger/canonical.ts';
import type { LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import { draftOf } from '../../ports/audit-ledger/drafts.ts';
import { DAY, SILENT, useLedgerDay } from './use-ledger-day.ts';

describe('the batch of a day', { timeout: 300_000 }, () => {
  const { parts, clock, run, reopen, emit, leavesOf, verdictOf } = useLedgerDay([31_337]);

  it('closes say what the day held, and the close of the ledger names every namespace and the root before', async () => {
    await emit('shop', 2, '2026-01-04T10:00:00Z');
    clock.now = new Date('2026-01-05T00:10:00Z');
    const before = await run('batchDay', '2026-01-04');
    await emit('shop', 4, `${DAY}T10:00:00Z`);
    await emit('bank', 1, `${DAY}T11:00:00Z`);
    clock.now = new Date('2026-01-06T00:10:00Z');
    await run('batchDay', DAY);
    const leaves = await leavesOf(DAY);
    const closes = await Promise.all(leaves.map(({ eventId }) => parts.ledger.events.find(eventId)));
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
      const writer = createEventWriter({ store: parts.ledger.events, newId, now: () => new Date(clock.now) });
      while (!stop) written.push(await writer.emit(draftOf({ namespace: 'busy' })));
    });
    while (written.length < 40) await new Promise((resolve) => setImmediate(resolve));
    clock.now = new Date('2026-01-06T00:10:00Z');
    await Promise.all([run('batchDay', DAY), run('batchDay', DAY)]);
    const after = written.length + 40;
    while (written.length < after) await new Promise((resolve) => setImmediate(resolve));
    stop = true;
    await Promise.all(writers);
    assert.equal((await verdictOf('busy')).valid, true);
    const inBatch = new Set((await leavesOf(DAY)).map(({ eventId }) => eventId));
    for (const { id, createdAt } of written) assert.equal(inBatch.has(id), createdAt < new Date('2026-01-06'), id);
    const ofTheDay = written.filter(({ id }) => inBatch.has(id)).length;
    assert.ok(ofTheDay >= 40 && written.length - ofTheDay >= 40, `${ofTheDay} of ${written.length}`);
  });

  it('however often and at once a day is batched and anchored, there is one batch, one close and one transaction', async () => {
    await emit('shop', 3, `${DAY}T10:00:00Z`);
    clock.now = new Date('2026-01-06T00:10:00Z');
    const summaries = await Promise.all(Array.from({ length: 4 }, () => run('batchDay', DAY)));
    assert.equal(new Set(summaries.map(({ root }) => root)).size, 1);
    const sent = await Promise.all(Array.from({ length: 3 }, () => run('anchorBatch', { day: DAY, chainId: 31_337 })));
    assert.equal(new Set(sent.map(({ txHash }) => txHash)).size, 1);
    assert.equal((await run('batchDay', DAY)).root, summaries[0]?.root);
    const { items } = await parts.ledger.events.list(
      { orgSlug: null, namespace: 'shop', eventType: 'ledger.day_closed' },
      { cursor: null, limit: 50 },
    );
    assert.equal(items.length, 1);
    assert.equal((await parts.ledger.batches.find(DAY))?.anchors.length, 1);
  });

  it('what was tampered with before its night is not anchored', async () => {
    const events = () => parts.mongo.connection.db.collection(LEDGER_COLLECTIONS.events);
    const tampers: Record<string, () => Promise<unknown>> = {
      'broken at 2 .altered': () =>
        events().updateOne({ namespace: 'shop', chainIndex: 2 }, { $set: { entityId: 'order-2' } }),
      'broken at 2 .gap': () => events().deleteOne({ namespace: 'shop', chainIndex: 2 }),
      'broken at 0 .gap': () => events().deleteOne({ namespace: 'shop', chainIndex: 0 }),
    };
    for (const [reason, tamper] of Object.entries(tampers)) {
      await parts.mongo.connection.db.dropDatabase();
      await createLedgerIndexes(parts.mongo.connection.db);
      reopen();
      await emit('shop', 5, `${DAY}T10:00:00Z`);
      clock.now = new Date('2026-01-06T00:10:00Z');
      const trees = { build: async () => assert.fail('no tree') };
      // The close is there, and the tree is not built yet.
      const stopped = createAnchoringActivities({ ...parts.ledger, trees });
      await assert.rejects(new MockActivityEnvironment({}, { logger: SILENT }).run(stopped.batchDay, DAY), /no tree/);
      await tamper();
      await assert.rejects(run('batchDay', DAY), { code: 'ANCHOR_REFUSED', message: new RegExp(reason) });
    }
  });

  it('a tree that does not prove its leaves by the library gives no root, wherever it is wrong', async () => {
    await emit('shop', 5, `${DAY}T10:00:00Z`);
    clock.now = new Date('2026-01-06T00:10:00Z');
    const { trees } = parts.ledger;
    for (const wrong of [0, 1, 6, 14]) {
      const build: typeof trees.build = async (...args) => {
        const tree = await trees.build(...args);
        tree.nodes[wrong * 32] = (tree.nodes[wrong * 32] ?? 0) ^ 1;
        return tree;
      };
      reopen({ trees: { build } });
      await assert.rejects(run('batchDay', DAY), { code: 'INTERNAL', message: /does not lead to its root/ });
      assert.equal(await parts.ledger.batches.find(DAY), null);
    }
    reopen();
    await run('batchDay', DAY);
  });

  it('a day that was tampered with keeps no later day from its batch, and is reported as missed', async () => {
    const [before, tampered] = ['2026-01-03', '2026-01-04'];
    await emit('shop', 1, `${before}T10:00:00Z`);
    clock.now = new Date(`${tampered}T00:10:00Z`);
    await run('batchDay', before);
    const [, victim] = await emit('shop', 3, `${tampered}T10:00:00Z`);
    const events = await emit('shop', 3, `${DAY}T10:00:00Z`);
    const { db } = parts.mongo.connection;
    await db.collection(LEDGER_COLLECTIONS.events).updateOne({ _id: victim?.id as never }, { $set: { entityId: 'x' } });
    clock.now = new Date('2026-01-06T00:10:00Z');
    await run('batchDay', DAY);
    const batched = new Set((await leavesOf(DAY)).map(({ eventId }) => eventId));
    for (const { id } of events) assert.ok(batched.has(id));
    await assert.rejects(run('batchDay', tampered), { code: 'ANCHOR_REFUSED' });
    for (const day of [before, DAY]) await run('anchorBatch', { day, chainId: 31_337 });
    assert.deepEqual(await run('reportMissedAnchors', DAY), [{ day: tampered, chainId: 31_337 }]);
  });

  it('days that were left open are made up for, oldest first, each naming the root before it', async () => {
    await emit('shop', 1, '2026-01-02T10:00:00Z');
    await emit('shop', 1, '2026-01-04T10:00:00Z');
    clock.now = new Date('2026-01-06T00:10:00Z');
    const days = await run('listDaysToAnchor', DAY);
    assert.deepEqual(days, ['2026-01-02', '2026-01-03', '2026-01-04', DAY]);
    await run('batchDay', DAY);
    const batches = (await parts.ledger.batches.list('2026-01-01', DAY, { cursor: null, limit: 10 })).items;
    assert.deepEqual(
      batches.map(({ id }) => id),
      days,
    );
    assert.equal((await verdictOf('shop')).valid, true);
    assert.deepEqual(await run('listDaysToAnchor', DAY), days, 'they have no anchors yet');
  });

  it('after an outage of more than a month, the days that are caught up begin with the first of them', async () => {
    await emit('shop', 1, '2025-11-01T10:00:00Z');
    clock.now = new Date('2025-11-02T00:10:00Z');
    await run('batchDay', '2025-11-01');
    await emit('shop', 1, `${DAY}T10:00:00Z`);
    clock.now = new Date('2026-01-06T00:10:00Z');
    await run('batchDay', DAY);
    const { items } = await parts.ledger.batches.list('2025-11-02', DAY, { cursor: null, limit: 100 });
    assert.deepEqual([items[0]?.id, items.length], ['2025-12-05', 32]);
    assert.equal((await verdictOf('ledger')).valid, true);
  });

  it('every event, and every close however late it was written, is found where the batch of its day has it', async () => {
    const days = ['2026-01-03', '2026-01-04', DAY];
    for (const day of days) {
      await emit('shop', 2, `${day}T10:00:00Z`);
      await emit('bank', 1, `${day}T11:00:00Z`);
    }
    await emit('shop', 1, '2026-01-06T00:00:00Z');
    clock.now = new Date('2026-01-06T00:10:00Z');
    for (const day of days) await run('batchDay', day);
    const places = new Map<string, string>();
    for (const day of days) {
      for (const { eventId, leafIndex } of await leavesOf(day)) places.set(eventId, `${day} ${leafIndex}`);
    }
    const found = new Map<string, string>();
    for (const namespace of await parts.ledger.events.namespaces()) {
      for await (const event of parts.ledger.events.stream(namespace, 0)) {
        const place = await parts.ledger.batches.locate(batchDayOf(event), namespace, event.chainIndex);
        if (place !== null) found.set(event.id, `${place.batch.id} ${place.leafIndex}`);
      }
    }
    assert.deepEqual(found, places);
    assert.ok(places.size >= 3 * (3 + 3), 'each day has three events, two closes of namespaces and one of the ledger');
  });

  it('a day that is not over is not closed', async () => {
    await emit('shop', 1, `${DAY}T10:00:00Z`);
    clock.now = new Date(`${DAY}T23:59:59.999Z`);
    await assert.rejects(run('batchDay', DAY), { code: 'VALIDATION_FAILED' });
    assert.equal(await parts.ledger.batches.find(DAY), null);
  });
});
