import { after } from 'node:test';
import {
  createIdentityStores,
  type IdentityStores,
} from '../../../../adapters/mongo/identity/create-identity-stores.ts';
import { createIdentityIndexes } from '../../../../adapters/mongo/identity/indexes.ts';
import type { Clock } from '../../../../domain/clock.ts';
import { clientStoreSuite } from '../../../ports/identity/client-store.ts';
import { startMongo } from '../start-mongo.ts';

const mongo = await startMongo();
after(() => mongo.stop());
await createIdentityIndexes(mongo.connection.db);

/** A store with a clock of its own: two of them see one database at two moments. */
const storeOf =
  <K extends keyof IdentityStores>(name: K) =>
  (now: Clock): IdentityStores[K] =>
    createIdentityStores({ db: mongo.connection.db, now })[name];

clientStoreSuite(storeOf('clients'));
