import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DatabaseRecords } from '../../domain/databases/ports.ts';
import type { DatabaseRecord, StoredLogin } from '../../domain/databases/record.ts';

let made = 0;

/** An active database that no other test of the file has. */
export function databaseRecord(fields: Partial<DatabaseRecord> = {}): DatabaseRecord {
  made += 1;
  const database = `kept-${made}_prod`;
  return {
    ...{ id: `postgres/${database}`, engine: 'postgres', database, serviceId: `svc_${made}`, service: `kept-${made}` },
    ...{ generation: null, consumes: null, earlierServiceIds: [] },
    ...{
      environment: 'prod',
      org: 'acme',
      state: 'active',
      dropAfter: null,
      next: null,
      retiring: null,
      retired: null,
      mark: null,
      waits: null,
      given: 0,
      keptBytes: null,
    },
    login: storedLogin(`${database}_a`, 'one'),
    createdAt: new Date('2026-01-01T00:00:00Z'),
    ...fields,
  };
}

export function storedLogin(user: string, sealed: string): StoredLogin {
  return { user, password: { keyId: 'k1', sealed }, issuedAt: new Date('2026-01-02T00:00:00Z') };
}

const AT = new Date('2026-02-01T00:00:00Z');
const LATER = new Date('2026-03-01T00:00:00Z');

/** What every {@link DatabaseRecords} guarantees. */
export function databaseRecordsSuite(use: () => DatabaseRecords): void {
  describe('DatabaseRecords', () => {
    it('of many that claim a database at once, all get the record of one', async () => {
      const first = databaseRecord();
      const claims = ['one', 'two', 'three'].map((sealed) => {
        return use().claim({ ...first, login: storedLogin(first.login.user, sealed) });
      });
      const claimed = await Promise.all(claims);
      assert.equal(new Set(claimed.map(({ login }) => login.password.sealed)).size, 1);
      assert.deepEqual(await use().find(first.id), claimed[0]);
      assert.deepEqual(await use().ofService(first.serviceId), [claimed[0]]);
      assert.equal(await use().find('postgres/none_prod'), null);
    });

    it('logins of other services are found by the service that has the database, and by who has them', async () => {
      const owner = databaseRecord();
      const consumes = { service: owner.service, serviceId: owner.serviceId, access: 'read' } as const;
      const other = databaseRecord({ id: `${owner.id}/abcdefghij`, database: owner.database, consumes });
      await use().claim(owner);
      await use().claim(other);
      assert.deepEqual(await use().consumersOf(owner.serviceId), [other]);
      assert.deepEqual(await use().ofService(owner.serviceId), [owner]);
      assert.deepEqual(await use().ofService(other.serviceId), [other]);
      assert.deepEqual(await use().consumersOf(other.serviceId), []);
    });

    it('a login that somebody was given since it was looked at is not ended as an unused one', async () => {
      const record = databaseRecord();
      const { id, serviceId } = await use().claim(record);
      const seen = await use().give(id);
      assert.deepEqual(seen, { ...record, given: 1 });
      assert.equal((await use().give(id))?.given, 2);
      assert.equal(await use().keep(id, serviceId, AT, seen?.given), false);
      assert.equal((await use().find(id))?.state, 'active');
      assert.equal(await use().keep(id, serviceId, AT, 2), true);
      assert.equal(await use().give(id), null, 'it has ended');
      assert.equal(await use().give('postgres/none_prod'), null);
      const unused = await use().claim(databaseRecord());
      assert.equal(await use().keep(unused.id, unused.serviceId, AT, 0), true);
    });

    it('a kept database is adopted once, or dropped, and never both', async () => {
      const record = databaseRecord();
      const [old, to] = [record.serviceId, { serviceId: 'svc_new', org: 'acme' }];
      await use().claim(record);
      assert.equal(await use().adopt(record.id, old, to), false, 'it is not kept');
      assert.equal(await use().keep(record.id, 'svc_other', AT), false);
      assert.equal(await use().keep(record.id, old, AT), true);
      assert.equal(await use().keep(record.id, old, LATER), false, 'the first time stays');
      assert.equal(await use().startDropping(record.id, LATER), false);
      const outcomes = await Promise.all([use().adopt(record.id, old, to), use().startDropping(record.id, AT)]);
      assert.equal(outcomes.filter(Boolean).length, 1);
      const after = await use().find(record.id);
      assert.equal(after?.state, outcomes[0] ? 'active' : 'dropping');
    });

    it('an adopted database names every service that had it before, to whoever has it now', async () => {
      const record = databaseRecord();
      const [first, second, third] = [record.serviceId, `${record.serviceId}-2`, `${record.serviceId}-3`];
      await use().claim(record);
      assert.deepEqual(await use().earlierServiceIds([first]), []);
      for (const [from, to] of [
        [first, second],
        [second, third],
      ] as const) {
        await use().keep(record.id, from, AT);
        assert.equal(await use().adopt(record.id, from, { serviceId: to, org: 'acme' }), true);
        assert.equal(await use().adopt(record.id, from, { serviceId: to, org: 'acme' }), false);
      }
      assert.deepEqual((await use().find(record.id))?.earlierServiceIds, [first, second]);
      assert.deepEqual(await use().earlierServiceIds([third, 'svc_none']), [first, second]);
      assert.deepEqual(await use().earlierServiceIds([first, second]), [], 'they have it no more');
      assert.deepEqual(await use().earlierServiceIds([]), []);
    });

    it('a kept database is kept longer from the time that it was kept until, and no other', async () => {
      const [record, active] = [databaseRecord(), databaseRecord()];
      for (const one of [record, active]) await use().claim(one);
      await use().keep(record.id, record.serviceId, AT);
      assert.equal(await use().keepLonger(record.id, LATER, AT), false);
      assert.equal(await use().keepLonger(active.id, AT, LATER), false);
      const both = await Promise.all([1, 2].map(() => use().keepLonger(record.id, AT, LATER)));
      assert.equal(both.filter(Boolean).length, 1);
      assert.deepEqual((await use().find(record.id))?.dropAfter, LATER);
      assert.equal(await use().startDropping(record.id, AT), false);
      assert.equal(await use().startDropping(record.id, LATER), true);
      assert.equal(await use().keepLonger(record.id, LATER, AT), false, 'it is being dropped');
    });

    it('what is dropped stays so, and its record goes; an active one stays', async () => {
      const [record, active] = [databaseRecord(), databaseRecord()];
      for (const one of [record, active]) await use().claim(one);
      await use().keep(record.id, record.serviceId, AT);
      assert.equal(await use().startDropping(record.id, AT), true);
      assert.equal(await use().startDropping(record.id, AT), true, 'an attempt that was killed goes on');
      assert.equal(await use().adopt(record.id, record.serviceId, { serviceId: 'svc_new', org: 'acme' }), false);
      await use().removeDropped(record.id, LATER);
      assert.notEqual(await use().find(record.id), null, 'one that is dropped at another time stays');
      for (const { id } of [record, active]) await use().removeDropped(id, AT);
      assert.equal(await use().find(record.id), null);
      assert.notEqual(await use().find(active.id), null);
    });

    it('an adopted database has its new owner, and no time at which it is dropped', async () => {
      const record = databaseRecord();
      await use().claim(record);
      await use().keep(record.id, record.serviceId, AT);
      assert.equal(await use().adopt(record.id, record.serviceId, { serviceId: 'svc_heir', org: 'acme' }), true);
      const adopted = { ...record, serviceId: 'svc_heir', earlierServiceIds: [record.serviceId] };
      assert.deepEqual(await use().find(record.id), adopted);
    });

    it('a rotation prepares, promotes and ends, each once and in this order', async () => {
      const record = databaseRecord();
      await use().claim(record);
      const [next, other] = ['next', 'other'].map((sealed) => storedLogin(`${record.database}_b`, sealed));
      assert.ok(next !== undefined && other !== undefined);
      assert.equal(await use().promoteLogin(record.id, next), false, 'nothing is prepared');
      assert.equal(await use().prepareLogin(record.id, next, other), false, 'that is not the current login');
      const prepared = await Promise.all([next, other].map((one) => use().prepareLogin(record.id, record.login, one)));
      assert.equal(prepared.filter(Boolean).length, 1);
      const winner = prepared[0] ? next : other;
      assert.equal(await use().promoteLogin(record.id, winner), true);
      assert.equal(await use().promoteLogin(record.id, winner), false);
      const promoted = await use().find(record.id);
      assert.deepEqual([promoted?.login, promoted?.next, promoted?.retiring], [winner, null, record.login.user]);
      assert.deepEqual(promoted?.retired, record.login);
      assert.equal(await use().prepareLogin(record.id, winner, record.login), false, 'one is retiring');
      await use().noteMark(record.id, record.login, 500);
      for (const mark of [1_000, 2_000]) await use().noteMark(record.id, winner, mark);
      assert.equal((await use().find(record.id))?.mark, 1_000, 'the first stays');
      await use().endRetiring(record.id, winner, 'somebody');
      await use().endRetiring(record.id, record.login, record.login.user);
      assert.equal((await use().find(record.id))?.retiring, record.login.user);
      await use().endRetiring(record.id, winner, record.login.user);
      await use().noteMark(record.id, winner, 3_000);
      const ended = await use().find(record.id);
      assert.deepEqual([ended?.retiring, ended?.retired, ended?.mark], [null, null, null]);
    });

    it('what a rotation waits for is noted while there is one, and goes with each step of it', async () => {
      const record = databaseRecord();
      await use().claim(record);
      const wait = { for: 'restart', buildId: 'bld_1', reason: null, since: AT } as const;
      const waits = async () => (await use().find(record.id))?.waits;
      await use().noteWait(record.id, wait);
      assert.equal(await waits(), null, 'none has begun');
      const next = storedLogin(`${record.database}_b`, 'next');
      await use().prepareLogin(record.id, record.login, next);
      await use().noteWait(record.id, { ...wait, for: 'next-night', reason: 'the server is away' });
      assert.deepEqual(await waits(), { ...wait, for: 'next-night', reason: 'the server is away' });
      await use().promoteLogin(record.id, next);
      assert.equal(await waits(), null);
      await use().noteWait(record.id, wait);
      assert.deepEqual(await waits(), wait);
      await use().endRetiring(record.id, next, record.login.user);
      await use().noteWait(record.id, wait);
      assert.equal(await waits(), null, 'it has ended');
    });

    it('each login of a record is sealed anew in its place, and only where it still is', async () => {
      const record = databaseRecord();
      await use().claim(record);
      const { login } = record;
      const next = storedLogin(`${record.database}_b`, 'next');
      const resealed = (one: StoredLogin) => storedLogin(one.user, `${one.password.sealed} again`);
      assert.equal(await use().reseal(record.id, 'next', next, resealed(next)), false, 'there is none');
      assert.equal(await use().reseal(record.id, 'login', next, resealed(next)), false, 'it is another one');
      await use().prepareLogin(record.id, login, next);
      assert.equal(await use().reseal(record.id, 'next', next, resealed(next)), true);
      assert.equal(await use().promoteLogin(record.id, next), false, 'it is sealed otherwise by now');
      assert.equal(await use().promoteLogin(record.id, resealed(next)), true);
      assert.equal(await use().reseal(record.id, 'retired', login, resealed(login)), true);
      assert.equal(await use().reseal(record.id, 'retired', login, resealed(login)), false);
      const stored = await use().find(record.id);
      assert.deepEqual([stored?.login, stored?.retired], [resealed(next), resealed(login)]);
    });

    it('lists those of removed services until they are dropped, of an org or of all, with how large they are', async () => {
      const [first, second] = [1, 2].map(() => databaseRecord({ org: 'keepers' }));
      const foreign = databaseRecord({ org: 'others' });
      const active = databaseRecord({ org: 'keepers' });
      const consumes = { service: 'x', serviceId: 'svc_x', access: 'read' } as const;
      const login = databaseRecord({ org: 'keepers', state: 'kept', dropAfter: AT, consumes });
      assert.ok(first !== undefined && second !== undefined);
      for (const record of [first, second, foreign, active, login]) await use().claim(record);
      for (const { id, serviceId } of [first, second, foreign]) await use().keep(id, serviceId, AT);
      for (const { id } of [first, active]) await use().noteKeptBytes(id, 4_096);
      await use().startDropping(second.id, AT);
      const all = async (org: string | null) => {
        const seen: DatabaseRecord[] = [];
        for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
          const page = await use().listKept(org, { cursor, limit: 1 });
          seen.push(...page.items);
          cursor = page.nextCursor;
        }
        return seen.map(({ id, keptBytes }) => [id, keptBytes]);
      };
      assert.deepEqual(
        (await all('keepers')).toSorted(),
        [
          [first.id, 4_096],
          [second.id, null],
        ].toSorted(),
      );
      assert.ok((await all(null)).some(([id]) => id === foreign.id));
      assert.equal((await use().find(active.id))?.keptBytes, null, 'it is not kept');
      await use().adopt(first.id, first.serviceId, { serviceId: 'svc_heir', org: 'keepers' });
      assert.equal((await use().find(first.id))?.keptBytes, null);
    });

    it('lists the active ones by the age of their logins, the oldest first, by pages', async () => {
      const issued = (day: number) => ({
        ...storedLogin('someone', 'aged'),
        issuedAt: new Date(Date.UTC(2001, 0, day)),
      });
      const kept = databaseRecord({ login: issued(1), state: 'kept', dropAfter: AT });
      const aged = [issued(3), issued(2), issued(2), issued(4)].map((login) => databaseRecord({ login }));
      for (const record of [kept, ...aged]) await use().claim(record);
      const seen: string[] = [];
      for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
        const page = await use().listByLoginAge({ cursor, limit: 2 });
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      const [third, first, second, fourth] = aged.map(({ id }) => id);
      assert.deepEqual(seen.slice(0, 4), [...[first, second].toSorted(), third, fourth]);
      assert.equal(new Set(seen).size, seen.length);
    });

    it('a prepared login is forgotten where it still is', async () => {
      const record = databaseRecord();
      await use().claim(record);
      const [next, other] = ['next', 'other'].map((sealed) => storedLogin(`${record.database}_b`, sealed));
      assert.ok(next !== undefined && other !== undefined);
      await use().prepareLogin(record.id, record.login, next);
      await use().dropPrepared(record.id, other);
      assert.deepEqual((await use().find(record.id))?.next, next);
      await use().dropPrepared(record.id, next);
      assert.deepEqual(await use().find(record.id), record);
    });

    it('a login is replaced only where it still is', async () => {
      const record = databaseRecord();
      await use().claim(record);
      const next = storedLogin(record.login.user, 'resealed');
      assert.equal(await use().replaceLogin(record.id, next, record.login), false);
      assert.equal(await use().replaceLogin(record.id, record.login, next), true);
      assert.deepEqual((await use().find(record.id))?.login, next);
    });

    it('lists every record once, by pages', async () => {
      const records = [databaseRecord(), databaseRecord(), databaseRecord()];
      for (const record of records) await use().claim(record);
      const ids: string[] = [];
      for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
        const page = await use().list({ cursor, limit: 2 });
        ids.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      }
      assert.equal(new Set(ids).size, ids.length);
      for (const { id } of records) assert.ok(ids.includes(id));
      assert.deepEqual(await use().usedEngines(), ['postgres']);
    });
  });
}
