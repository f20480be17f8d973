import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from 'mongodb';
import { createBatchStore } from '../../../adapters/mongo/audit-ledger/batches.ts';
import { createEventStore } from '../../../adapters/mongo/audit-ledger/events.ts';
import { createServiceStore } from '../../../adapters/mongo/catalog/services.ts';
import { connectMongo } from '../../../adapters/mongo/connect.ts';
import { createGrantStore } from '../../../adapters/mongo/grants/grants.ts';
import { createEntryStore } from '../../../adapters/mongo/registry/entries.ts';
import { batchOf } from '../../ports/audit-ledger/batch-store.ts';
import { eventsAfter } from '../../ports/audit-ledger/drafts.ts';
import { grantRecord } from '../../ports/records.ts';
import { type Answer, startScriptedMongo } from '../../support/scripted-mongo.ts';

const DUPLICATE_KEY = 11_000;
const WRITE_CONCERN_TIMEOUT = 64;
const DISK_FULL = 14_031;

const refusal = (index: number, code: number) => ({ index, code, errmsg: 'refused' });

async function withServer<T>(answer: Answer, work: (db: Db) => Promise<T>): Promise<T> {
  const server = await startScriptedMongo(answer);
  try {
    const { db, close } = await connectMongo(server.uri, 'test');
    return await work(db).finally(close);
  } finally {
    await server.close();
  }
}

test('events before one that is refused are durable once a majority has them, and not before', async () => {
  const secondRefused = { ok: 1, n: 1, writeErrors: [refusal(1, DUPLICATE_KEY)] };
  const append = (db: Db) => createEventStore({ db }).append(eventsAfter(null, [{}, {}]));
  assert.equal(await withServer(() => secondRefused, append), 1);
  const writeConcernError = { code: WRITE_CONCERN_TIMEOUT, errmsg: 'not on a majority' };
  await assert.rejects(withServer(() => ({ ...secondRefused, writeConcernError }), append));
});

test('a batch of which a part is there already, and another part was not stored, is not stored', async () => {
  const { batch, content } = batchOf('2026-01-01', { orders: [[0, 2]], payments: [[0, 2]] });
  const answer: Answer = ({ insert }) => {
    if (insert === undefined) return { ok: 1, cursor: { id: 0n, ns: 'test.batches', firstBatch: [] } };
    const isPartial = insert === 'batch_segments';
    return { ok: 1, n: 1, ...(isPartial ? { writeErrors: [refusal(0, DUPLICATE_KEY), refusal(1, DISK_FULL)] } : {}) };
  };
  await assert.rejects(withServer(answer, (db) => createBatchStore({ db }).insert(batch, content)));
});

test('whatever the concern that failed, events of a write that was also refused in part are not durable', async () => {
  const append = (db: Db) => createEventStore({ db }).append(eventsAfter(null, [{}, {}]));
  // UnsatisfiableWriteConcern, ShutdownInProgress, CannotSatisfyWriteConcern, InterruptedDueToReplStateChange.
  for (const code of [79, 91, 100, 11_602]) {
    const writeConcernError = { code, errmsg: 'not on a majority' };
    const answer = { ok: 1, n: 1, writeErrors: [refusal(1, DUPLICATE_KEY)], writeConcernError };
    await assert.rejects(
      withServer(() => answer, append),
      String(code),
    );
  }
});

test('an entry of the service registry is read as a majority has it, as the next revision is made of it', async () => {
  const asked: unknown[] = [];
  const answer: Answer = ({ readConcern }) => {
    asked.push(readConcern);
    return { ok: 1, cursor: { id: 0n, ns: 'test.registry_entries', firstBatch: [] } };
  };
  assert.equal(await withServer(answer, (db) => createEntryStore({ db }).find('svc_hello')), null);
  assert.deepEqual(asked, [{ level: 'linearizable' }]);
});

test('a grant is read as a majority has it: one that was revoked before a failover gives nothing', async () => {
  const asked: unknown[] = [];
  const answer: Answer = ({ filter, readConcern }) => {
    asked.push([filter, readConcern]);
    return { ok: 1, cursor: { id: 0n, ns: 'test.scope_grants', firstBatch: [] } };
  };
  const key = grantRecord({ environment: 'prod' });
  assert.equal(await withServer(answer, (db) => createGrantStore({ db }).findFor(key)), null);
  const { holder, target } = key;
  const filter = { 'holder.serviceId': holder.serviceId, environment: 'prod', 'target.serviceId': target.serviceId };
  assert.deepEqual(asked, [[filter, { level: 'linearizable' }]]);
});

test('a service is read as a majority has it by what gives and takes by the answer alone, and plainly by all others', async () => {
  const asked: unknown[] = [];
  const answer: Answer = ({ filter, readConcern }) => {
    asked.push([filter, readConcern]);
    return { ok: 1, cursor: { id: 0n, ns: 'test.services', firstBatch: [] } };
  };
  const now = () => new Date(0);
  await withServer(answer, async (db) => {
    const services = createServiceStore({ db, now });
    for (const name of ['svc_hello', 'hello']) assert.equal(await services.findConfirmed(name), null);
    assert.equal(await services.find('hello'), null);
  });
  const level = 'linearizable';
  assert.deepEqual(asked, [
    [{ _id: 'svc_hello' }, { level }],
    [{ name: 'hello' }, { level }],
    [{ name: 'hello' }, undefined],
  ]);
});

test('a server that is no replica set is asked without a majority', async () => {
  const asked: unknown[] = [];
  const answer: Answer = ({ readConcern }) => {
    asked.push(readConcern);
    if (readConcern !== undefined) return { ok: 0, code: 123, errmsg: 'node needs to be a replica set member' };
    return { ok: 1, cursor: { id: 0n, ns: 'test.events', firstBatch: [] } };
  };
  const found = await withServer(answer, (db) => createEventStore({ db }).findByIdempotencyKey('a', 'b', 'c'));
  assert.deepEqual([found, asked], [null, [{ level: 'linearizable' }, undefined]]);
});
