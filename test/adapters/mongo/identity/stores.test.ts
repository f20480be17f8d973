import { after } from 'node:test';
import { identityStoresSuite } from '../../../ports/identity/identity-stores.ts';
import { startMongo } from '../../../support/start-mongo.ts';

const mongo = await startMongo();
after(() => mongo.stop());
await identityStoresSuite(mongo);
