import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { headOf } from '../../../domain/audit-ledger/chain.ts';
import type { LedgerEvent } from '../../../domain/audit-ledger/event.ts';
import type { EventFilter, EventStore } from '../../../domain/audit-ledger/ports.ts';
import { atOnce, HOSTILE } from '../identity/at-once.ts';
import { collect } from './collect.ts';
import { eventsAfter } from './drafts.ts';

const many = (count: number, namespace: string) => Array.from({ length: count }, () => ({ namespace }));

/** What every {@link EventStore} guarantees. */
export function eventStoreSuite(store: EventStore): void {
  describe('EventStore', () => {
    it('gives back an event as it was appended, payload byte for byte', async () => {
      const payload = '{"data":{"note":"Ünïcode \\u0000 $where"},"metadata":{"a.b":1}}';
      const [event] = eventsAfter(null, [{ namespace: 'bytes', payload, entityId: 'a b', idempotency: null }]);
      assert.ok(event);
      assert.equal(await store.append([event]), 1);
      assert.deepEqual(await store.find(event.id), event);
      assert.deepEqual(await store.head('bytes'), headOf(event));
      assert.equal(await store.find('evt_none'), null);
      assert.equal(await store.head('nobody'), null);
    });

    it('of 50 writers at once exactly one gets a place in a chain', async () => {
      const appended = await atOnce(() => store.append(eventsAfter(null, [{ namespace: 'fork' }])));
      assert.equal(appended.filter((count) => count === 1).length, 1);
      assert.equal((await collect(store.stream('fork', 0))).length, 1);
    });

    it('keeps what comes before the first event whose place is taken, and nothing after it', async () => {
      const first = eventsAfter(null, many(3, 'partial'));
      assert.equal(await store.append(first.slice(0, 2)), 2);
      const [, second] = first;
      assert.ok(second);
      const rival = eventsAfter(headOf(second), many(3, 'partial'));
      assert.equal(await store.append(rival.slice(0, 1)), 1);
      assert.equal(await store.append(first.slice(2)), 0);
      const mixed = eventsAfter(null, many(5, 'partial'));
      assert.equal(await store.append(mixed), 0);
      assert.deepEqual(
        (await collect(store.stream('partial', 0))).map(({ id }) => id),
        [...first.slice(0, 2), ...rival.slice(0, 1)].map(({ id }) => id),
      );
    });

    it('of appends to many namespaces at once, one whose place is taken loses its own events and no others', async () => {
      const namespaces = Array.from({ length: 9 }, (_, index) => `beside-${index}`);
      const chains = namespaces.map((namespace) => eventsAfter(null, many(4, namespace)));
      const [first, , third] = chains;
      assert.ok(first && third);
      // The first has lost all its places, the third its last two.
      assert.equal(await store.append(eventsAfter(null, many(1, 'beside-0'))), 1);
      await store.append(third.slice(0, 2));
      await store.append(eventsAfter(headOf(third[1] ?? assert.fail()), many(1, 'beside-2')));
      const rest = chains.map((events, index) => (index === 2 ? events.slice(2) : events));
      const appended = await Promise.all(rest.map((events) => store.append(events)));
      assert.deepEqual(appended, [0, 4, 0, 4, 4, 4, 4, 4, 4]);
      for (const [index, namespace] of namespaces.entries()) {
        const kept = await collect(store.stream(namespace, 0));
        if (index !== 0 && index !== 2) assert.deepEqual(kept, chains[index]);
        else assert.equal(kept.length, index === 0 ? 1 : 3);
      }
    });

    it('finds the head from scratch and from any index known to be taken', async () => {
      const events = eventsAfter(null, many(40, 'heads'));
      await store.append(events);
      const last = events.at(-1);
      assert.ok(last);
      assert.deepEqual(await store.head('heads'), headOf(last));
      for (const taken of [0, 1, 7, 31, 38, 39]) assert.deepEqual(await store.head('heads', taken), headOf(last));
      assert.deepEqual(await store.head('heads', 40), headOf(last));
    });

    it('streams a chain in its order, from an index on, however many there are', async () => {
      const events = eventsAfter(null, many(1_203, 'long'));
      for (let start = 0; start < events.length; start += 500) await store.append(events.slice(start, start + 500));
      assert.deepEqual(await collect(store.stream('long', 0)), events);
      assert.deepEqual(await collect(store.stream('long', 1_200)), events.slice(1_200));
      assert.deepEqual(await collect(store.stream('long', 1_203)), []);
    });

    it('gives the same in pages that are neither empty nor large', async () => {
      const events = eventsAfter(null, many(1_203, 'paged'));
      for (let start = 0; start < events.length; start += 500) await store.append(events.slice(start, start + 500));
      const pages = await collect(store.pages('paged', 0));
      assert.deepEqual(pages.flat(), events);
      for (const { length } of pages) assert.ok(length > 0 && length <= 500, `${length}`);
      assert.deepEqual((await collect(store.pages('paged', 1_100, 1_200))).flat(), events.slice(1_100, 1_201));
      assert.deepEqual(await collect(store.pages('paged', 1_203)), []);
      for await (const [first] of store.pages('paged', 0)) {
        assert.equal(first?.chainIndex, 0);
        break;
      }
    });

    it('streams what was created in a time, the start included and the end not', async () => {
      const from = new Date('2026-11-21T00:00:00.000Z');
      const events = eventsAfter(null, many(10, 'times'), new Date(from.getTime() - 5_000));
      await store.append(events);
      const until = new Date(from.getTime() + 3_000);
      assert.deepEqual(await collect(store.streamBetween('times', from, until)), events.slice(5, 8));
    });

    it('names the namespaces that an entity has events in, of one org or of all', async () => {
      const mine = { entityId: 'shared', orgSlug: 'acme' };
      const theirs = { entityId: 'shared', orgSlug: 'other' };
      await store.append(eventsAfter(null, [{ ...mine, namespace: 'ent-b' }]));
      await store.append(eventsAfter(null, [{ namespace: 'ent-a' }, { ...mine, namespace: 'ent-a' }]));
      await store.append(eventsAfter(null, [{ ...theirs, namespace: 'ent-c' }]));
      assert.deepEqual(await store.namespacesOfEntity('shared', null), ['ent-a', 'ent-b', 'ent-c']);
      assert.deepEqual(await store.namespacesOfEntity('shared', 'acme'), ['ent-a', 'ent-b']);
      assert.deepEqual(await store.namespacesOfEntity('unknown', null), []);
    });

    it('lists by every filter, newest first, page by page without loss or repeats', async () => {
      const from = new Date('2027-01-01T00:00:00.000Z');
      const events = eventsAfter(
        null,
        Array.from({ length: 9 }, (_, index) => ({
          namespace: 'listed',
          orgSlug: index % 2 === 0 ? 'even' : 'odd',
          entityId: `entity-${index % 3}`,
          eventType: index < 5 ? 'a.b' : 'c.d',
        })),
        from,
      );
      await store.append(events);
      const ids = async (filter: Omit<EventFilter, 'orgSlug'>, orgSlug: string | null = null): Promise<string[]> => {
        const found: LedgerEvent[] = [];
        let cursor: string | null = null;
        do {
          const page = await store.list({ namespace: 'listed', orgSlug, ...filter }, { cursor, limit: 2 });
          found.push(...page.items);
          cursor = page.nextCursor;
        } while (cursor !== null);
        return found.map(({ id }) => id);
      };
      const expected = (keep: (event: LedgerEvent) => boolean) =>
        events
          .filter(keep)
          .toReversed()
          .map(({ id }) => id);
      assert.deepEqual(
        await ids({}),
        expected(() => true),
      );
      assert.deepEqual(
        await ids({}, 'even'),
        expected(({ orgSlug }) => orgSlug === 'even'),
      );
      assert.deepEqual(
        await ids({ entityId: 'entity-1' }),
        expected(({ entityId }) => entityId === 'entity-1'),
      );
      assert.deepEqual(
        await ids({ eventType: 'c.d' }),
        expected(({ eventType }) => eventType === 'c.d'),
      );
      const to = new Date(from.getTime() + 4_000);
      assert.deepEqual(
        await ids({ from: new Date(from.getTime() + 1_000), to }),
        expected(({ createdAt }) => createdAt > from && createdAt < to),
      );
    });

    it('lists events of one millisecond in the order of their chain', async () => {
      const [first] = eventsAfter(null, [{ namespace: 'same-ms' }]);
      assert.ok(first);
      const later = new Date(first.createdAt.getTime() - 60_000);
      const events = [first, ...eventsAfter(headOf(first), many(5, 'same-ms'), later)];
      assert.equal(new Set(events.map(({ createdAt }) => createdAt.getTime())).size, 1);
      await store.append(events);
      const page = await store.list({ orgSlug: null, namespace: 'same-ms' }, { cursor: null, limit: 10 });
      assert.deepEqual(
        page.items.map(({ chainIndex }) => chainIndex),
        [5, 4, 3, 2, 1, 0],
      );
    });

    it('knows every namespace that has an event', async () => {
      await store.append(eventsAfter(null, many(2, 'named')));
      const names = await store.namespaces();
      assert.ok(names.includes('named'));
      assert.deepEqual(names, [...new Set(names)].toSorted());
    });

    it('knows a namespace that was announced, which has no event yet', async () => {
      await atOnce(() => store.announce('announced'));
      const names = await store.namespaces();
      assert.equal(names.filter((name) => name === 'announced').length, 1);
      assert.equal(await store.head('announced'), null);
      await store.append(eventsAfter(null, many(1, 'announced')));
      assert.deepEqual(await store.namespaces(), names);
    });

    it('takes hostile strings for values', async () => {
      for (const hostile of HOSTILE) {
        assert.equal(await store.find(hostile), null);
        assert.equal(await store.head(hostile), null);
        assert.equal(await store.findByIdempotencyKey('payments', 'payments-prod', hostile), null);
        assert.deepEqual((await store.list({ orgSlug: hostile }, { cursor: null, limit: 1 })).items, []);
      }
    });
  });
}
