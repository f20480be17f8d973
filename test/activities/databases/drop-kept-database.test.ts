import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DroppingDeps, dropKeptDatabase } from '../../../activities/databases/drop-kept-database.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { databaseRecord } from '../../ports/database-records.ts';
import { createInMemoryAudit } from '../../support/in-memory/audit-recorder.ts';
import { createInMemoryDatabaseRecords } from '../../support/in-memory/database-records.ts';
import { createInMemoryDatabaseServer } from '../../support/in-memory/database-server.ts';

const UNTIL = new Date('2026-02-01T00:00:00Z');
const signal = new AbortController().signal;

/** A database whose service was removed, and whose time has come. */
async function kept() {
  const record = databaseRecord();
  const records = createInMemoryDatabaseRecords();
  const { server, held } = createInMemoryDatabaseServer();
  await records.claim(record);
  await server.ensure(record.database, { user: record.login.user, password: 'x' }, signal);
  await records.keep(record.id, record.serviceId, UNTIL);
  const audit = createInMemoryAudit();
  const alarms: Parameters<DroppingDeps['raiseAlarm']>[0][] = [];
  const deps: DroppingDeps = {
    ...{ records, servers: { postgres: server }, finalBackup: null, rotation: null, audit, now: () => UNTIL },
    raiseAlarm: async (alarm) => void alarms.push(alarm),
  };
  const request = { id: record.id, dropAfter: UNTIL.toISOString() };
  return { record, records, server, held, deps, request, audit, alarms };
}

describe('dropping the database of a removed service', () => {
  it('drops it with its record, after its final backup; a second time changes nothing', async () => {
    const { deps, request, record, records, held, audit } = await kept();
    const backed: string[] = [];
    const finalBackup: DroppingDeps['finalBackup'] = async ({ database }) => {
      assert.ok(held.has(database), 'while it is there');
      backed.push(database);
      return { backupId: 'bak_final', objectKey: 'prod/shop/manual/x.pgdump' };
    };
    assert.deepEqual(await dropKeptDatabase({ ...deps, finalBackup }, request, signal), { kind: 'dropped' });
    assert.deepEqual([backed, held.size, await records.find(record.id)], [[record.database], 0, null]);
    assert.deepEqual(await dropKeptDatabase({ ...deps, finalBackup }, request, signal), { kind: 'dropped' });
    assert.equal(backed.length, 1);
    const [told, ...more] = audit.told();
    assert.deepEqual([told?.eventType, told?.orgSlug, more], ['database.dropped', 'acme', []]);
    assert.equal(told?.data.backupId, 'bak_final');
  });

  it('drops nothing that a service has again, also one that was removed once more until later', async () => {
    const { deps, request, record, records, held } = await kept();
    await records.adopt(record.id, record.serviceId, { serviceId: 'svc_heir', org: 'acme' });
    assert.deepEqual(await dropKeptDatabase(deps, request, signal), { kind: 'in use' });
    const later = new Date('2026-03-01T00:00:00Z');
    await records.keep(record.id, 'svc_heir', later);
    const outcome = { kind: 'kept', dropAfter: later.toISOString() };
    assert.deepEqual(await dropKeptDatabase(deps, request, signal), outcome);
    assert.equal(held.size, 1);
  });

  it('keeps one that cannot be backed up for another day, tells people, and its org gets it back meanwhile', async () => {
    const { deps, request, record, records, held, alarms, audit } = await kept();
    const failing = {
      ...deps,
      finalBackup: () => Promise.reject(new FairleadError('DUMP_FAILED', 'the disk is full')),
    };
    const later = new Date(UNTIL.getTime() + 86_400_000).toISOString();
    assert.deepEqual(await dropKeptDatabase(failing, request, signal), { kind: 'kept', dropAfter: later });
    assert.deepEqual([held.size, alarms.length, audit.told()[0]?.eventType], [1, 1, 'database.drop_postponed']);
    assert.match(alarms[0]?.text ?? '', /the disk is full/);
    assert.deepEqual(await dropKeptDatabase(failing, request, signal), { kind: 'kept', dropAfter: later });
    assert.deepEqual(await dropKeptDatabase(deps, { ...request, dropAfter: later }, signal), { kind: 'dropped' });
    const again = await kept();
    await dropKeptDatabase({ ...again.deps, finalBackup: failing.finalBackup }, again.request, signal);
    const heir = { serviceId: 'svc_heir', org: 'acme' };
    assert.equal(await again.records.adopt(again.record.id, again.record.serviceId, heir), true);
    assert.deepEqual([await records.find(record.id), again.held.size], [null, 1]);
  });

  it('drops nothing that its org gets back while it is backed up', async () => {
    const { deps, request, record, records, held } = await kept();
    const finalBackup = async () => {
      await records.adopt(record.id, record.serviceId, { serviceId: 'svc_heir', org: 'acme' });
      return { backupId: 'bak_final', objectKey: 'x' };
    };
    assert.deepEqual(await dropKeptDatabase({ ...deps, finalBackup }, request, signal), { kind: 'in use' });
    assert.equal(held.size, 1);
  });

  it('drops nothing of another service that took the name while the worker was paused', async () => {
    const { deps, request, record, records, server, held } = await kept();
    const heir = databaseRecord({ ...record, serviceId: 'svc_heir', org: 'rival' });
    const late: typeof server = {
      ...server,
      async drop(...given) {
        assert.deepEqual(await dropKeptDatabase(deps, request, signal), { kind: 'dropped' });
        await records.claim(heir);
        await server.ensure(heir.database, { user: heir.login.user, password: 'y' }, signal);
        await server.drop(...given);
      },
    };
    await dropKeptDatabase({ ...deps, servers: { postgres: late } }, request, signal);
    assert.deepEqual([(await records.find(record.id))?.serviceId, held.size], ['svc_heir', 1]);
  });

  it('waits while something else has the database, and backs nothing up that is gone', async () => {
    const { deps, request, record, server } = await kept();
    const busy = new FairleadError('BACKUP_IN_PROGRESS', 'a backup runs');
    const failing = { ...deps, finalBackup: () => Promise.reject(busy) };
    await assert.rejects(dropKeptDatabase(failing, request, signal), { code: 'UNAVAILABLE', retryable: true });
    await server.drop(record.database, signal);
    assert.deepEqual(await dropKeptDatabase(failing, request, signal), { kind: 'dropped' });
  });

  it('waits for a server that is away or is not configured any more', async () => {
    const { deps, request, held } = await kept();
    await assert.rejects(dropKeptDatabase({ ...deps, servers: {} }, request, signal), {
      ...{ code: 'UNAVAILABLE', retryable: true },
    });
    assert.equal(held.size, 1);
  });
});
