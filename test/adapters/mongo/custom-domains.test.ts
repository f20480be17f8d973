import { after, before } from 'node:test';
import { createCustomDomainStore } from '../../../adapters/mongo/custom-domains/domains.ts';
import { customDomainStoreSuite } from '../../ports/custom-domains/domain-store.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongo();
});
after(() => mongo.stop());

customDomainStoreSuite(() => createCustomDomainStore({ db: mongo.connection.db }));
