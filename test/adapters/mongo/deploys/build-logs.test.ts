import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createBuildLog, GAP_PATIENCE_MS } from '../../../../adapters/mongo/deploys/build-logs.ts';
import { COLLECTIONS } from '../../../../adapters/mongo/deploys/indexes.ts';
import { logLine } from '../../../ports/build-log.ts';
import { startMongo, type TestMongo } from '../../../support/start-mongo.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongo();
});
after(() => mongo.stop());

it('a reader waits for a slow writer and passes over the gap of a dead one', async () => {
  let clock = Date.UTC(2026, 0, 1);
  const now = () => new Date(clock);
  const log = createBuildLog({ db: mongo.connection.db, now });
  const rows = mongo.connection.db.collection(COLLECTIONS.buildLogs);
  await log.append('bld_gap', [logLine('1'), logLine('2'), logLine('3'), logLine('4')]);
  const [slow] = await rows.find({ buildId: 'bld_gap', seq: 2 }).toArray();
  await rows.deleteOne({ buildId: 'bld_gap', seq: 2 });
  const texts = async () => (await log.read('bld_gap', 0, 10)).map((line) => line.text);
  assert.deepEqual(await texts(), ['1'], 'a young gap is waited for');
  assert.deepEqual(await log.read('bld_gap', 1, 10), []);
  assert.ok(slow);
  await rows.insertOne(slow);
  assert.deepEqual(await texts(), ['1', '2', '3', '4']);
  await rows.deleteOne({ buildId: 'bld_gap', seq: 2 });
  clock += GAP_PATIENCE_MS;
  assert.deepEqual(await texts(), ['1', '3', '4']);
});
