import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { Incident } from '../../../domain/incidents/incident.ts';
import type { IncidentStore } from '../../../domain/incidents/ports.ts';

const AT = new Date('2026-11-01T10:00:00Z');

export function incidentRecord(changes: Partial<Incident> = {}): Incident {
  const id = `inc_${randomBytes(6).toString('hex')}`;
  return {
    ...{ id, org: 'acme', monitorId: 'mon_1', sequence: 1, title: 'shop is down', isPublic: true },
    ...{ state: 'open', startedAt: AT, acknowledged: null, resolvedAt: null, flapping: false, cause: null, changes: 0 },
    updates: [{ at: AT, status: 'investigating', body: 'We look at it.', by: null }],
    ...changes,
  };
}

/** What every {@link IncidentStore} guarantees. Orgs are new for each test, so one store serves them all. */
export function incidentStoreSuite(store: () => IncidentStore): void {
  describe('IncidentStore', () => {
    it('gives back what was written last', async () => {
      const open = incidentRecord();
      const ended: Incident = {
        ...open,
        ...{
          state: 'resolved',
          resolvedAt: AT,
          acknowledged: { at: AT, by: 'usr_ada' },
          cause: 'It answered 503',
          changes: 1,
        },
      };
      await store().insert(open);
      assert.deepEqual(await store().find(open.id), open);
      await store().put(ended);
      assert.deepEqual(await store().find(open.id), ended);
      assert.equal(await store().find(`${open.id}0`), null);
    });

    it('is not opened again, nor changed by a write that comes late', async () => {
      const open = incidentRecord();
      const told: Incident = { ...open, flapping: true, changes: 1 };
      const ended: Incident = { ...told, state: 'resolved', resolvedAt: AT, changes: 2 };
      await store().insert(open);
      await store().put(told);
      await store().put(ended);
      for (const late of [told, { ...ended, resolvedAt: null, state: 'open' } as const]) await store().put(late);
      await store().insert(open);
      assert.deepEqual(await store().find(open.id), ended);
    });

    it('keeps many that are announced, which change none that is there, and tells those whose workflow has begun', async () => {
      const [known, ended] = [incidentRecord({ title: 'known' }), incidentRecord({ state: 'resolved', changes: 1 })];
      await store().insert(known);
      await store().put(ended);
      const fresh = Array.from({ length: 1_100 }, () => incidentRecord());
      const announced = await store().announce([
        ...[{ ...known, title: 'other' }, ...fresh],
        { ...ended, state: 'open', changes: 0 },
      ]);
      assert.deepEqual(announced, [known, ...fresh, ended]);
      assert.deepEqual(await store().announce([]), []);
      for (const each of [known, ended, fresh[0], fresh[1_099]]) {
        assert.deepEqual(await store().find(each?.id ?? ''), each);
      }
      const [first, second] = fresh;
      assert.ok(first !== undefined && second !== undefined);
      assert.deepEqual(await Promise.all([known, ended, first].map(({ id }) => store().isBegun(id))), [
        true,
        true,
        false,
      ]);
      await store().insert({ ...first, title: 'other' });
      await store().put({ ...second, changes: 1 });
      assert.deepEqual(await store().find(first.id), first);
      assert.deepEqual(await Promise.all([first, second].map(({ id }) => store().isBegun(id))), [true, true]);
      assert.equal(await store().isBegun('none'), false);
    });

    it('lists the newest first, page by page, by what is asked', async () => {
      const org = `org-${randomBytes(6).toString('hex')}`;
      const at = (minutes: number) => new Date(AT.getTime() + minutes * 60_000);
      const [first, second, third] = [
        incidentRecord({ org, startedAt: at(1), resolvedAt: at(2), state: 'resolved' }),
        incidentRecord({ org, startedAt: at(2), monitorId: 'mon_2' }),
        incidentRecord({ org, startedAt: at(3), monitorId: null, sequence: null, isPublic: false }),
      ];
      for (const incident of [second, first, third]) await store().insert(incident);
      const ids = async (filter: object, cursor: string | null = null) => {
        const page = await store().list({ org, ...filter }, { cursor, limit: 2 });
        return { ids: page.items.map(({ id }) => id), next: page.nextCursor };
      };
      const page = await ids({});
      assert.deepEqual(page.ids, [third.id, second.id]);
      assert.deepEqual(await ids({}, page.next), { ids: [first.id], next: null });
      assert.deepEqual((await ids({ open: true })).ids, [third.id, second.id]);
      assert.deepEqual((await ids({ open: false })).ids, [first.id]);
      assert.deepEqual((await ids({ monitorId: 'mon_2' })).ids, [second.id]);
      assert.deepEqual((await ids({ monitorId: null })).ids, [third.id]);
      assert.deepEqual((await ids({ publicOnly: true })).ids, [second.id, first.id]);
    });

    it('gives of each as many of its updates as are asked for, the newest, and all of everything else', async () => {
      const org = `org-${randomBytes(6).toString('hex')}`;
      const updates = Array.from({ length: 10 }, (_, index) => ({
        ...({ at: new Date(AT.getTime() + index), status: 'identified', by: 'usr_ada' } as const),
        body: `update ${index}`,
      }));
      const step = { waitMinutes: 0, channelIds: ['chn_1'] };
      const escalation = {
        policy: { steps: [step, { ...step, waitMinutes: 10 }], repeat: { times: 1, waitMinutes: 60 } },
        told: [{ step: 0, at: AT, channelIds: ['chn_1', 'chn_2'] }],
      };
      const [long, short] = [
        incidentRecord({ org, id: `inc_b${org}`, updates, escalation }),
        incidentRecord({ org, id: `inc_a${org}` }),
      ];
      for (const incident of [long, short]) await store().put(incident);
      const page = { cursor: null, limit: 10 };
      const { items } = await store().list({ org }, page, { newestUpdates: 3 });
      assert.deepEqual(items, [{ ...long, updates: updates.slice(-3) }, short]);
      assert.deepEqual((await store().list({ org }, page)).items, [long, short]);
    });
  });
}
