import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { closeDay } from '../../../activities/audit-ledger/close-day.ts';
import type { EventDocument } from '../../../adapters/mongo/audit-ledger/event-document.ts';
import { LEDGER_COLLECTIONS } from '../../../adapters/mongo/audit-ledger/indexes.ts';
import { signCheckpoint } from '../../../domain/audit-ledger/checkpoint.ts';
import type { LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import { hashOfEvent } from '../../../domain/audit-ledger/hash.ts';
import { DAY, LEDGER_NAME, SIGNER, useLedgerDay } from './use-ledger-day.ts';

const BEFORE = '2026-01-04';
const NIGHT = new Date('2026-01-06T00:10:00Z');

/** Whoever can write to the database changes it before the night; the night must not give that a root. */
describe('nothing broken is anchored', { timeout: 300_000 }, () => {
  const { parts, clock, run, reopen, emit, verdictOf } = useLedgerDay([]);
  const documents = () => parts.mongo.connection.db.collection<EventDocument>(LEDGER_COLLECTIONS.events);

  /** Three events on the day before, with its batch, and five on the day. */
  async function twoDays(): Promise<LedgerEvent[]> {
    await emit('shop', 3, `${BEFORE}T10:00:00Z`);
    clock.now = new Date(`${DAY}T00:10:00Z`);
    await run('batchDay', BEFORE);
    const events = await emit('shop', 5, `${DAY}T10:00:00Z`);
    clock.now = NIGHT;
    return events;
  }

  async function checkpoint(time: string): Promise<void> {
    const head = await parts.ledger.events.head('shop');
    assert.ok(head);
    const fields = { namespace: 'shop', size: head.chainIndex + 1, head: head.eventHash, time: new Date(time) };
    await parts.ledger.checkpoints.insert(await signCheckpoint(fields, LEDGER_NAME, SIGNER));
  }

  /** Writes the chain anew from an event on, all hashes right, those in closes of days included. */
  async function rewrite(from: number): Promise<void> {
    let prevHash: LedgerEvent['prevHash'] | null = null;
    for await (const event of parts.ledger.events.stream('shop', from)) {
      const payload = event.payload.replace(event.prevHash, prevHash ?? event.prevHash);
      const changed = { ...event, payload, ...(prevHash === null ? { entityId: 'forged' } : { prevHash }) };
      prevHash = hashOfEvent(changed);
      const { id, ...fields } = { ...changed, eventHash: prevHash };
      await documents().replaceOne({ _id: id }, fields);
    }
    // As a new process would, it knows nothing of the chains.
    reopen();
  }

  const refusedFor = (reason: RegExp) =>
    assert.rejects(run('batchDay', DAY), { code: 'ANCHOR_REFUSED', message: reason });

  it('an unchanged day gets its root, with checkpoints and with late closes', async () => {
    await emit('shop', 3, `${BEFORE}T10:00:00Z`);
    await emit('shop', 1, `${DAY}T00:05:00Z`);
    clock.now = new Date(`${DAY}T00:10:00Z`);
    await run('batchDay', BEFORE);
    await emit('shop', 5, `${DAY}T10:00:00Z`);
    await checkpoint(`${DAY}T11:00:00Z`);
    await emit('bank', 1, `${DAY}T12:00:00Z`);
    clock.now = new Date('2026-01-06T00:00:30Z');
    await checkpoint('2026-01-06T00:00:00Z');
    await emit('shop', 1, '2026-01-06T00:01:00Z');
    clock.now = NIGHT;
    assert.equal((await run('batchDay', DAY)).leafCount, 6 + 1 + 4);
    clock.now = new Date('2026-01-07T00:10:00Z');
    assert.equal((await run('batchDay', '2026-01-06')).leafCount, 1 + 4);
    for (const namespace of ['shop', 'bank', 'ledger']) assert.ok((await verdictOf(namespace)).valid);
  });

  it('an event that was altered and hashed again is refused: the next event names the previous hash', async () => {
    const [, victim] = await twoDays();
    assert.ok(victim);
    const eventHash = hashOfEvent({ ...victim, entityId: 'forged' });
    await documents().updateOne({ _id: victim.id }, { $set: { entityId: 'forged', eventHash } });
    await refusedFor(/shop: the chain is broken at 6 .unlinked/);
  });

  it('a day written anew, all hashes right, is refused for a checkpoint of the day', async () => {
    await twoDays();
    await checkpoint(`${DAY}T11:00:00Z`);
    await rewrite(5);
    await refusedFor(/shop: the chain is broken at 8 .rewritten/);
  });

  it('a tail that was cut off before the close of its day is refused for a checkpoint, whatever was written since', async () => {
    await twoDays();
    await checkpoint('2026-01-06T00:00:00Z');
    await documents().deleteMany({ namespace: 'shop', chainIndex: { $gte: 6 } });
    reopen();
    await refusedFor(/shop: the chain is broken at 7 .truncated/);
  });

  it('a checkpoint that was exchanged is refused', async () => {
    await twoDays();
    await checkpoint(`${DAY}T11:00:00Z`);
    await parts.mongo.connection.db.collection(LEDGER_COLLECTIONS.checkpoints).updateMany({}, { $set: { size: 5 } });
    await refusedFor(/checkpoint_forged/);
  });

  it('a chain that was written anew from a day that was batched on is refused, all hashes right', async () => {
    await twoDays();
    await rewrite(2);
    await refusedFor(/shop: the chain is broken at 3 .rewritten/);
  });

  it('the loss of the close of the day before is refused', async () => {
    await twoDays();
    await documents().deleteMany({ namespace: 'shop', chainIndex: { $gte: 3 } });
    reopen();
    await refusedFor(/shop: its close of 2026-01-04 is missing/);
  });

  it('an event whose time was moved to the day before is not left out unseen', async () => {
    const [first] = await twoDays();
    await documents().updateOne({ _id: first?.id ?? '' }, { $set: { createdAt: new Date(`${BEFORE}T23:00:00Z`) } });
    await refusedFor(/shop: the chain is broken at 4 .altered/);
  });

  it('a close that was exchanged between the closing and the tree is refused, in a namespace and in the ledger', async () => {
    for (const [namespace, reason] of [
      ['shop', /shop: its close is not the one that the close of the ledger names/],
      ['ledger', /ledger: the chain is broken at \d+ .altered/],
    ] as const) {
      await twoDays();
      await closeDay(parts.ledger, DAY);
      const [newest] = await documents().find({ namespace }).sort({ chainIndex: -1 }).limit(1).toArray();
      assert.ok(newest);
      const { _id, ...fields } = newest;
      const forged = { ...fields, id: _id, emitter: 'else' };
      const change = namespace === 'shop' ? { emitter: 'else', eventHash: hashOfEvent(forged) } : { emitter: 'else' };
      await documents().updateOne({ _id }, { $set: change });
      await refusedFor(reason);
      await documents().deleteMany({});
      await parts.mongo.connection.db.dropDatabase();
      reopen();
    }
  });

  it('a namespace that the close of the ledger leaves out is refused', async () => {
    await twoDays();
    await closeDay(parts.ledger, DAY);
    const [event] = await emit('late', 1, '2026-01-06T00:11:00Z');
    assert.ok(event);
    clock.now = NIGHT;
    await documents().updateOne({ _id: event.id }, { $set: { createdAt: new Date(`${DAY}T13:00:00Z`) } });
    await refusedFor(/late: the close of the ledger leaves out event 0/);
  });

  it('a day that was refused does not block the days after it', async () => {
    const events = await twoDays();
    await documents().updateOne({ _id: events.at(-1)?.id ?? '' }, { $set: { entityId: 'forged' } });
    await refusedFor(/altered/);
    await emit('shop', 2, '2026-01-06T10:00:00Z');
    clock.now = new Date('2026-01-07T00:10:00Z');
    assert.equal((await run('batchDay', '2026-01-06')).leafCount, 2 + 3);
  });
});
