import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { DatabaseRecord } from '../../../domain/databases/record.ts';
import { databaseRecord } from '../../ports/database-records.ts';
import { restoreRecord } from '../../support/backup-record.ts';
import { startApi, type TestApi } from '../../support/start-api.ts';

const DAY_MS = 86_400_000;
const ADMIN = 'acme/admin/usr_root';

describe('databases that are kept before they are dropped', () => {
  let api: TestApi;
  before(async () => {
    api = await startApi();
  });
  after(() => api.stop());
  beforeEach(() => {
    api.drops.splice(0);
    api.backupCommands.drops.splice(0);
  });

  let made = 0;
  /** Of a service that was removed, with how large it was then. */
  async function removed(fields: Partial<DatabaseRecord> = {}, days = 3): Promise<DatabaseRecord> {
    made += 1;
    const database = `gone-${made}_prod`;
    const record = databaseRecord({ id: `postgres/${database}`, database, service: `gone-${made}`, ...fields });
    await api.databaseRecords.claim(record);
    const dropAfter = new Date(Date.now() + days * DAY_MS);
    await api.databaseRecords.keep(record.id, record.serviceId, dropAfter);
    await api.databaseRecords.noteKeptBytes(record.id, 4_096);
    return { ...record, dropAfter };
  }
  /** What a restore into a database has replaced. */
  async function replaced(live: DatabaseRecord, status: 'completed' | 'running' = 'completed') {
    made += 1;
    const id = `rst_${String(made).padStart(20, '0')}`;
    const of = { serviceId: live.serviceId, service: live.service, databaseName: live.database };
    const keptUntil = new Date(Date.now() + 2 * DAY_MS);
    const kept = { keptDatabase: `fairlead_kept_${id.slice(4)}`, keptUntil, keptBytes: 2_048 };
    const restore = restoreRecord({ id, ...of, ...kept, status });
    await api.restores.insert(restore);
    return { ...restore, ...kept };
  }
  const list = async (user: string) => {
    const { status, body } = await api.call('GET', '/databases/kept', undefined, { 'x-test-user': user });
    assert.equal(status, 200);
    return body.data.databases as readonly Record<string, unknown>[];
  };
  const idsOf = async (user: string) => (await list(user)).map(({ id }) => id);
  const drop = (id: string, body: object, user = ADMIN) =>
    api.call('POST', `/databases/kept/${id}/drop`, body, { 'x-test-user': user });

  it('are listed with their size and day, the next to go first, to their org and to the platform', async () => {
    const record = await removed();
    const live = databaseRecord();
    await api.databaseRecords.claim(live);
    const copy = await replaced(live);
    const running = await replaced(live, 'running');
    const foreign = await removed({ org: 'rivals' });
    const nobodys = await replaced(databaseRecord({ org: 'acme' }));
    const mine = await list('acme/viewer');
    assert.deepEqual(
      mine.slice(0, 2).map(({ id, databaseName, of, because, sizeBytes, keptUntil, state }) => {
        return [id, databaseName, of, because, sizeBytes, keptUntil, state];
      }),
      [
        [copy.id, copy.keptDatabase, live.database, 'restore', 2_048, copy.keptUntil.toISOString(), 'kept'],
        [
          ...[`postgres.${record.database}`, record.database, record.database, 'service-removed', 4_096],
          ...[record.dropAfter?.toISOString(), 'kept'],
        ],
      ],
    );
    assert.equal(mine.length, 2);
    const foreignId = `postgres.${foreign.database}`;
    assert.deepEqual(await idsOf('rivals/viewer'), [foreignId]);
    assert.deepEqual(await idsOf('nowhere/admin'), []);
    const all = await idsOf('platform/super_admin');
    for (const id of [copy.id, foreignId, nobodys.id]) assert.ok(all.includes(id), id);
    assert.ok(!all.includes(running.id), 'a restore that runs keeps nothing yet');
  });

  it('what a later service of the name has nothing of stays with the platform', async () => {
    const live = databaseRecord({ org: 'latecomers' });
    await api.databaseRecords.claim(live);
    const copy = await replaced({ ...live, serviceId: 'svc_of_before' });
    assert.deepEqual(await idsOf('latecomers/admin'), []);
    assert.equal((await drop(copy.id, { confirm: copy.keptDatabase }, 'latecomers/admin')).status, 404);
  });

  it('one of a removed service is dropped early, once: its time is now, its workflow is told, and the ledger who asked', async () => {
    const record = await removed();
    const id = `postgres.${record.database}`;
    const { status, body } = await drop(id, { confirm: record.database });
    assert.deepEqual([status, body.data.state], [202, 'dropping']);
    const stored = await api.databaseRecords.find(record.id);
    assert.ok(stored?.dropAfter !== null && stored?.dropAfter !== undefined);
    assert.ok(stored.dropAfter.getTime() <= Date.now());
    assert.deepEqual(api.drops, [{ id: record.id, dropAfter: stored.dropAfter }]);
    const told = api.audit.told().at(-1);
    assert.deepEqual(
      [told?.eventType, told?.orgSlug, told?.data.databaseName],
      ['service.kept_database_drop_requested', 'acme', record.database],
    );
    assert.equal((await drop(id, { confirm: record.database })).status, 202, 'asked again, it is joined');
    assert.deepEqual((await api.databaseRecords.find(record.id))?.dropAfter, stored.dropAfter, 'for the same backup');
  });

  it('one that a restore kept is dropped early: the next night would take it as well', async () => {
    const live = databaseRecord();
    await api.databaseRecords.claim(live);
    const copy = await replaced(live);
    const { status, body } = await drop(copy.id, { confirm: copy.keptDatabase });
    assert.deepEqual([status, body.data.databaseName], [202, copy.keptDatabase]);
    assert.deepEqual(
      api.backupCommands.drops.map(({ restoreId, requestedBy }) => [restoreId, requestedBy]),
      [[copy.id, 'usr_root']],
    );
    assert.ok(((await api.restores.find(copy.id))?.keptUntil?.getTime() ?? 0) <= Date.now());
  });

  it('a dry run tells the same and drops nothing', async () => {
    const record = await removed();
    const planned = await drop(`postgres.${record.database}`, { confirm: record.database, dryRun: true });
    assert.deepEqual([planned.status, planned.body.data.state], [200, 'kept']);
    assert.deepEqual((await api.databaseRecords.find(record.id))?.dropAfter, record.dropAfter);
    assert.deepEqual(api.drops, []);
  });

  it('is refused to others, of others, under another name, and of what is used', async () => {
    const record = await removed();
    const active = databaseRecord({ id: 'postgres/used_prod', database: 'used_prod' });
    await api.databaseRecords.claim(active);
    const running = await replaced(active, 'running');
    const id = `postgres.${record.database}`;
    const confirm = record.database;
    const rows: readonly [number, string, string, object, string][] = [
      [403, 'FORBIDDEN', id, { confirm }, 'acme/viewer'],
      [403, 'FORBIDDEN', id, { confirm }, 'acme/member'],
      [404, 'DATABASE_NOT_FOUND', id, { confirm }, 'rivals/admin'],
      [404, 'DATABASE_NOT_FOUND', 'postgres.none_prod', { confirm: 'none_prod' }, ADMIN],
      [404, 'DATABASE_NOT_FOUND', 'postgres.used_prod', { confirm: 'used_prod' }, ADMIN],
      [404, 'DATABASE_NOT_FOUND', running.id, { confirm: running.keptDatabase }, ADMIN],
      [404, 'DATABASE_NOT_FOUND', 'rst_none', { confirm: 'x' }, ADMIN],
      [400, 'VALIDATION_FAILED', id, { confirm: 'another' }, ADMIN],
      [400, 'VALIDATION_FAILED', id, {}, ADMIN],
    ];
    for (const [status, code, asked, body, user] of rows) {
      const answer = await drop(asked, body, user);
      assert.deepEqual([answer.status, answer.body.error.code], [status, code], `${asked} ${user}`);
    }
    const unknown = await fetch(`${api.address}/databases/kept/${id}/drop`, { method: 'POST' });
    assert.equal(unknown.status, 401);
    assert.deepEqual([api.drops, api.backupCommands.drops], [[], []]);
  });

  it('what has changed since it was looked at is not dropped', async () => {
    const record = await removed();
    const { keepLonger } = api.databaseRecords;
    const raced = api.databaseRecords as { keepLonger: typeof keepLonger };
    raced.keepLonger = async (...args) => {
      await api.databaseRecords.adopt(record.id, record.serviceId, { serviceId: 'svc_heir', org: 'acme' });
      return await keepLonger(...args);
    };
    try {
      const answer = await drop(`postgres.${record.database}`, { confirm: record.database });
      assert.deepEqual([answer.status, answer.body.error.code], [409, 'CONFLICT']);
    } finally {
      raced.keepLonger = keepLonger;
    }
    assert.deepEqual([api.drops, (await api.databaseRecords.find(record.id))?.state], [[], 'active']);
  });
});
