import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../../../adapters/crypto/new-id.ts';
import { createEventWriter } from '../../../../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../../../../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes } from '../../../../adapters/mongo/audit-ledger/indexes.ts';
import { createTurns } from '../../../../adapters/mongo/audit-ledger/turns.ts';
import type { EventStore, Turns } from '../../../../domain/audit-ledger/ports.ts';
import { draftOf } from '../../../ports/audit-ledger/drafts.ts';
import { startMongo, type TestMongo } from '../../../support/start-mongo.ts';

const now = () => new Date();
const NAMESPACE = 'busy';

describe('turns at writing to a namespace', { timeout: 60_000 }, () => {
  let mongo: TestMongo;
  let turns: Turns;
  let store: EventStore;
  before(async () => {
    mongo = await startMongo();
    const { db } = mongo.connection;
    await createLedgerIndexes(db);
    turns = createTurns({ db, now });
    store = createEventStore({ db });
  });
  after(() => mongo.stop());

  it('one has it until it is given back, and it is known to be taken meanwhile', async () => {
    assert.equal(await turns.isTaken('quiet'), false);
    assert.equal(await turns.take('quiet'), null);
    assert.deepEqual([await turns.take('quiet'), await turns.isTaken('quiet')], [undefined, true]);
    await turns.give('quiet', null);
    assert.deepEqual([await turns.isTaken('quiet'), await turns.take('quiet')], [false, null]);
  });

  it('a turn whose holder died is over by itself', async () => {
    let time = Date.now();
    const later = createTurns({ db: mongo.connection.db, now: () => new Date(time) });
    assert.equal(await later.take('left'), null);
    time += 1_001;
    assert.deepEqual([await later.isTaken('left'), await later.take('left')], [false, null]);
  });

  it('a writer that never pauses gives way to whoever has the turn, and goes on after it', async () => {
    const writer = createEventWriter({ store, turns, newId, now });
    let stopped = false;
    const emitters = Array.from({ length: 8 }, async () => {
      while (!stopped) await writer.emit(draftOf({ namespace: NAMESPACE }));
    });
    const length = async (): Promise<number> => (await store.head(NAMESPACE))?.chainIndex ?? -1;
    /** Within the second that a turn lasts. */
    const stoodStill = async (): Promise<boolean> => {
      if ((await turns.take(NAMESPACE)) === undefined) return false;
      for (let last = await length(); await turns.isTaken(NAMESPACE); ) {
        await delay(100);
        const next = await length();
        if (next === last) return true;
        last = next;
      }
      return false;
    };
    const deadline = Date.now() + 20_000;
    try {
      while (!(await stoodStill())) assert.ok(Date.now() < deadline, 'it never gave way');
      await turns.give(NAMESPACE, null);
      const before = await length();
      while ((await length()) === before) assert.ok(Date.now() < deadline, 'it never went on');
    } finally {
      stopped = true;
      await Promise.all(emitters);
    }
  });
});
