import { propertyStoreSuite } from '../../ports/properties/property-store.ts';
import { quotaCountersSuite } from '../../ports/properties/quota-counters.ts';
import { verifyJobStoreSuite } from '../../ports/properties/verify-jobs.ts';
import { createInMemoryPropertyStore } from './property-store.ts';
import { createInMemoryQuotaCounters } from './quota-counters.ts';
import { createInMemoryVerifyJobStore } from './verify-jobs.ts';

const properties = createInMemoryPropertyStore();
propertyStoreSuite(() => properties);

const counters = createInMemoryQuotaCounters();
quotaCountersSuite(() => counters);

const jobs = createInMemoryVerifyJobStore();
verifyJobStoreSuite(() => jobs);
