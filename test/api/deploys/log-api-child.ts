import { createServiceLogs } from '../../../adapters/log-files/service-logs.ts';
import { createInMemoryBuilderParts } from '../../support/in-memory/builder-parts.ts';
import { startApi } from '../../support/start-api.ts';

/** A builder with the logs of services in the folder that is its argument. Tells its address, and its memory when asked. */
const serviceLogs = createServiceLogs({ directory: process.argv[2] ?? '' });
const api = await startApi(null, null, { ...createInMemoryBuilderParts(), serviceLogs });
await api.services.upsert({ id: 'svc_shop', name: 'shop', org: 'acme' }, {});
process.on('message', () => {
  globalThis.gc?.();
  // What the test's own logger keeps is none of the builder's.
  api.logged.length = 0;
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send?.({ heldBytes: heapUsed + external, rss });
});
process.send?.({ address: api.address });
