import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createBuildLog, GAP_PATIENCE_MS, type LogLimits } from '../../../adapters/mongo/build-logs.ts';
import { COLLECTIONS } from '../../../adapters/mongo/indexes.ts';
import { logLine } from '../../ports/build-log.ts';
import { startMongo, type TestMongo } from './start-mongo.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongo();
});
after(() => mongo.stop());

const small: LogLimits = { lines: 50, bytes: 1_000, lineBytes: 200, reserve: 3 };
const createLog = (now = () => new Date(), limits = small) => createBuildLog({ db: mongo.connection.db, now, limits });

it('two writers that run into the cap make one line that says so, and nothing but errors after it', async () => {
  const log = createLog();
  const writer = async (name: string) => {
    for (let index = 0; index < 10; index += 1) {
      await log.append(
        'bld_cap',
        Array.from({ length: 7 }, () => logLine(name)),
      );
    }
  };
  await Promise.all([writer('a'), writer('b')]);
  await log.append('bld_cap', [logLine('lost'), logLine('why it failed', { level: 'error' })]);
  await log.append('bld_cap', [logLine('Build failed', { step: null })]);
  const texts = (await log.read('bld_cap', 0, 1_000)).map((line) => line.text);
  assert.equal(texts.filter((text) => text.startsWith('The log is full')).length, 1);
  assert.match(texts[50] ?? '', /^The log is full \(50 lines/);
  assert.deepEqual(texts.slice(51), ['why it failed', 'Build failed']);
});

it('a log that is full by bytes says so as well, and errors past the cap are bounded', async () => {
  const log = createLog();
  await log.append(
    'bld_bytes',
    Array.from({ length: 20 }, () => logLine('x'.repeat(100))),
  );
  await log.append(
    'bld_bytes',
    Array.from({ length: 20 }, () => logLine('e', { level: 'error' })),
  );
  const lines = await log.read('bld_bytes', 0, 1_000);
  assert.equal(lines.length, 10 + 1 + small.reserve);
});

it('a reader waits for a slow writer and passes over the gap of a dead one', async () => {
  let clock = Date.UTC(2026, 0, 1);
  const now = () => new Date(clock);
  const log = createLog(now);
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
