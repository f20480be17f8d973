import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DroppingDeps, dropKeptDatabase } from '../../../activities/databases/drop-kept-database.ts';
import type { FinalBackupState } from '../../../domain/databases/ports.ts';
import type { DatabaseRecord } from '../../../domain/databases/record.ts';
import { databaseRecord } from '../../ports/database-records.ts';
import { createInMemoryAudit } from '../../support/in-memory/audit-recorder.ts';
import { createInMemoryDatabaseRecords } from '../../support/in-memory/database-records.ts';
import { createInMemoryDatabaseServer } from '../../support/in-memory/database-server.ts';

const UNTIL = new Date('2026-02-01T00:00:00Z');
const signal = new AbortController().signal;

const STORED = { kind: 'stored', backupId: 'bak_final', objectKey: 'prod/shop/manual/x.pgdump' } as const;
const FAILED = { kind: 'failed', reason: 'The final backup bak_final failed: the disk is full' } as const;

/** What there is of the final backup of each database. */
const finalBackups = (find: (record: DatabaseRecord) => Promise<FinalBackupState>): DroppingDeps['finalBackup'] => ({
  find,
  make: () => Promise.reject(new Error('who drops makes no backup')),
});

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
    const finalBackup = finalBackups(async ({ database }) => {
      assert.ok(held.has(database), 'while it is there');
      return STORED;
    });
    assert.deepEqual(await dropKeptDatabase({ ...deps, finalBackup }, request, signal), { kind: 'dropped' });
    assert.deepEqual([held.size, await records.find(record.id)], [0, null]);
    assert.deepEqual(await dropKeptDatabase({ ...deps, finalBackup }, request, signal), { kind: 'dropped' });
    const [told, ...more] = audit.told();
    assert.deepEqual([told?.eventType, told?.orgSlug, more], ['database.dropped', 'acme', []]);
    assert.equal(told?.data.backupId, 'bak_final');
  });

  it('drops nothing before its final backup has ended, and says that it is to be made; one that is not backed up it drops', async () => {
    const { deps, request, record, records, held, alarms } = await kept();
    const waiting = { ...deps, finalBackup: finalBackups(async () => ({ kind: 'not made' })) };
    for (const _ of [1, 2]) {
      assert.deepEqual(await dropKeptDatabase(waiting, request, signal), { kind: 'backup first' });
    }
    const stored = await records.find(record.id);
    assert.deepEqual([held.size, stored?.state, alarms.length], [1, 'kept', 0]);
    const none = { ...deps, finalBackup: finalBackups(async () => ({ kind: 'not backed up' })) };
    assert.deepEqual(await dropKeptDatabase(none, request, signal), { kind: 'dropped' });
  });

  it('keeps one whose final backup could not be made at all, with the reason', async () => {
    const { deps, request, held, alarms } = await kept();
    const never = { ...deps, finalBackup: finalBackups(async () => ({ kind: 'not made' })) };
    const outcome = await dropKeptDatabase(never, { ...request, problem: 'no worker did it in time' }, signal);
    assert.deepEqual([outcome.kind, held.size], ['kept', 1]);
    assert.match(alarms[0]?.text ?? '', /no worker did it in time/);
  });

  it('goes on with a drop that began, whatever became of the backup since', async () => {
    const { deps, request, record, records, held } = await kept();
    await records.startDropping(record.id, UNTIL);
    const failing = { ...deps, finalBackup: finalBackups(async () => FAILED) };
    assert.deepEqual(await dropKeptDatabase(failing, request, signal), { kind: 'dropped' });
    assert.equal(held.size, 0);
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
    const failing = { ...deps, finalBackup: finalBackups(async () => FAILED) };
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
    const finalBackup = finalBackups(async () => {
      await records.adopt(record.id, record.serviceId, { serviceId: 'svc_heir', org: 'acme' });
      return STORED;
    });
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

  it('backs nothing up that is gone', async () => {
    const { deps, request, record, server } = await kept();
    await server.drop(record.database, signal);
    const failing = { ...deps, finalBackup: finalBackups(async () => FAILED) };
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
