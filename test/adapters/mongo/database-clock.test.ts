import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { followDatabaseClock } from '../../../adapters/mongo/database-clock.ts';
import { startMongo } from '../../support/start-mongo.ts';

const mongo = await startMongo();
after(() => mongo.stop());
const { db } = mongo.connection;
const noFailure = (error: unknown): void => assert.fail(String(error));

test('the time is the database’s, whatever the clock of this process says, and is never ahead of it', async (t) => {
  const clock = await followDatabaseClock({ db, onFailure: noFailure });
  t.after(clock.close);
  for (const wrongByMs of [0, 3_600_000, -3_600_000]) {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + wrongByMs });
    const before = clock.now();
    const asked = await clock.read();
    assert.ok(before <= asked, `${wrongByMs} ms off: ${before.toISOString()} is ahead of ${asked.toISOString()}`);
    t.mock.timers.reset();
    assert.ok(Math.abs(asked.getTime() - Date.now()) < 60_000, 'the stand-in runs on this machine');
  }
});

test('the clock advances while the database does not answer', async (t) => {
  const away = { command: () => Promise.reject(new Error('away')) };
  let answers = true;
  const flaky = { command: (...args: Parameters<typeof db.command>) => (answers ? db : away).command(...args) };
  const clock = await followDatabaseClock({ db: flaky as unknown as typeof db, onFailure: noFailure });
  t.after(clock.close);
  answers = false;
  await assert.rejects(clock.read());
  const first = clock.now();
  while (clock.now() <= first) await new Promise((done) => setImmediate(done));
});
