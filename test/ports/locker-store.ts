import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { LockerItem, LockerOwner } from '../../domain/locker/item.ts';
import type { LockerStore } from '../../domain/locker/ports.ts';

const AT = new Date('2026-11-01T10:00:00Z');

export function lockerItem(changes: Partial<LockerItem> = {}): LockerItem {
  return {
    id: `itm_${randomBytes(8).toString('hex')}`,
    owner: { kind: 'org', id: 'acme' },
    vault: 'main',
    name: 'stripe',
    fields: [{ name: 'key', secret: true, value: { keyId: 'k1', sealed: 'c2VhbGVk' } }],
    bindings: [],
    legacyAlias: null,
    sealedAt: null,
    revision: 1,
    createdAt: AT,
    updatedAt: AT,
    updatedBy: 'usr_ada',
    ...changes,
  };
}

/** What every {@link LockerStore} guarantees. Owners are new for each test, so one store serves them all but the test of a bound. */
export function lockerStoreSuite(store: (maxItems?: number) => LockerStore): void {
  describe('LockerStore', () => {
    const org = (): LockerOwner => ({ kind: 'org', id: `org-${randomBytes(6).toString('hex')}` });
    const page = { cursor: null, limit: 200 } as const;
    const place = (owner: LockerOwner, name = 'stripe') => ({ owner, vault: 'main', name });

    it('gives back what was put in, by its place alone, and apart from a person of the same id', async () => {
      const owner = org();
      const item = lockerItem({
        owner,
        bindings: [{ serviceId: 'svc_1', service: 'shop', boundAt: AT, boundBy: 'usr_ada' }],
        legacyAlias: 'OLD.stripe',
        sealedAt: AT,
      });
      await store().insert(item);
      assert.deepEqual(await store().find(place(owner)), item);
      assert.equal(await store().find(place({ kind: 'person', id: owner.id })), null);
      assert.equal(await store().find({ ...place(owner), vault: 'other' }), null);
      assert.deepEqual(await store().findByAlias(owner.id, 'OLD.stripe'), item);
      assert.equal(await store().findByAlias(org().id, 'OLD.stripe'), null);
      assert.equal(await store().findByAlias(owner.id, `~${item.id}`), null);
    });

    it('of many who add one name at once, one does', async () => {
      const owner = org();
      const added = await Promise.allSettled(Array.from({ length: 8 }, () => store().insert(lockerItem({ owner }))));
      const refused = added.filter((each) => each.status === 'rejected');
      assert.deepEqual(
        [added.length - refused.length, new Set(refused.map(({ reason }) => reason.code))],
        [1, new Set(['CONFLICT'])],
      );
    });

    it('of two who change one revision, one does, and nothing of the other stays', async () => {
      const owner = org();
      const item = lockerItem({ owner });
      await store().insert(item);
      const change = (updatedBy: string) => store().replace({ ...item, revision: 2, updatedBy });
      const changed = await Promise.allSettled([change('usr_a'), change('usr_b')]);
      assert.deepEqual(changed.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
      const winner = changed[0]?.status === 'fulfilled' ? 'usr_a' : 'usr_b';
      assert.equal((await store().find(place(owner)))?.updatedBy, winner);
      await assert.rejects(store().replace({ ...item, revision: 2 }), { code: 'CONFLICT' });
      assert.equal(await store().remove(item.id), true);
      assert.equal(await store().remove(item.id), false);
      await assert.rejects(store().replace({ ...item, revision: 3 }), { code: 'CONFLICT' });
    });

    it('an alias is of one item of an org, also when it is given to two at once', async () => {
      const owner = org();
      const add = (name: string) => store().insert(lockerItem({ owner, name, legacyAlias: 'OLD' }));
      const added = await Promise.allSettled(['a', 'b', 'c'].map(add));
      assert.equal(added.filter(({ status }) => status === 'fulfilled').length, 1);
      const free = lockerItem({ owner, name: 'free' });
      await store().insert(free);
      await store().insert(lockerItem({ owner, name: 'free-too' }));
      await assert.rejects(store().replace({ ...free, revision: 2, legacyAlias: 'OLD' }), {
        code: 'VALIDATION_FAILED',
      });
      await store().insert(lockerItem({ owner: org(), legacyAlias: 'OLD' }));
    });

    it('lists one owner in the order of vault and name, in pages that miss and repeat nothing, and counts the vaults', async () => {
      const owner = org();
      const places = ['b/2', 'a/3', 'b/1', 'a/1', 'a/2'];
      for (const [index, at] of places.entries()) {
        const [vault = '', name = ''] = at.split('/');
        await store().insert(lockerItem({ owner, vault, name, id: `itm_${owner.id}-${index}` }));
      }
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const next = await store().list({ owner, vault: null }, { cursor, limit: 2 });
        seen.push(...next.items.map(({ vault, name }) => `${vault}/${name}`));
        cursor = next.nextCursor;
      } while (cursor !== null);
      assert.deepEqual(seen, places.toSorted());
      const { items } = await store().list({ owner, vault: 'b' }, page);
      assert.deepEqual(
        items.map(({ name }) => name),
        ['1', '2'],
      );
      assert.deepEqual(await store().vaults(owner), [
        { name: 'a', items: 3 },
        { name: 'b', items: 2 },
      ]);
    });

    it('replaces a value only where the one it was made of still is', async () => {
      const owner = org();
      const item = lockerItem({ owner });
      await store().insert(item);
      const from = item.fields[0]?.value ?? { keyId: '', sealed: '' };
      const to = { keyId: 'k2', sealed: 'bmV3' };
      assert.equal(await store().replaceValue(item.id, 'key', { from, to }), true);
      assert.equal(await store().replaceValue(item.id, 'key', { from, to }), false);
      assert.equal(await store().replaceValue(item.id, 'other', { from: to, to: from }), false);
      assert.deepEqual((await store().find(place(owner)))?.fields[0]?.value, to);
      const all = await store().listAll(page);
      assert.ok(all.items.some(({ id }) => id === item.id));
    });

    it('takes no more items of one owner than it may have, also when the last are added at once', async () => {
      const owner = org();
      const small = store(6);
      const add = (index: number) => small.insert(lockerItem({ owner, name: `i${index}` }));
      for (const index of [0, 1, 2]) await add(index);
      const last = await Promise.allSettled(Array.from({ length: 6 }, (_, index) => add(10 + index)));
      const refused = last.filter((each) => each.status === 'rejected').map(({ reason }) => reason.code);
      assert.deepEqual(refused, ['LOCKER_FULL', 'LOCKER_FULL', 'LOCKER_FULL']);
      assert.deepEqual(await small.vaults(owner), [{ name: 'main', items: 6 }]);
      const [first] = (await small.list({ owner, vault: null }, page)).items;
      await small.remove(first?.id ?? '');
      await add(20);
      await assert.rejects(add(21), { code: 'LOCKER_FULL' });
    });
  });
}
