import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type DatabasesDeps, dropKeptDatabase } from '../../../activities/databases/index.ts';
import { databaseRecord } from '../../ports/database-records.ts';
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
  const deps: DatabasesDeps = { records, servers: { postgres: server }, finalBackup: null };
  const request = { id: record.id, dropAfter: UNTIL.toISOString() };
  return { record, records, server, held, deps, request };
}

describe('dropping the database of a removed service', () => {
  it('drops it with its record, after its final backup; a second time changes nothing', async () => {
    const { deps, request, record, records, held } = await kept();
    const backed: string[] = [];
    const finalBackup: DatabasesDeps['finalBackup'] = async ({ database }) => {
      assert.ok(held.has(database), 'while it is there');
      backed.push(database);
    };
    assert.deepEqual(await dropKeptDatabase({ ...deps, finalBackup }, request, signal), { kind: 'dropped' });
    assert.deepEqual([backed, held.size, await records.find(record.id)], [[record.database], 0, null]);
    assert.deepEqual(await dropKeptDatabase({ ...deps, finalBackup }, request, signal), { kind: 'dropped' });
    assert.equal(backed.length, 1);
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

  it('drops nothing whose final backup fails, and gives it to nobody meanwhile', async () => {
    const { deps, request, record, records, held } = await kept();
    const failing = { ...deps, finalBackup: () => Promise.reject(new Error('no store')) };
    await assert.rejects(dropKeptDatabase(failing, request, signal), /no store/);
    assert.equal(held.size, 1);
    assert.equal(await records.adopt(record.id, record.serviceId, { serviceId: 'svc_heir', org: 'acme' }), false);
    assert.deepEqual(await dropKeptDatabase(deps, request, signal), { kind: 'dropped' });
  });

  it('waits for a server that is away or is not configured any more', async () => {
    const { deps, request, held } = await kept();
    await assert.rejects(dropKeptDatabase({ ...deps, servers: {} }, request, signal), {
      ...{ code: 'UNAVAILABLE', retryable: true },
    });
    assert.equal(held.size, 1);
  });
});
