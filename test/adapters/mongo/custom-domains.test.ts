import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createCustomDomainStore } from '../../../adapters/mongo/custom-domains/domains.ts';
import { customDomainStoreSuite } from '../../ports/custom-domains/domain-store.ts';
import { AT, heldName, zoneMade } from '../../ports/custom-domains/records.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongo();
});
after(() => mongo.stop());

customDomainStoreSuite(() => createCustomDomainStore({ db: mongo.connection.db }));

it('of a name whose zone was made before each making was kept, the newest counts', async () => {
  const store = createCustomDomainStore({ db: mongo.connection.db });
  const record = heldName({}, { zoneMade: zoneMade({ org: 'long-ago' }) });
  await store.insert(record);
  const names = mongo.connection.db.collection<{ _id: string }>('custom_domains');
  await names.updateOne({ _id: record.domain }, { $unset: { zonesMade: '' } });
  assert.deepEqual((await store.find(record.domain))?.zonesMade, [{ org: 'long-ago', at: AT }]);
  assert.equal((await store.usageOf('long-ago', new Date(0))).zonesMade, 1);
  assert.equal((await store.usageOf('long-ago', AT)).zonesMade, 0);
});

it('a name that was kept before certificates were noted is read without one', async () => {
  const store = createCustomDomainStore({ db: mongo.connection.db });
  const record = heldName({ certificate: { notAfter: AT, servedAt: null } });
  await store.insert(record);
  const names = mongo.connection.db.collection<{ _id: string }>('custom_domains');
  await names.updateOne({ _id: record.domain }, { $unset: { 'holder.certificate': '' } });
  assert.equal((await store.find(record.domain))?.holder?.certificate, null);
});
