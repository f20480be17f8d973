import assert from 'node:assert/strict';
import { it } from 'node:test';
import { measureKeptDatabase } from '../../../activities/databases/measure-kept-database.ts';
import type { DatabaseRecord } from '../../../domain/databases/record.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { databaseRecord } from '../../ports/database-records.ts';
import { createInMemoryDatabaseRecords } from '../../support/in-memory/database-records.ts';
import { createInMemoryDatabaseServer } from '../../support/in-memory/database-server.ts';

const signal = AbortSignal.timeout(30_000);
const KEPT = { state: 'kept', dropAfter: new Date('2026-02-01T00:00:00Z') } as const;

/** What is noted of a database of 4 KiB. */
async function measured(fields: Partial<DatabaseRecord>, isAway = false): Promise<number | null | undefined> {
  const records = createInMemoryDatabaseRecords();
  const record = databaseRecord(fields);
  await records.claim(record);
  const { server } = createInMemoryDatabaseServer();
  const list = async () => {
    if (isAway) throw new FairleadError('UNAVAILABLE', 'it is away', { retryable: true });
    return [{ database: record.database, target: null, bytes: 4_096 }];
  };
  await measureKeptDatabase({ records, servers: { postgres: { ...server, list } } }, record.id, signal);
  return (await records.find(record.id))?.keptBytes;
}

it('the size of a kept database is noted, and of nothing else', async () => {
  const consumes = { service: 'x', serviceId: 'svc_x', access: 'read' } as const;
  assert.equal(await measured(KEPT), 4_096);
  assert.equal(await measured({}), null, 'a service has it');
  assert.equal(await measured({ ...KEPT, consumes }), null, 'it is a login');
  assert.equal(await measured({ ...KEPT, engine: 'mongodb' }), null, 'its server is not configured');
  await assert.rejects(measured(KEPT, true), { code: 'UNAVAILABLE', retryable: true });
});
