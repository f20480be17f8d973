import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Collection } from 'mongodb';
import { closeDay } from '../../../activities/audit-ledger/close-day.ts';
import { createTreeBuilder } from '../../../adapters/merkle/tree-builder.ts';
import type { EventDocument } from '../../../adapters/mongo/audit-ledger/event-document.ts';
import { idOfKey } from '../../../adapters/mongo/audit-ledger/event-id.ts';
import { signCheckpoint } from '../../../domain/audit-ledger/checkpoint.ts';
import type { Hash, LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import { hashOfEvent } from '../../../domain/audit-ledger/hash.ts';
import { LEDGER, startLedger, type TestLedger } from '../../support/start-ledger.ts';

/** Whoever can write to the database changes history there; each change must show, and where. */
describe('a history that was tampered with in the database', () => {
  let ledger: TestLedger;
  let events: Collection<EventDocument>;
  let time: Date;
  let receipts: { eventHash: Hash; chainIndex: number }[];

  let untouched: EventDocument[];

  // 10 events of `shop` on the 20th and 21st, 3 of `billing` on the 20th; both days closed.
  before(async () => {
    time = new Date('2026-11-20T08:00:00.000Z');
    ledger = await startLedger({ now: () => time });
    events = ledger.db.collection<EventDocument>('audit_ledger_events');
    receipts = [];
    for (let index = 0; index < 6; index += 1) await emit('shop', index);
    for (let index = 0; index < 3; index += 1) await emit('billing', index);
    time = new Date('2026-11-21T00:05:00.000Z');
    await emit('shop', 6);
    await close('2026-11-20', '2026-11-21T00:10:00.000Z');
    for (let index = 7; index < 10; index += 1) await emit('shop', index);
    await close('2026-11-21', '2026-11-22T00:10:00.000Z');
    untouched = await events.find().toArray();
  });
  after(() => ledger.stop());
  beforeEach(async () => {
    await events.deleteMany({});
    await events.insertMany(untouched);
    await ledger.db.collection('audit_ledger_checkpoints').deleteMany({});
    ledger.restart();
    time = new Date('2026-11-22T09:00:00.000Z');
    receipts = receipts.slice(0, 10);
  });

  async function emit(service: string, index: number): Promise<void> {
    time = new Date(time.getTime() + 60_000);
    const body = { eventType: 'order.changed', entityId: `${service}-${index % 2}`, data: { index } };
    const answer = await ledger.call(`${service}-prod/acme`, 'POST', '/v1/events/emit', body);
    assert.equal(answer.status, 201);
    if (service === 'shop') receipts.push(answer.body.data);
  }

  async function close(day: string, at: string): Promise<void> {
    time = new Date(at);
    const deps = {
      ...ledger.night,
      trees: createTreeBuilder(),
      chains: [],
      idOfKey,
      now: () => time,
      platformOrg: 'platform',
    };
    await closeDay(deps, day);
  }

  async function verdict(namespace: string, expectedHead?: Hash) {
    const query = expectedHead === undefined ? '' : `?expectedHead=${expectedHead}`;
    const answer = await ledger.call('platform', 'GET', `/v1/namespaces/${namespace}/verify${query}`);
    assert.equal(answer.status, 200, answer.text);
    const { valid, brokenAt, reason } = answer.body.data;
    return { valid, brokenAt, reason };
  }
  const broken = (chainIndex: number, reason: string, namespace = 'shop') => {
    return { valid: false, brokenAt: { namespace, chainIndex }, reason };
  };
  const chain = async (namespace: string): Promise<LedgerEvent[]> => {
    const found: LedgerEvent[] = [];
    for await (const event of ledger.store.stream(namespace, 0)) found.push(event);
    return found;
  };
  const at = (chainIndex: number, namespace = 'shop') => ({ namespace, chainIndex });

  /** Writes a chain anew from an event on, all hashes right: what a forger with time does. */
  async function rechain(namespace: string, from: number, change: (event: LedgerEvent) => LedgerEvent): Promise<void> {
    const all = await chain(namespace);
    let prevHash = all[from]?.prevHash;
    for (const event of all.slice(from)) {
      const changed = change({ ...event, prevHash: prevHash ?? event.prevHash });
      const eventHash = hashOfEvent(changed);
      const { id, ...fields } = { ...changed, eventHash };
      await events.replaceOne({ _id: id }, fields);
      prevHash = eventHash;
    }
  }

  async function checkpoint(namespace: string): Promise<void> {
    const head = await ledger.store.head(namespace);
    assert.ok(head);
    const fields = { namespace, size: head.chainIndex + 1, head: head.eventHash, time };
    await ledger.checkpoints.insert(await signCheckpoint(fields, LEDGER, ledger.signer));
  }

  it('is valid while unchanged, with its day closes and checkpoints', async () => {
    await checkpoint('shop');
    assert.deepEqual(await verdict('shop'), { valid: true, brokenAt: null, reason: null });
    assert.deepEqual(await verdict('billing'), { valid: true, brokenAt: null, reason: null });
    assert.deepEqual(await verdict('ledger'), { valid: true, brokenAt: null, reason: null });
    assert.ok((await verdict('shop', receipts[3]?.eventHash)).valid);
    const entity = await ledger.call('shop-prod/acme', 'GET', '/v1/entities/shop-1/verify');
    assert.ok(entity.body.data.valid);
  });

  it('every field of an event, its payload included, shows when it is altered', async () => {
    const original = await events.findOne(at(2));
    assert.ok(original);
    const changes: Partial<EventDocument>[] = [
      { payload: original.payload.replace('2', '3') },
      { entityId: 'else' },
      { eventType: 'order.other' },
      { orgSlug: 'other' },
      { emitter: 'other' },
      { createdAt: new Date(original.createdAt.getTime() - 1) },
      { eventHash: `0x${'ab'.repeat(32)}` },
    ];
    for (const change of changes) {
      await events.updateOne(at(2), { $set: change });
      assert.deepEqual(await verdict('shop'), broken(2, 'altered'), JSON.stringify(Object.keys(change)));
      await events.replaceOne({ _id: original._id }, original);
    }
    assert.ok((await verdict('shop')).valid);
  });

  it('an event that was altered and hashed anew breaks the link of the next one', async () => {
    const [, , third] = await chain('shop');
    assert.ok(third);
    const forged = { ...third, entityId: 'forged' };
    await events.updateOne(at(2), { $set: { entityId: 'forged', eventHash: hashOfEvent(forged) } });
    assert.deepEqual(await verdict('shop'), broken(3, 'unlinked'));
  });

  it('an event deleted in the middle leaves a gap', async () => {
    await events.deleteOne(at(4));
    assert.deepEqual(await verdict('shop'), broken(4, 'gap'));
  });

  it('the first event deleted leaves a gap', async () => {
    await events.deleteOne(at(0));
    assert.deepEqual(await verdict('shop'), broken(0, 'gap'));
  });

  it('two events that changed places show', async () => {
    const [a, b] = [await events.findOne(at(2)), await events.findOne(at(3))];
    assert.ok(a && b);
    await events.updateOne({ _id: a._id }, { $set: { chainIndex: 99 } });
    await events.updateOne({ _id: b._id }, { $set: { chainIndex: 2 } });
    await events.updateOne({ _id: a._id }, { $set: { chainIndex: 3 } });
    assert.deepEqual(await verdict('shop'), broken(2, 'altered'));
  });

  it('an event put in shows, although the rest was moved to make room', async () => {
    const all = await chain('shop');
    for (const event of all.toReversed().filter(({ chainIndex }) => chainIndex >= 3)) {
      await events.updateOne({ _id: event.id }, { $set: { chainIndex: event.chainIndex + 1 } });
    }
    const [, , before, moved] = all;
    assert.ok(before && moved);
    const forged = { ...moved, id: 'evt_forged', chainIndex: 3, entityId: 'put-in' };
    const { id, ...fields } = { ...forged, eventHash: hashOfEvent(forged) };
    await events.insertOne({ _id: id, ...fields });
    assert.deepEqual(await verdict('shop'), broken(4, 'altered'));
  });

  it('a tail cut off shows by what the ledger closed', async () => {
    const length = (await chain('shop')).length;
    await events.deleteOne(at(length - 1));
    assert.deepEqual(await verdict('shop'), broken(length - 1, 'truncated'));
  });

  it('a tail cut off after the last close shows by the checkpoint of the hour', async () => {
    await emit('shop', 10);
    await emit('shop', 11);
    await checkpoint('shop');
    await events.deleteOne(at(13));
    assert.deepEqual(await verdict('shop'), broken(13, 'truncated'));
  });

  it('a tail cut off within the hour shows by a receipt', async () => {
    await emit('shop', 10);
    const kept = receipts.at(-1);
    await events.deleteOne(at(kept?.chainIndex ?? -1));
    assert.ok((await verdict('shop')).valid);
    assert.deepEqual(await verdict('shop', kept?.eventHash), broken(kept?.chainIndex ?? -1, 'truncated'));
  });

  it('a history written anew, all hashes right, shows by the close of its day', async () => {
    await rechain('shop', 2, (event) => (event.chainIndex === 2 ? { ...event, entityId: 'rewritten' } : event));
    // The close of the day names the head that was there.
    assert.deepEqual(await verdict('shop'), broken(7, 'day_mismatch'));
  });

  it('a history written anew after the last close shows by the checkpoint, and where it was signed', async () => {
    await emit('shop', 10);
    await emit('shop', 11);
    await checkpoint('shop');
    await rechain('shop', 12, (event) => (event.chainIndex === 12 ? { ...event, entityId: 'rewritten' } : event));
    assert.deepEqual(await verdict('shop'), broken(13, 'rewritten'));
  });

  it('a second history grown from one event, a fork, cannot be stored beside the first', async () => {
    const [, , , fourth] = await chain('shop');
    assert.ok(fourth);
    const { id: _, ...fields } = { ...fourth, entityId: 'fork' };
    await assert.rejects(events.insertOne({ _id: 'evt_fork', ...fields }), /E11000|duplicate/i);
  });

  it('a head that was forked away from what a receipt says shows', async () => {
    await emit('shop', 10);
    const kept = receipts.at(-1);
    await rechain('shop', kept?.chainIndex ?? 0, (event) => ({ ...event, entityId: 'fork' }));
    assert.ok((await verdict('shop')).valid);
    assert.ok(kept);
    // A hash does not tell where it stood: its event is missed after the last one.
    assert.deepEqual(await verdict('shop', kept.eventHash), broken(kept.chainIndex + 1, 'truncated'));
  });

  it('an event re-dated within its day, all hashes right, shows by the close of the day', async () => {
    await rechain('shop', 5, (event) =>
      event.chainIndex === 5 ? { ...event, createdAt: new Date(event.createdAt.getTime() + 1) } : event,
    );
    assert.deepEqual(await verdict('shop'), broken(7, 'day_mismatch'));
  });

  it('an event dated before the one before it shows, all hashes right', async () => {
    await rechain('shop', 5, (event) =>
      event.chainIndex === 5 ? { ...event, createdAt: new Date('2026-11-19T00:00:00.000Z') } : event,
    );
    assert.deepEqual(await verdict('shop'), broken(5, 'back_dated'));
  });

  it('an event moved to another day shows in what the day counts', async () => {
    const close = (await chain('shop')).find(({ eventType }) => eventType === 'ledger.day_closed');
    assert.ok(close);
    await rechain('shop', 6, (event) =>
      event.chainIndex === 6
        ? { ...event, createdAt: new Date('2026-11-20T23:59:00.000Z') }
        : event.id === close.id
          ? { ...event, payload: event.payload.replace(close.prevHash, event.prevHash) }
          : event,
    );
    assert.deepEqual(await verdict('shop'), broken(close.chainIndex, 'day_mismatch'));
  });

  it('a namespace that was dropped altogether is missing from what the ledger closed', async () => {
    await events.deleteMany({ namespace: 'billing' });
    assert.deepEqual(await verdict('billing'), broken(0, 'truncated', 'billing'));
  });

  it('a day that was closed without a namespace shows at the first event left out', async () => {
    const omit = (event: LedgerEvent): LedgerEvent => {
      const { data, metadata } = JSON.parse(event.payload);
      // The forger keeps the ledger's own closes in step.
      if (event.eventType === 'ledger.day_closed') data.head = event.prevHash;
      else if (event.entityId === '2026-11-20') {
        data.namespaces = data.namespaces.filter(({ namespace }: { namespace: string }) => namespace !== 'billing');
      }
      return { ...event, payload: JSON.stringify({ data, metadata }) };
    };
    await rechain('ledger', 0, omit);
    assert.deepEqual(await verdict('billing'), broken(0, 'day_omitted', 'billing'));
  });

  it('a change in the ledger’s own chain shows in every verification', async () => {
    await events.updateOne(at(0, 'ledger'), { $set: { entityId: 'changed' } });
    assert.deepEqual(await verdict('shop'), broken(0, 'altered', 'ledger'));
  });

  it('a checkpoint that somebody else made shows', async () => {
    await checkpoint('shop');
    await ledger.db.collection('audit_ledger_checkpoints').updateMany({}, { $set: { size: 3 } });
    assert.deepEqual(await verdict('shop'), broken(2, 'checkpoint_forged'));
  });

  it('a changed event of another entity in the same chain makes an entity invalid', async () => {
    await events.deleteOne(at(4));
    const answer = await ledger.call('shop-prod/acme', 'GET', '/v1/entities/shop-1/verify');
    const { valid, brokenAt, reason } = answer.body.data;
    assert.deepEqual({ valid, brokenAt, reason }, broken(4, 'gap'));
  });

  it('an entity whose first events were deleted is broken where they were', async () => {
    const own = await events.find({ namespace: 'shop', entityId: 'shop-1' }).sort({ chainIndex: 1 }).toArray();
    const [first] = own;
    assert.ok(first !== undefined && own.length > 1);
    await events.deleteOne({ _id: first._id });
    const answer = await ledger.call('shop-prod/acme', 'GET', '/v1/entities/shop-1/verify');
    const { valid, brokenAt, reason } = answer.body.data;
    assert.deepEqual({ valid, brokenAt, reason }, broken(first.chainIndex, 'gap'));
  });

  /** Events of one entity in two namespaces, and one of another entity after them in the second. */
  async function emitInTwo(): Promise<void> {
    for (const [service, entityId] of [
      ['shop', 'parcel'],
      ['billing', 'parcel'],
      ['billing', 'parcel'],
      ['billing', 'other'],
    ]) {
      const answer = await ledger.call(`${service}-prod/acme`, 'POST', '/v1/events/emit', {
        eventType: 'a.b',
        entityId,
      });
      assert.equal(answer.status, 201);
    }
  }

  async function entityVerdict(who: string, entityId: string) {
    const answer = await ledger.call(who, 'GET', `/v1/entities/${entityId}/verify`);
    const { valid, brokenAt, reason } = answer.body.data;
    return { valid, brokenAt, reason };
  }

  it('an entity whose events are all gone from one of its namespaces is not valid', async () => {
    await emitInTwo();
    assert.ok((await entityVerdict('shop-prod/acme', 'parcel')).valid);
    const [first] = await events.find({ namespace: 'billing', entityId: 'parcel' }).sort({ chainIndex: 1 }).toArray();
    await events.deleteMany({ namespace: 'billing', entityId: 'parcel' });
    for (const who of ['shop-prod/acme', 'platform']) {
      assert.deepEqual(await entityVerdict(who, 'parcel'), broken(first?.chainIndex ?? -1, 'gap', 'billing'));
    }
  });

  it('nor is one whose namespace is gone altogether, as the ledger closed a day with it', async () => {
    await emitInTwo();
    await events.deleteMany({ namespace: 'billing' });
    await ledger.db.collection<{ _id: string }>('audit_ledger_namespaces').deleteOne({ _id: 'billing' });
    assert.deepEqual(await entityVerdict('platform', 'parcel'), broken(0, 'truncated', 'billing'));
    const unnamed = { valid: false, brokenAt: null, reason: 'truncated' };
    assert.deepEqual(await entityVerdict('shop-prod/acme', 'parcel'), unnamed);
  });

  it('an org is not told of namespaces that it has no events in, of those that hold and of one that does not', async () => {
    await emitInTwo();
    const own = { eventType: 'a.b', entityId: 'crate' };
    assert.equal((await ledger.call('depot-prod/rival', 'POST', '/v1/events/emit', own)).status, 201);
    const verify = () => ledger.call('depot-prod/rival', 'GET', '/v1/entities/crate/verify');
    const ofLedger = (await chain('ledger')).length;
    const holds = (await verify()).body.data;
    assert.deepEqual([holds.valid, holds.count, holds.heads.length], [true, ofLedger + 1, 1]);
    await events.deleteOne(at(1, 'billing'));
    const { valid, brokenAt, reason, count, heads } = (await verify()).body.data;
    assert.deepEqual([valid, brokenAt, reason, count, heads], [false, null, 'gap', ofLedger + 1, []]);
  });
});
