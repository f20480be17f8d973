import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '../../../../adapters/crypto/new-id.ts';
import { createEventWriter } from '../../../../adapters/mongo/audit-ledger/event-writer.ts';
import { createEventStore } from '../../../../adapters/mongo/audit-ledger/events.ts';
import { createLedgerIndexes } from '../../../../adapters/mongo/audit-ledger/indexes.ts';
import { createNamespaceLeases } from '../../../../adapters/mongo/audit-ledger/namespace-leases.ts';
import type { EventStore, NamespaceLeases } from '../../../../domain/audit-ledger/ports.ts';
import { draftOf } from '../../../ports/audit-ledger/drafts.ts';
import { startMongo, type TestMongo } from '../../../support/start-mongo.ts';

const now = () => new Date();
const NAMESPACE = 'busy';

describe('leases on writing to a namespace', { timeout: 300_000 }, () => {
  let mongo: TestMongo;
  let leases: NamespaceLeases;
  let store: EventStore;
  before(async () => {
    mongo = await startMongo();
    const { db } = mongo.connection;
    await createLedgerIndexes(db);
    leases = createNamespaceLeases({ db, now });
    store = createEventStore({ db });
  });
  after(() => mongo.stop());

  it('one has it until it is given back, and it is known to be taken meanwhile', async () => {
    // The clock stands still: on a busy machine a lease would expire between two of these lines.
    const at = new Date();
    const leases = createNamespaceLeases({ db: mongo.connection.db, now: () => at });
    assert.equal(await leases.isHeld('quiet'), false);
    assert.equal(await leases.acquire('quiet'), null);
    assert.deepEqual([await leases.acquire('quiet'), await leases.isHeld('quiet')], [undefined, true]);
    await leases.release('quiet', null);
    assert.deepEqual([await leases.isHeld('quiet'), await leases.acquire('quiet')], [false, null]);
  });

  it('a lease whose holder died expires by itself', async () => {
    let time = Date.now();
    const later = createNamespaceLeases({ db: mongo.connection.db, now: () => new Date(time) });
    assert.equal(await later.acquire('left'), null);
    time += 1_001;
    assert.deepEqual([await later.isHeld('left'), await later.acquire('left')], [false, null]);
  });

  it('a writer that never pauses waits while another process holds the lease, and then continues', async () => {
    const writer = createEventWriter({ store, leases, newId, now });
    let stopped = false;
    const emitters = Array.from({ length: 8 }, async () => {
      while (!stopped) await writer.emit(draftOf({ namespace: NAMESPACE }));
    });
    const length = async (): Promise<number> => (await store.head(NAMESPACE))?.chainIndex ?? -1;
    /** Within the second that a lease lasts. */
    const stoodStill = async (): Promise<boolean> => {
      if ((await leases.acquire(NAMESPACE)) === undefined) return false;
      for (let last = await length(); await leases.isHeld(NAMESPACE); ) {
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
      await leases.release(NAMESPACE, null);
      const before = await length();
      while ((await length()) === before) assert.ok(Date.now() < deadline, 'it never went on');
    } finally {
      stopped = true;
      await Promise.all(emitters);
    }
  });
});
