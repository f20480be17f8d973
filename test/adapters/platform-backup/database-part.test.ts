import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { BSON } from 'mongodb';
import { COLLECTIONS } from '../../../adapters/mongo/identity/indexes.ts';
import { isFreeFor, readDatabase, writeDatabase } from '../../../adapters/platform-backup/database-part.ts';
import {
  checkFrames,
  describingFrame,
  endFrame,
  FRAMES,
  readFrames,
} from '../../../adapters/platform-backup/frames.ts';
import { LEFT_OUT } from '../../../domain/platform-backup/parts.ts';
import { chunks, readAll } from '../../ports/archive-store.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

describe('a database of the platform as a stream', () => {
  let mongo: TestMongo;
  let stream: Buffer;
  before(async () => {
    mongo = await startMongo();
    const { db } = mongo.connection;
    for (const name of ['audit_ledger_events', 'audit_ledger_checkpoints', 'batch_leaves', 'batches', 'zebras']) {
      await db.collection<{ _id: string }>(name).insertMany([{ _id: `${name}_1` }, { _id: `${name}_2` }]);
    }
    stream = await readAll(readDatabase(db, AbortSignal.timeout(60_000)));
  });
  after(() => mongo.stop());
  const refused = (bytes: Uint8Array) => assert.rejects(checkFrames(chunks(bytes)), { code: 'NOT_RESTORABLE' });

  it('has the chain of events after all that says how long it was', async () => {
    const names: string[] = [];
    for await (const { kind, bytes } of readFrames(chunks(stream))) {
      if (kind === FRAMES.collection) names.push(BSON.deserialize(bytes).name);
    }
    assert.equal(names.at(-1), 'audit_ledger_events');
    assert.ok(names.indexOf('audit_ledger_checkpoints') < names.indexOf('zebras'));
    assert.ok(names.indexOf('batches') < names.indexOf('batch_leaves'), 'a batch that is on record has all its parts');
  });

  it('has none of the sessions and tokens of people, by the names that the provider gives them', async () => {
    const { idp: leftOut = [] } = LEFT_OUT;
    assert.ok(leftOut.includes(COLLECTIONS.sessions) && leftOut.includes(COLLECTIONS.grants));
    const known: readonly string[] = Object.values(COLLECTIONS);
    assert.deepEqual(
      leftOut.filter((name) => !known.includes(name)),
      [],
    );
    const { db } = mongo.connection;
    const without = await readAll(readDatabase(db, AbortSignal.timeout(60_000), ['zebras']));
    const names: string[] = [];
    for await (const { kind, bytes } of readFrames(chunks(without))) {
      if (kind === FRAMES.collection) names.push(BSON.deserialize(bytes).name);
    }
    assert.ok(names.includes('batches') && !names.includes('zebras'));
  });

  it('is refused where it is cut off anywhere, also between two documents, or goes on after its end', async () => {
    await checkFrames(chunks(stream));
    for (const length of [0, 1, 40, stream.length - 1, stream.length - 30]) await refused(stream.subarray(0, length));
    await refused(Buffer.concat([stream, stream]));
  });

  it('is refused where its counts are others, or a document is in no collection', async () => {
    const [begin, row] = [
      describingFrame(FRAMES.collection, { name: 'a', options: {} }),
      describingFrame(FRAMES.document, { _id: 1 }),
    ];
    const whole = [begin, row, endFrame([{ name: 'a', count: 1 }])];
    await checkFrames(chunks(...whole.flat()));
    for (const wrong of [
      [begin, row, row, endFrame([{ name: 'a', count: 1 }])],
      [begin, endFrame([{ name: 'a', count: 1 }])],
      [row, endFrame([])],
      [begin, row, endFrame([{ name: 'b', count: 1 }])],
    ]) {
      await refused(Buffer.concat(wrong.flat()));
    }
  });

  it('may go into a database without documents, or with what a restore of the same backup left, and into no other', async () => {
    const { db } = mongo.connection;
    assert.equal(await isFreeFor(db, 'pbk_1'), false);
    await writeDatabase(db, chunks(stream), 'pbk_1');
    assert.deepEqual([await isFreeFor(db, 'pbk_1'), await isFreeFor(db, 'pbk_2')], [true, false]);
    assert.equal(await db.collection('zebras').countDocuments(), 2);
    await db.dropDatabase();
    assert.equal(await isFreeFor(db, 'pbk_2'), true);
  });
});
