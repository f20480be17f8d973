import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { PropertyStore } from '../../../domain/properties/ports.ts';
import {
  changedProperty,
  newProperty,
  type Property,
  type PropertySource,
} from '../../../domain/properties/property.ts';

const AT = new Date('2026-11-01T10:00:00Z');
const LATER = new Date('2026-11-01T11:00:00Z');

export const SOURCE: PropertySource = {
  ...{ kind: 'legacy', setBy: 'auto', setAt: AT, setByActor: null, keep: false, keepReason: null },
  ...{ placeholder: false, placeholderSetAt: null, placeholderSetByActor: null },
};

export function property(changes: Partial<Property> = {}): Property {
  const domain = `d${randomBytes(6).toString('hex')}.com`;
  return { ...newProperty({ id: `prp_${randomBytes(6).toString('hex')}`, domain, at: AT }), ...changes };
}

/** What every {@link PropertyStore} guarantees. Families are new for each test, so one store serves them all. */
export function propertyStoreSuite(store: () => PropertyStore): void {
  describe('PropertyStore', () => {
    const newFamily = (): string => `family-${randomBytes(6).toString('hex')}`;

    it('gives back what was put in, whatever is set of it', async () => {
      const bare = property();
      const full = changedProperty(
        property({ family: newFamily(), role: 'main' }),
        {
          source: SOURCE,
          ignored: { by: 'person', actor: 'usr_ada', reason: 'sold', at: LATER },
          lastError: { source: 'google', code: 'FORBIDDEN', message: 'no' },
          map: { seenAt: AT, leftAt: LATER },
          zone: { automatable: true, checkedAt: AT },
        },
        { at: LATER, event: 'ignored', detail: 'sold' },
      );
      assert.deepEqual(await Promise.all([store().insert(bare), store().insert(full)]), [true, true]);
      assert.deepEqual(await store().find(bare.domain), bare);
      assert.deepEqual(await store().find(full.domain), full);
      assert.equal(await store().find(`no-${bare.domain}`), null);
    });

    it('of many who add one domain at once, one does', async () => {
      const one = property();
      const added = await Promise.all(Array.from({ length: 8 }, () => store().insert({ ...one })));
      assert.equal(added.filter((isNew) => isNew).length, 1);
    });

    it('of two who change one version, one does, and the other is told', async () => {
      const one = property();
      await store().insert(one);
      const changes = ['a', 'b'].map((role) => store().replace(changedProperty(one, { role }, { at: LATER })));
      const ended = await Promise.allSettled(changes);
      const refused = ended.filter((each) => each.status === 'rejected');
      assert.deepEqual([ended.length, refused.map(({ reason }) => reason.code)], [2, ['CONFLICT']]);
      assert.equal((await store().find(one.domain))?.revision, 2);
    });

    it('changes nothing that is not there', async () => {
      await assert.rejects(store().replace({ ...property(), revision: 2 }), { code: 'CONFLICT' });
    });

    it('lists by domain what a filter matches, from an offset on, and says how many there are', async () => {
      const family = newFamily();
      const domains = ['b', 'd', 'a', 'c'].map((name) => `${name}.${family}.com`);
      for (const domain of domains) await store().insert({ ...property({ family }), domain });
      const page = await store().list({ family }, { limit: 2, offset: 1 });
      assert.deepEqual(
        [page.items.map(({ domain }) => domain), page.total],
        [[`b.${family}.com`, `c.${family}.com`], 4],
      );
      assert.deepEqual(await store().list({ family }, { limit: 2, offset: 4 }), { items: [], total: 4 });
    });

    it('filters by status, role and source; who is ignored is in no other status', async () => {
      const family = newFamily();
      const { verification } = property();
      const verified = { verification: { ...verification, state: 'verified' } } as const;
      const ignored = { by: 'map', actor: null, reason: null, at: AT } as const;
      const ofRole = property({ family, role: 'shop' });
      const ofSource = property({ family, source: SOURCE });
      const ofStatus = property({ family, ...verified });
      const unknown = property({ family, ...verified, ignored });
      for (const one of [ofRole, ofSource, ofStatus, unknown]) await store().insert(one);
      const found = async (filter: Parameters<PropertyStore['list']>[0]) =>
        (await store().list({ family, ...filter }, { limit: 10, offset: 0 })).items.map(({ id }) => id).sort();
      assert.deepEqual(await found({ role: 'shop' }), [ofRole.id]);
      assert.deepEqual(await found({ source: 'legacy' }), [ofSource.id]);
      assert.deepEqual(await found({ status: 'verified' }), [ofStatus.id]);
      assert.deepEqual(await found({ status: 'ignored' }), [unknown.id]);
      assert.deepEqual(await found({ status: 'unverified' }), [ofRole.id, ofSource.id].sort());
    });

    it('a change moves a Property to the status that it now has', async () => {
      const one = property({ family: newFamily() });
      await store().insert(one);
      const ignored = { by: 'person', actor: 'usr_ada', reason: null, at: LATER } as const;
      await store().replace(changedProperty(one, { ignored }, { at: LATER }));
      const { total } = await store().list({ family: one.family ?? '', status: 'ignored' }, { limit: 1, offset: 0 });
      assert.equal(total, 1);
    });

    it('gives all of them in pages, each once', async () => {
      const own = Array.from({ length: 5 }, () => property());
      for (const one of own) await store().insert(one);
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const page: Awaited<ReturnType<PropertyStore['listAll']>> = await store().listAll({ cursor, limit: 3 });
        seen.push(...page.items.map(({ domain }) => domain));
        cursor = page.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(seen, seen.toSorted());
      assert.equal(new Set(seen).size, seen.length);
      assert.ok(own.every(({ domain }) => seen.includes(domain)));
    });
  });
}
