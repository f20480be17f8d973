import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connectMongo } from '../../../adapters/mongo/connect.ts';
import { createRevocationStore } from '../../../adapters/mongo/identity/revocations.ts';
import { revocation } from '../../ports/identity/records.ts';
import { startMongo } from '../../support/start-mongo.ts';

const mongo = await startMongo();
after(() => mongo.stop());

test('reads are of the primary, whatever the address asks for', async (t) => {
  const asked = `${mongo.uri}${mongo.uri.includes('?') ? '&' : '?'}readPreference=secondary`;
  const connection = await connectMongo(asked, 'fairlead-test');
  t.after(() => connection.close());
  assert.equal(connection.db.readPreference?.mode, 'primary');
  const store = createRevocationStore({ db: connection.db, now: () => new Date(0) });
  await store.add(revocation({ value: 'tok_1' }));
  assert.equal((await store.since(new Date(0))).length, 1);
});
