import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { backUpFinally } from '../../../activities/databases/back-up-finally.ts';
import type { DatabaseRecord } from '../../../domain/databases/record.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { databaseRecord } from '../../ports/database-records.ts';
import { createInMemoryDatabaseRecords } from '../../support/in-memory/database-records.ts';

const UNTIL = new Date('2026-02-01T00:00:00Z');
const signal = AbortSignal.timeout(30_000);

/** A database whose time has come, and what is asked to back it up. */
async function use(fields: Partial<DatabaseRecord> = {}, make: () => Promise<void> = async () => undefined) {
  const records = createInMemoryDatabaseRecords();
  const record = databaseRecord({ state: 'kept', dropAfter: UNTIL, ...fields });
  await records.claim(record);
  const made: string[] = [];
  const finalBackup = {
    find: () => Promise.reject(new Error('who backs up reads nothing of it')),
    make: async ({ id }: DatabaseRecord) => {
      made.push(id);
      await make();
    },
  };
  const run = (dropAfter = UNTIL) =>
    backUpFinally({ records, finalBackup }, { id: record.id, dropAfter: dropAfter.toISOString() }, signal);
  return { record, made, run };
}

describe('the backup of a database before it is dropped', () => {
  it('is made of one whose time has come', async () => {
    const { record, made, run } = await use();
    await run();
    assert.deepEqual(made, [record.id]);
  });

  const OTHERS: readonly [string, Partial<DatabaseRecord>][] = [
    ['that a service has again', { state: 'active', dropAfter: null }],
    ['that is kept until later', { dropAfter: new Date('2026-03-01T00:00:00Z') }],
    [
      'of which a login of another service is to end',
      { consumes: { service: 'shop', serviceId: 'svc_shop', access: 'read' } },
    ],
  ];
  for (const [what, fields] of OTHERS) {
    it(`is not made of one ${what}`, async () => {
      const { made, run } = await use(fields);
      await run();
      assert.deepEqual(made, []);
    });
  }

  for (const code of ['BACKUP_IN_PROGRESS', 'RESTORE_IN_PROGRESS'] as const) {
    it(`is tried again after ${code}, and takes no place meanwhile`, async () => {
      const { run } = await use({}, () => Promise.reject(new FairleadError(code, 'something has it')));
      await assert.rejects(run(), { code: 'UNAVAILABLE', retryable: true, message: 'something has it' });
    });
  }

  it('passes on what else keeps it from a backup', async () => {
    const { run } = await use({}, () => Promise.reject(new FairleadError('BACKUPS_NOT_CONFIGURED', 'no store')));
    await assert.rejects(run(), { code: 'BACKUPS_NOT_CONFIGURED' });
  });
});
