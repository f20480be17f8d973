import { after } from 'node:test';
import { ensureIndexes } from '../../../../adapters/mongo/ensure-indexes.ts';
import { COLLECTIONS, INDEXES } from '../../../../adapters/mongo/search-pulls/indexes.ts';
import { createPulledProperties, createPullRunStore } from '../../../../adapters/mongo/search-pulls/pull-runs.ts';
import { createSearchRowStore } from '../../../../adapters/mongo/search-pulls/rows.ts';
import { createSearchWindowStore } from '../../../../adapters/mongo/search-pulls/windows.ts';
import { searchRowStoreSuite } from '../../../ports/search-pulls/row-store.ts';
import {
  pulledPropertiesSuite,
  pullRunStoreSuite,
  searchWindowStoreSuite,
} from '../../../ports/search-pulls/stores.ts';
import { startMongo } from '../../../support/start-mongo.ts';

const mongo = await startMongo();
const { db } = mongo.connection;
after(() => mongo.stop());
await ensureIndexes(db, INDEXES);

const rows = createSearchRowStore({ db });
searchRowStoreSuite(
  () => rows,
  (property) => db.collection(COLLECTIONS.parts).countDocuments({ of: new RegExp(`^${property}/`) }),
);
const windows = createSearchWindowStore({ db });
searchWindowStoreSuite(() => windows);
const runs = createPullRunStore({ db });
pullRunStoreSuite(() => runs);
const pulled = createPulledProperties({ db });
pulledPropertiesSuite(() => pulled);
