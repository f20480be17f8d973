import { after, before } from 'node:test';
import { createAcmeAccounts, createOrderLog } from '../../../adapters/mongo/custom-domains/acme.ts';
import { CERTIFICATE_INDEXES } from '../../../adapters/mongo/custom-domains/certificate-indexes.ts';
import { createCertificateRecords } from '../../../adapters/mongo/custom-domains/certificates.ts';
import { ensureIndexes } from '../../../adapters/mongo/ensure-indexes.ts';
import { acmeAccountsSuite, certificateRecordsSuite, orderLogSuite } from '../../ports/certificate-stores.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';

let mongo: TestMongo;
before(async () => {
  mongo = await startMongo();
  await ensureIndexes(mongo.connection.db, CERTIFICATE_INDEXES);
});
after(() => mongo.stop());

const deps = () => ({ db: mongo.connection.db });

certificateRecordsSuite(() => createCertificateRecords(deps()));
orderLogSuite(() => createOrderLog(deps()));
acmeAccountsSuite(() => createAcmeAccounts(deps()));
