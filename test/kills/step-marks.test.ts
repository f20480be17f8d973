import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { connectMongo, type MongoConnection } from '../../adapters/mongo/connect.ts';
import { createBuildStore } from '../../adapters/mongo/deploys/builds.ts';
import { STEPS } from '../../domain/deploys/steps.ts';
import { buildRecord } from '../ports/records.ts';
import { startMongo, type TestMongo } from '../support/start-mongo.ts';
import { type StepMark, type StepMarks, startStepMarks } from './step-marks.ts';

/** What the kill matrix goes by is what the store of builds writes. */
describe('marks of steps on their way to the database', () => {
  let mongo: TestMongo;
  let proxy: StepMarks;
  let connection: MongoConnection;
  const kept: StepMark[] = [];
  let isLost = false;
  before(async () => {
    mongo = await startMongo();
    const { hostname: host, port } = new URL(mongo.uri);
    proxy = await startStepMarks({ host, port: Number(port) }, async (mark) => {
      kept.push(mark);
      return isLost;
    });
    const uri = new URL(mongo.uri);
    uri.host = `127.0.0.1:${proxy.port}`;
    uri.searchParams.set('directConnection', 'true');
    connection = await connectMongo(uri.href, 'fairlead-test');
  });
  after(async () => {
    await connection?.close();
    await proxy?.stop();
    await mongo?.stop();
  });

  it('are told when they are kept, and lost where nobody is to hear of it', async () => {
    const now = () => new Date();
    const through = createBuildStore({ db: connection.db, now });
    const directly = createBuildStore({ db: mongo.connection.db, now });
    await through.create(buildRecord({ id: 'bld_marks' }));
    const [source] = STEPS;
    await through.markStep('bld_marks', source, { state: 'running', attempt: 1, startedAt: now() }, { attempt: 1 });
    assert.deepEqual(kept, [{ buildId: 'bld_marks', step: 'source', state: 'running' }]);
    isLost = true;
    const done = { state: 'completed', finishedAt: now() } as const;
    // The driver tries again by itself.
    await assert.rejects(through.markStep('bld_marks', source, done, { attempt: 1 }), { code: 'UNAVAILABLE' });
    assert.deepEqual(kept[1], { buildId: 'bld_marks', step: 'source', state: 'completed' });
    const record = await directly.find('bld_marks');
    assert.equal(record?.steps.find(({ key }) => key === 'source')?.state, 'completed');
  });
});
