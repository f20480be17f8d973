import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectMongo } from '../../../../adapters/mongo/connect.ts';
import { COLLECTIONS } from '../../../../adapters/mongo/search-pulls/indexes.ts';
import { partId, toPartDocument } from '../../../../adapters/mongo/search-pulls/part-document.ts';
import { toPeriodDocument } from '../../../../adapters/mongo/search-pulls/period-document.ts';
import { createSearchRowStore } from '../../../../adapters/mongo/search-pulls/rows.ts';
import { dayOf, newSeries, rowsOf } from '../../../ports/search-pulls/records.ts';
import { startScriptedMongo } from '../../../support/scripted-mongo.ts';

const at = (hour: number): Date => new Date(Date.UTC(2026, 2, 9, hour));

test('the rows of a day stay whose next record only one member has: a failover takes that back', async () => {
  const series = newSeries();
  const [left, replicated, alone] = [1, 2, 3].map((hour) =>
    dayOf(series, { query: rowsOf(2) }, { pulledAt: at(hour), generation: `srw_${hour}` }),
  );
  assert.ok(left && replicated && alone);
  const heads = [left, replicated, alone].flatMap(({ period, parts }) =>
    parts.map((part) => toPartDocument(period, part)),
  );
  const deleted: unknown[] = [];
  const server = await startScriptedMongo((command) => {
    if (command.delete !== undefined) {
      deleted.push(...(command.deletes as { q: { _id: { $in: unknown[] } } }[]).flatMap(({ q }) => q._id.$in));
      return { ok: 1, n: 1 };
    }
    const { level } = (command.readConcern ?? {}) as { level?: string };
    const records = [toPeriodDocument((level === 'majority' ? replicated : alone).period)];
    const isOfDays = JSON.stringify(command.filter).includes('/day/');
    const found = command.find === COLLECTIONS.periods ? records : heads;
    return { ok: 1, cursor: { id: 0n, ns: `test.${command.find}`, firstBatch: isOfDays ? found : [] } };
  });
  try {
    const { db, close } = await connectMongo(server.uri, 'test');
    const day = { from: '2026-03-05', to: '2026-03-05' };
    await createSearchRowStore({ db }).deleteLeftovers(series, day).finally(close);
  } finally {
    await server.close();
  }
  assert.deepEqual(deleted, [partId(series, { ...left.period, dimension: 'query', bucket: 0 })]);
});
