import assert from 'node:assert/strict';
import { it } from 'node:test';
import { planNight } from '../../../activities/backups/plan-night.ts';
import { createDatabaseInventory, createServiceDatabases } from '../../../domain/backups/database-owners.ts';
import { parseDatabaseName } from '../../../domain/databases/database-name.ts';
import type { DatabaseRecord } from '../../../domain/databases/record.ts';
import { databaseRecord } from '../../ports/database-records.ts';
import { createBackupsParts } from '../../support/in-memory/backups-parts.ts';
import { createInMemoryDatabaseRecords } from '../../support/in-memory/database-records.ts';

const OURS = { id: 'svc_shop', name: 'shop', org: 'acme' };
const LATER = { id: 'svc_later', name: 'shop', org: 'rivals' };
const LONG = () => AbortSignal.timeout(10_000);

/** A server with `shop_prod`, and the record of it that is given. */
async function using(fields: Partial<DatabaseRecord> | null) {
  const records = createInMemoryDatabaseRecords();
  if (fields !== null) {
    const shop = { id: 'postgres/shop_prod', database: 'shop_prod', service: 'shop', serviceId: OURS.id } as const;
    await records.claim(databaseRecord({ ...shop, ...fields }));
  }
  const postgres = {
    list: async () => [{ database: 'shop_prod', target: parseDatabaseName('shop_prod'), bytes: 1 }],
  };
  return { inventory: createDatabaseInventory(records, { postgres }), databases: createServiceDatabases(records) };
}

const kept = { state: 'kept', dropAfter: new Date('2026-06-01T00:00:00Z') } as const;
const ROWS: readonly [string, Partial<DatabaseRecord> | null, string | null, readonly (typeof OURS)[]][] = [
  ['an active database is of its service alone', {}, OURS.id, [OURS]],
  ['a kept database stays of the removed service, and no later one has it', kept, OURS.id, []],
  ['a database that is being dropped stays of the removed service', { ...kept, state: 'dropping' }, OURS.id, []],
  ['an adopted database is of the service that adopted it', { serviceId: LATER.id, org: LATER.org }, LATER.id, [LATER]],
  ['a database under the name of a service, but without a record, is of no service', null, null, []],
  ['a database whose record names another org is not of the service', { org: 'rivals' }, OURS.id, []],
];
for (const [what, record, serviceId, having] of ROWS) {
  it(what, async () => {
    const { inventory, databases } = await using(record);
    const [listed] = await inventory.list('postgres', LONG());
    assert.equal(listed?.owner?.serviceId ?? null, serviceId);
    assert.deepEqual(await inventory.ownerOf('postgres', 'shop_prod'), listed?.owner);
    for (const service of [OURS, LATER]) {
      const has = having.includes(service) ? [{ engine: 'postgres', databaseName: 'shop_prod' }] : [];
      assert.deepEqual(await databases.of(service, 'prod'), has, service.org);
      assert.deepEqual(await databases.of(service, 'sandbox'), []);
    }
  });
}

it('the night backs up a kept database for its own org, although another org has a service of that name', async () => {
  const parts = await createBackupsParts();
  const { inventory } = await using(kept);
  assert.deepEqual(inventory.engines, ['postgres']);
  const { jobs } = await planNight({ ...parts.deps, inventory }, '2026-05-04', LONG());
  const [job] = jobs;
  assert.equal(jobs.length, 1);
  assert.deepEqual([job?.service, job?.serviceId, job?.org], ['shop', OURS.id, 'acme']);
});

it('backups of a removed service are of the one that has its database back, and of no other', async () => {
  const { databases } = await using({ serviceId: 'svc_again', earlierServiceIds: [OURS.id] });
  assert.deepEqual(await databases.recordedUnder(['svc_again']), ['svc_again', OURS.id]);
  assert.deepEqual(await databases.recordedUnder([LATER.id]), [LATER.id]);
});

it('what services have is listed without what nobody has, is not backed up, or is a login to the database of another one', async () => {
  const records = createInMemoryDatabaseRecords();
  const shop = databaseRecord({ serviceId: 'svc_1' });
  const blog = databaseRecord({ serviceId: 'svc_2', engine: 'mongodb' });
  const consumes = { service: 'shop', serviceId: 'svc_1', access: 'read' } as const;
  for (const fields of [kept, { engine: 'redis' }, { consumes }] as const) {
    await records.claim(databaseRecord({ serviceId: 'svc_1', ...fields }));
  }
  for (const record of [shop, blog]) await records.claim(record);
  const { known } = createServiceDatabases(records);
  const names = async (ids: readonly string[] | null): Promise<string[]> => {
    const all: string[] = [];
    for await (const { databaseName } of known(ids)) all.push(databaseName);
    return all;
  };
  assert.deepEqual((await names(null)).toSorted(), [shop.database, blog.database].toSorted());
  assert.deepEqual(await names(['svc_1', 'svc_none']), [shop.database]);
});
