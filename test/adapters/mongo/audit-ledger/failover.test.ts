import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { newId } from '../../../../adapters/crypto/new-id.ts';
import { createEventWriter } from '../../../../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../../../../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes } from '../../../../adapters/mongo/audit-ledger/indexes.ts';
import type { LedgerEvent } from '../../../../domain/audit-ledger/event.ts';
import { verifyChain } from '../../../../domain/audit-ledger/verify-chain.ts';
import { FairleadError } from '../../../../domain/errors.ts';
import { collect } from '../../../ports/audit-ledger/collect.ts';
import { draftOf } from '../../../ports/audit-ledger/drafts.ts';
import { startMongo, type TestMongo } from '../../../support/start-mongo.ts';
import { createFailingMembers } from './failing-members.ts';

/** Numbers in [0, 1), the same ones in each run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

// Five thousand calls of the database, one after the other: how long they take is for the machine to say.
describe('a primary that fails over with events that no majority has', { timeout: 400_000 }, () => {
  let mongo: TestMongo;
  let members: ReturnType<typeof createFailingMembers>;
  let namespace = '';
  let tests = 0;
  before(async () => {
    mongo = await startMongo();
    await createLedgerIndexes(mongo.connection.db);
  });
  after(() => mongo.stop());
  beforeEach(() => {
    members = createFailingMembers(mongo.connection.db);
    namespace = `payments-${tests++}`;
  });

  /** As processes do, writers share nothing but the database. */
  const createWriter = () =>
    createEventWriter({ store: createEventStore({ db: members.db }), newId, now: () => new Date() });
  const draft = () => draftOf({ namespace });
  const keyed = (key: string) => draftOf({ namespace, idempotency: { key, fingerprint: key }, entityId: key });
  const chain = () => collect(createEventStore(mongo.connection).stream(namespace, 0));
  const failing = { code: 'UNAVAILABLE', retryable: true };

  /** Events 0 and 1 on a majority, then two that the member has alone. */
  async function withTwoAlone(): Promise<void> {
    const writer = createWriter();
    await Promise.all([writer.emit(draft()), writer.emit(draft())]);
    members.state.fault = (count) => ({ kept: count, alone: true });
    const lost = await Promise.allSettled([writer.emit(keyed('a')), writer.emit(keyed('b'))]);
    assert.deepEqual(
      lost.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
    members.state.fault = () => null;
  }

  it('leaves no gap: a process that takes a namespace over chains to nothing that can be lost', async () => {
    await withTwoAlone();
    const other = createWriter();
    await assert.rejects(other.emit(draft()), failing);
    const event = await other.emit(draft());
    assert.equal(event.chainIndex, 2);
    assert.deepEqual(
      await chain()
        .then(verifyChain)
        .then(({ valid, count }) => [valid, count]),
      [true, 3],
    );
  });

  it('leaves no gap: a process chains to none of its own events that it got no answer for', async () => {
    const writer = createWriter();
    await writer.emit(draft());
    members.state.fault = (count) => ({ kept: count, alone: true });
    await assert.rejects(writer.emit(draft()), failing);
    members.state.fault = () => null;
    await assert.rejects(writer.emit(draft()), failing);
    assert.equal((await writer.emit(draft())).chainIndex, 1);
    assert.ok((await verifyChain(await chain())).valid);
  });

  it('leaves no gap: a process chains to no event that was lost between its two looks at the head', async () => {
    for (const isTaken of [false, true]) {
      namespace = `payments-${tests++}`;
      await withTwoAlone();
      // Another process, at the member that took over, may have written in the place of the lost events.
      const elsewhere = createEventWriter({ store: createEventStore(mongo.connection), newId, now: () => new Date() });
      members.state.tookOver = async () => {
        if (isTaken) for (let count = 0; count < 2; count += 1) await elsewhere.emit(draft());
      };
      const other = createWriter();
      await assert.rejects(other.emit(draft()), failing);
      members.state.tookOver = null;
      assert.equal((await other.emit(draft())).chainIndex, isTaken ? 4 : 2);
      assert.ok((await verifyChain(await chain())).valid);
    }
  });

  it('a repetition is not acknowledged with an event that can be lost', async () => {
    await withTwoAlone();
    // The writer of before still knows its head; its write is refused for the event that is there.
    const other = createWriter();
    await assert.rejects(other.emit(keyed('a')), failing);
    const event = await other.emit(keyed('a'));
    assert.deepEqual(await createEventStore(mongo.connection).find(event.id), event);
    assert.ok((await verifyChain(await chain())).valid);
  });

  it('the part of a write that a majority has is continued, and its events are found by their keys', async () => {
    const writer = createWriter();
    await writer.emit(draft());
    members.state.fault = () => ({ kept: 2, alone: false });
    const cut = await Promise.allSettled(['a', 'b', 'c'].map((key) => writer.emit(keyed(key))));
    assert.ok(cut.every(({ status }) => status === 'rejected'));
    members.state.fault = () => null;
    const [c, b, a] = [await writer.emit(keyed('c')), await writer.emit(keyed('b')), await writer.emit(keyed('a'))];
    assert.deepEqual([a.chainIndex, b.chainIndex, c.chainIndex], [1, 2, 3]);
    assert.ok((await verifyChain(await chain())).valid);
  });

  it('1,000 writes of 4 writers that fail at random, half of them lost, leave no gap and no fork, and lose nothing acknowledged', async () => {
    const random = createRandom(14);
    let faults = 0;
    members.state.failsOver = () => random() < 0.5;
    members.state.fault = (count) => {
      if (faults >= 1_000 || random() < 0.4) return null;
      faults += 1;
      return { kept: Math.floor(random() * (count + 1)), alone: random() < 0.5 };
    };
    const acknowledged: LedgerEvent[] = [];
    let number = 0;
    const emitter = async (writer: ReturnType<typeof createWriter>): Promise<void> => {
      while (faults < 1_000) {
        const one = keyed(`key-${number++}`);
        for (;;) {
          const event = await writer.emit(one).catch(assertUnavailable);
          if (event === null) continue;
          acknowledged.push(event);
          break;
        }
      }
    };
    const writers = Array.from({ length: 4 }, createWriter);
    await Promise.all(writers.flatMap((writer) => Array.from({ length: 3 }, () => emitter(writer))));
    const kept = await chain();
    const verdict = await verifyChain(kept);
    assert.deepEqual([verdict.valid, verdict.reason], [true, null], `broken at ${verdict.brokenAt}`);
    for (const event of acknowledged) assert.deepEqual(kept[event.chainIndex], event);
    assert.equal(new Set(kept.map(({ entityId }) => entityId)).size, kept.length, 'each is there once');
    assert.ok(acknowledged.length > 100, `${acknowledged.length}`);
  });
});

function assertUnavailable(error: unknown): null {
  assert.ok(error instanceof FairleadError && error.code === 'UNAVAILABLE', String(error));
  return null;
}
