import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import type { EventStore, EventWriter } from '../../../domain/audit-ledger/ports.ts';
import { verifyChain } from '../../../domain/audit-ledger/verify-chain.ts';
import type { Clock } from '../../../domain/clock.ts';
import { collect } from './collect.ts';
import { draftOf } from './drafts.ts';

const count = (length: number) => Array.from({ length }, (_, index) => index);

/** What every {@link EventWriter} guarantees; `create` makes writers that, as processes do, share nothing but the store. */
export function eventWriterSuite(store: EventStore, create: (now?: Clock) => EventWriter): void {
  const chainOf = async (namespace: string): Promise<LedgerEvent[]> => collect(store.stream(namespace, 0));

  describe('EventWriter', () => {
    it('chains what is emitted in its order, from index 0 on', async () => {
      const writer = create();
      const drafts = count(5).map((index) => draftOf({ namespace: 'order', entityId: `e-${index}` }));
      const events = await Promise.all(drafts.map((draft) => writer.emit(draft)));
      assert.deepEqual(
        events.map(({ chainIndex, entityId }) => [chainIndex, entityId]),
        count(5).map((i) => [i, `e-${i}`]),
      );
      assert.deepEqual(await chainOf('order'), events);
    });

    it('4 writers that emit 400 events at once into one namespace leave neither gap nor fork, and lose none', async () => {
      const writers = count(4).map(() => create());
      const emitted = await Promise.all(
        count(400).map((index) => writers[index % 4]?.emit(draftOf({ namespace: 'crowd', entityId: `e-${index}` }))),
      );
      const chain = await chainOf('crowd');
      assert.equal(chain.length, 400);
      assert.ok((await verifyChain(chain)).valid);
      for (const event of emitted) assert.deepEqual(event, chain[event?.chainIndex ?? -1]);
      assert.equal(new Set(chain.map(({ entityId }) => entityId)).size, 400);
    });

    it('2 writers that emit into 12 namespaces at once leave neither gap nor fork in any, and lose none', async () => {
      const writers = [create(), create()];
      const namespaces = count(12).map((index) => `many-${index}`);
      const emitted = await Promise.all(
        count(360).map((index) =>
          writers[index % 2]?.emit(
            draftOf({ namespace: namespaces[Math.floor(index / 2) % 12] ?? '', entityId: `e-${index}` }),
          ),
        ),
      );
      for (const namespace of namespaces) {
        const chain = await chainOf(namespace);
        assert.equal(chain.length, 30);
        assert.ok((await verifyChain(chain)).valid, namespace);
        const own = emitted.filter((event) => event?.namespace === namespace);
        for (const event of own) assert.deepEqual(event, chain[event?.chainIndex ?? -1]);
        assert.equal(own.length, 30);
      }
    });

    it('what is prepared meanwhile is of the event as it was kept, or of a place that it did not get', async () => {
      const writers = [create(), create()];
      const prepared = new Map<string, LedgerEvent[]>();
      const emitted = await Promise.all(
        count(200).map((index) => {
          const seen: LedgerEvent[] = [];
          prepared.set(`e-${index}`, seen);
          const draft = draftOf({ namespace: 'meanwhile', entityId: `e-${index}` });
          return writers[index % 2]?.emit(draft, (event) => seen.push(event));
        }),
      );
      const kept = await chainOf('meanwhile');
      for (const event of emitted) {
        assert.ok(event);
        assert.deepEqual(event, kept[event.chainIndex]);
        const others = prepared.get(event.entityId)?.filter((each) => each !== event) ?? [];
        for (const other of others) assert.notEqual(other.eventHash, event.eventHash);
      }
      const inTime = emitted.filter((event) => event && prepared.get(event.entityId)?.includes(event));
      assert.ok(inTime.length > 0, 'nothing was prepared while it was written');
    });

    it('time never goes back within a chain, also when a clock does', async () => {
      const ahead = create(() => new Date('2027-05-01T00:00:00.000Z'));
      const behind = create(() => new Date('2026-05-01T00:00:00.000Z'));
      const first = await ahead.emit(draftOf({ namespace: 'clocks' }));
      const second = await behind.emit(draftOf({ namespace: 'clocks' }));
      assert.deepEqual(second.createdAt, first.createdAt);
    });

    it('no namespace is born before the last close of the ledger', async () => {
      const closed = await create(() => new Date('2027-06-02T00:10:00.000Z')).emit(
        draftOf({ namespace: 'ledger', eventType: 'ledger.closed' }),
      );
      const late = create(() => new Date('2027-06-01T23:59:59.000Z'));
      assert.deepEqual((await late.emit(draftOf({ namespace: 'late' }))).createdAt, closed.createdAt);
    });

    it('a repeat under an idempotency key gets the first event, from every writer, at once or later', async () => {
      const writers = [create(), create(), create()];
      const idempotency = { key: 'once', fingerprint: 'same' };
      const draft = draftOf({ namespace: 'repeats', idempotency });
      const others = count(20).map((index) => writers[index % 3]?.emit(draftOf({ namespace: 'repeats' })));
      const events = await Promise.all(count(12).map((index) => writers[index % 3]?.emit(draft)));
      await Promise.all(others);
      events.push(await writers[0]?.emit(draft));
      assert.equal(new Set(events.map((event) => event?.id)).size, 1);
      assert.equal((await chainOf('repeats')).length, 21);
      assert.deepEqual(await store.findByIdempotencyKey('repeats', draft.emitter, 'once'), events[0]);
    });

    it('a key that was used for something else is refused, and delays no other event', async () => {
      const writer = create();
      await writer.emit(draftOf({ namespace: 'reuse', idempotency: { key: 'k', fingerprint: 'one' } }));
      const [refused, other] = await Promise.allSettled([
        writer.emit(draftOf({ namespace: 'reuse', idempotency: { key: 'k', fingerprint: 'two' } })),
        writer.emit(draftOf({ namespace: 'reuse' })),
      ]);
      assert.equal(refused.status === 'rejected' && refused.reason.code, 'IDEMPOTENCY_KEY_REUSED');
      assert.equal(other.status === 'fulfilled' && other.value.chainIndex, 1);
    });

    it('one key of two emitters, or in two namespaces, is two keys', async () => {
      const writer = create();
      const idempotency = { key: 'shared', fingerprint: 'f' };
      const events = await Promise.all([
        writer.emit(draftOf({ namespace: 'keys-a', idempotency })),
        writer.emit(draftOf({ namespace: 'keys-a', emitter: 'other', idempotency })),
        writer.emit(draftOf({ namespace: 'keys-b', idempotency })),
      ]);
      assert.equal(new Set(events.map(({ id }) => id)).size, 3);
    });
  });
}
