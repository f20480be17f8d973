import { serviceLogsSuite } from '../../ports/service-logs.ts';
import { createInMemoryServiceLogs } from './service-logs.ts';

serviceLogsSuite(async (options) => createInMemoryServiceLogs(options));
