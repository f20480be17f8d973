import { acmeAccountsSuite, certificateRecordsSuite, orderLogSuite } from '../../ports/certificate-stores.ts';
import {
  createInMemoryAcmeAccounts,
  createInMemoryCertificateRecords,
  createInMemoryOrderLog,
} from './certificate-stores.ts';

certificateRecordsSuite(createInMemoryCertificateRecords);
orderLogSuite(createInMemoryOrderLog);
acmeAccountsSuite(createInMemoryAcmeAccounts);
