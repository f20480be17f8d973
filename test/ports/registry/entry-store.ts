import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applyChange, createNamespace, newEntry, removeEntry } from '../../../domain/registry/change-entry.ts';
import type { EntryStore } from '../../../domain/registry/ports.ts';
import type { ServiceEntry } from '../../../domain/registry/service-entry.ts';

export const NOON = new Date('2026-05-04T12:00:00Z');

export function entryOf(changes: Partial<ServiceEntry> & Pick<ServiceEntry, 'id'>): ServiceEntry {
  const entry = newEntry({ id: changes.id, name: changes.id.slice(4), org: 'acme', serviceSince: NOON }, NOON);
  return { ...entry, ...changes };
}

/** What every {@link EntryStore} guarantees. Services are new for each test, so one store serves them all. */
export function entryStoreSuite(store: () => EntryStore): void {
  describe('EntryStore', () => {
    it('gives back an entry as it was stored', async () => {
      const entry = entryOf({
        id: 'svc_whole',
        environments: {
          prod: {
            namespace: 'whole-prod',
            since: NOON,
            epoch: 3,
            announced: { buildId: 'bld_2', modules: [{ name: 'bills', title: 'Bills' }] },
            metadata: {
              roles: [{ name: 'clerk', title: null, description: 'Enters orders' }],
              registration: { title: 'Orders', description: null, termsUrl: null, privacyUrl: null },
            },
            registration: {
              ...{ buildId: 'bld_1', releaseId: 'rel_1', commit: null, port: 4000, url: 'https://whole.example' },
              healthEndpoint: '/health',
              routes: [{ path: '/a.b/{id}', methods: ['GET'], auth: null, gas: 2, charge: null, stripPrefix: null }],
              modules: [{ name: 'orders', title: null }],
              registeredAt: NOON,
            },
            bindings: [
              { kind: 'queue', name: 'mail.out', namespace: 'whole-prod', port: 4000, path: '/mail', cron: null },
            ],
          },
        },
        changelog: {
          ...{ notes: '- new', version: '1.0.0', commit: 'abc', deployedAt: NOON },
          ...{ walkthroughUrl: null, walkthroughUpdatedAt: null },
        },
      });
      assert.equal(await store().insert(entry), true);
      assert.deepEqual(await store().find('svc_whole'), entry);
      assert.equal(await store().find('svc_nobody'), null);
    });

    it('inserts an id once, however many try at once', async () => {
      const tries = ['acme', 'rival', 'third'].map((org) => store().insert(entryOf({ id: 'svc_once', org })));
      const done = await Promise.all(tries);
      assert.equal(done.filter(Boolean).length, 1);
      const stored = await store().find('svc_once');
      assert.equal(stored?.org, ['acme', 'rival', 'third'][done.indexOf(true)]);
    });

    it('replaces the revision that was seen, and no other: of two at once one writes', async () => {
      const entry = entryOf({ id: 'svc_race' });
      await store().insert(entry);
      const ways = (['sandbox', 'uat'] as const).map((name) => applyChange(entry, createNamespace(name), NOON));
      const done = await Promise.all(ways.map((next) => store().replace(next, entry.revision)));
      assert.equal(done.filter(Boolean).length, 1);
      assert.deepEqual(await store().find('svc_race'), ways[done.indexOf(true)]);
      assert.equal(await store().replace(entry, 7), false);
      assert.equal(await store().replace(entryOf({ id: 'svc_absent' }), 1), false);
      assert.equal(await store().find('svc_absent'), null);
    });

    it('of one name it finds the service that was made last, and none that was removed', async () => {
      const later = new Date(NOON.getTime() + 1_000);
      const [old, next] = [
        entryOf({ id: 'svc_name1', name: 'shared' }),
        entryOf({ id: 'svc_name2', name: 'shared', org: 'rival', serviceSince: later }),
      ];
      for (const entry of [next, old]) await store().insert(entry);
      assert.equal((await store().findByName('shared'))?.id, 'svc_name2');
      await store().replace(applyChange(next, removeEntry, later), next.revision);
      assert.equal((await store().findByName('shared'))?.id, 'svc_name1');
      await store().replace(applyChange(old, removeEntry, later), old.revision);
      assert.equal(await store().findByName('shared'), null);
      assert.deepEqual((await store().find('svc_name1'))?.removedAt, later);
    });

    it('lists by name in pages that miss and repeat nothing, of one org, of one environment, without what was removed', async () => {
      const entries = ['d', 'a', 'c', 'b', 'e'].map((letter) => {
        const entry = entryOf({ id: `svc_page${letter}`, org: 'pages' });
        return letter === 'c' ? entry : applyChange(entry, createNamespace('uat'), NOON);
      });
      for (const entry of entries) await store().insert(entry);
      await store().insert(applyChange(entryOf({ id: 'svc_pagex', org: 'pages' }), removeEntry, NOON));
      await store().insert(entryOf({ id: 'svc_pagey', org: 'rival' }));
      const names = async (environment?: 'uat') => {
        const seen: string[] = [];
        let cursor: string | null = null;
        do {
          const page = await store().list(
            { org: 'pages', ...(environment === undefined ? {} : { environment }) },
            { cursor, limit: 2 },
          );
          seen.push(...page.items.map(({ name }) => name));
          cursor = page.nextCursor;
        } while (cursor !== null);
        return seen;
      };
      assert.deepEqual(await names(), ['pagea', 'pageb', 'pagec', 'paged', 'pagee']);
      assert.deepEqual(await names('uat'), ['pagea', 'pageb', 'paged', 'pagee']);
      const all = await store().list({ org: null }, { cursor: null, limit: 200 });
      assert.ok(all.items.some(({ name }) => name === 'pagey'));
      await assert.rejects(store().list({ org: null }, { cursor: 'x', limit: 2 }), { code: 'VALIDATION_FAILED' });
    });
  });
}
