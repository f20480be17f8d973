import { fileURLToPath } from 'node:url';
import { Runtime } from '@temporalio/worker';
import { processIdentity, readWorkerEnv } from '../adapters/env.ts';
import { createLogger } from '../adapters/logging/logger.ts';
import { createBuilderIndexes } from '../adapters/mongo/builder-database.ts';
import { connectMongo } from '../adapters/mongo/connect.ts';
import { createHostProcess } from '../adapters/process/host-process.ts';
import { createTemporalClient } from '../adapters/temporal/client.ts';
import { ensureSchedules } from '../adapters/temporal/schedules.ts';
import { ensureSearchAttributes } from '../adapters/temporal/search-attributes.ts';
import { createWorker } from '../adapters/temporal/worker.ts';
import { SEARCH_ATTRIBUTES } from '../domain/search-attributes.ts';
import { TASK_QUEUE } from '../domain/task-queue.ts';
import { SCHEDULES } from '../workflows/schedules.ts';
import { composeAuditLedger } from './audit-ledger.ts';
import { composeDeploys } from './deploys.ts';
import { composeIdentity } from './identity.ts';

/** The composition root of the worker: every module's activities on the one task queue. */
const env = readWorkerEnv();
const logger = createLogger({ level: env.LOG_LEVEL, name: 'worker' });
const host = createHostProcess();
// The process ends when told by `host`; the SDK must not install signal handlers of its own.
Runtime.install({ shutdownSignals: [], logger: temporalLogger() });

const address = {
  address: env.TEMPORAL_ADDRESS,
  namespace: env.TEMPORAL_NAMESPACE,
  identity: processIdentity('worker'),
};
const mongo = await connectMongo(env.MONGODB_URI, 'fairlead-worker');
await createBuilderIndexes(mongo.db);
const client = createTemporalClient(address);
await ensureSearchAttributes(client, Object.values(SEARCH_ATTRIBUTES));
const workflows =
  env.WORKFLOW_BUNDLE === undefined
    ? { entryPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)) }
    : { bundlePath: env.WORKFLOW_BUNDLE };
const identity = composeIdentity(env);
const auditLedger = await composeAuditLedger(env);
const deploys = await composeDeploys({ env, mongo, client, logger });
const { worker, connection } = await createWorker({
  ...address,
  taskQueue: TASK_QUEUE,
  activities: { ...deploys, ...identity, ...auditLedger?.activities },
  workflows,
});
const running = worker.run();
const modules = new Set(['deploys', ...(identity ? ['identity'] : []), ...(auditLedger ? ['audit-ledger'] : [])]);
await ensureSchedules(
  client,
  SCHEDULES.filter(({ module }) => modules.has(module)),
);
host.ready();
logger.info({ modules: [...modules] }, 'worker serves');

const reason = await Promise.race([host.stopRequested, running.then(() => 'the worker ended')]);
logger.info({ reason }, 'worker stops');
if (worker.getState() === 'RUNNING') worker.shutdown();
await running;
await connection.close();
await client.connection.close();
await Promise.all([mongo.close(), auditLedger?.close()]);
process.exit(0);

/** The SDK's own lines, in the same log. */
function temporalLogger() {
  const at = (level: 'debug' | 'info' | 'warn' | 'error') => (message: string, meta?: object) =>
    logger[level](meta ?? {}, message);
  return {
    trace: at('debug'),
    debug: at('debug'),
    info: at('debug'),
    warn: at('warn'),
    error: at('error'),
    log: (_level: string, message: string, meta?: object) => logger.info(meta ?? {}, message),
  };
}
