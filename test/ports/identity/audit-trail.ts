import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AuditTrail } from '../../../domain/audit/ports.ts';
import { allPages } from './all-pages.ts';
import { atOnce, CALLERS, HOSTILE } from './at-once.ts';
import { at, auditEvent } from './records.ts';

type Filter = Parameters<AuditTrail['list']>[0];

/** What every {@link AuditTrail} guarantees. */
export function auditTrailSuite(create: () => AuditTrail): void {
  const trail = create();
  const list = (filter: Filter) => allPages((page) => trail.list(filter, page), 2);
  const ids = async (filter: Filter) => (await list(filter)).map((event) => event.id);

  describe('AuditTrail', () => {
    it('gives back what was recorded, whatever the names and values in its data', async () => {
      const data = {
        flag: true,
        count: 2,
        none: null,
        list: ['a', 'b'],
        ...Object.fromEntries(HOSTILE.map((k) => [k, k])),
      };
      const event = auditEvent({ id: 'evt_whole', subject: 'whole', data, requestId: null, address: null });
      await trail.record(event);
      assert.deepEqual(await list({ subject: 'whole' }), [event]);
    });

    it('an event that is recorded again is kept once, as it was first', async () => {
      const event = auditEvent({ id: 'evt_once', subject: 'once' });
      await atOnce(() => trail.record(event));
      await trail.record({ ...event, actor: 'forger' });
      assert.deepEqual(await list({ subject: 'once' }), [event]);
    });

    it('lists the types that match, of one org, in pages that miss and repeat nothing', async () => {
      const types = ['org.changed', 'user.logged_in', 'org.created', 'borg.x'];
      for (const type of types) await trail.record(auditEvent({ id: `evt_${type}`, type, orgSlug: 'typed' }));
      const found = await list({ types: /^org\./, orgSlug: 'typed' });
      assert.deepEqual(found.map(({ type }) => type).sort(), ['org.changed', 'org.created']);
      assert.deepEqual(await ids({ types: /^org\./, type: 'user.logged_in', orgSlug: 'typed' }), []);
    });

    it('50 events at once are all kept', async () => {
      await atOnce((caller) => trail.record(auditEvent({ id: `evt_many${caller}`, subject: 'many' })));
      assert.equal(new Set(await ids({ subject: 'many' })).size, CALLERS);
    });

    it('lists newest first, by type, subject and org together, and misses and repeats nothing', async () => {
      for (const [index, orgSlug] of ['acme', 'other', 'acme', null, 'acme'].entries()) {
        const type = index === 2 ? 'user.suspended' : 'user.login_failed';
        await trail.record(auditEvent({ id: `evt_l${index}`, subject: 'listed', orgSlug, type, time: at(index >> 1) }));
      }
      assert.deepEqual(await ids({ subject: 'listed' }), ['evt_l4', 'evt_l3', 'evt_l2', 'evt_l1', 'evt_l0']);
      assert.deepEqual(await ids({ subject: 'listed', orgSlug: 'acme' }), ['evt_l4', 'evt_l2', 'evt_l0']);
      assert.deepEqual(await ids({ subject: 'listed', orgSlug: 'acme', type: 'user.suspended' }), ['evt_l2']);
      for (const text of HOSTILE) {
        assert.deepEqual(await ids({ type: text }), [], text);
        assert.deepEqual(await ids({ subject: text, orgSlug: text }), [], text);
      }
    });

    it('refuses a cursor it did not make', async () => {
      for (const cursor of ['', '%', Buffer.from('[{"$gt":""},"x"]').toString('base64url')]) {
        await assert.rejects(trail.list({}, { cursor, limit: 2 }), { code: 'VALIDATION_FAILED' }, cursor);
      }
    });
  });
}
