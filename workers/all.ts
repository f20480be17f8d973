import { fileURLToPath } from 'node:url';
import { Runtime } from '@temporalio/worker';
import { newId } from '../adapters/crypto/new-id.ts';
import { workerSection } from '../adapters/env/worker.ts';
import { processIdentity, readSecrets } from '../adapters/env.ts';
import { createLogger } from '../adapters/logging/logger.ts';
import { ownVersion } from '../adapters/own-version.ts';
import { giveBackMemoryWhenIdle } from '../adapters/process/give-back-memory.ts';
import { startHealthServer } from '../adapters/process/health-server.ts';
import { createHostProcess } from '../adapters/process/host-process.ts';
import { createTemporalClient } from '../adapters/temporal/client.ts';
import { ensureSchedules } from '../adapters/temporal/schedules.ts';
import { ensureSearchAttributes } from '../adapters/temporal/search-attributes.ts';
import { createWorker } from '../adapters/temporal/worker.ts';
import { SEARCH_ATTRIBUTES } from '../domain/search-attributes.ts';
import { TASK_QUEUE } from '../domain/task-queue.ts';
import { composeModules, readModules } from './compose-modules.ts';
import type { WorkerModule } from './module.ts';
import { MODULES } from './modules.ts';
import { temporalLogger } from './temporal-logger.ts';
import { openWorkerMetrics } from './worker-metrics.ts';

/** The worker process: every workflow, and the activities of the modules that it has settings for. */
const { settings, environments } = readModules(MODULES);
const secrets = readSecrets([workerSection, ...MODULES.map(({ section }) => section)]);
const logger = createLogger({ level: settings.logLevel, name: 'worker', secrets });
const host = createHostProcess();
const opened = new AsyncDisposableStack();
const { metrics, runtime } = await openWorkerMetrics(settings.metrics, opened);
// The process ends when told by `host`; the SDK must not install signal handlers of its own.
Runtime.install({ shutdownSignals: [], logger: temporalLogger(logger), ...runtime });

const address = { ...settings.temporal, identity: processIdentity('worker') };
const client = createTemporalClient(address);
opened.defer(() => client.connection.close());
const health = settings.health === undefined ? null : await openHealth(settings.health);
await ensureSearchAttributes(client, Object.values(SEARCH_ATTRIBUTES));
const served = await composeModules(MODULES, environments, { settings, client, logger, opened, metrics });
const worker = await createWorker({
  ...address,
  taskQueue: TASK_QUEUE,
  activities: served.activities,
  slots: served.slots,
  activityQueues: served.activityQueues,
  report: (error) => {
    const reference = newId('error');
    logger.error({ err: error, reference }, 'unexpected error in an activity');
    return reference;
  },
  workflows:
    settings.workflowBundle === undefined
      ? { entryPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)) }
      : { bundlePath: settings.workflowBundle },
});
opened.defer(() => worker.close());
const running = worker.run();
await ensureSchedules(client, {
  served: schedulesOfAll(served.modules),
  all: schedulesOfAll(MODULES),
  version: await ownVersion(),
  log: logger,
});
host.ready();
health?.ready();
giveBackMemoryWhenIdle();
logger.info({ modules: served.modules.map(({ name }) => name) }, 'worker serves');

/** It is ready while Temporal, which gives it its tasks, answers. */
async function openHealth(place: NonNullable<typeof settings.health>) {
  const check = () => client.withDeadline(Date.now() + 2_000, () => client.workflowService.getSystemInfo({}));
  const server = await startHealthServer({ ...place, portVariable: 'WORKER_HEALTH_PORT', check });
  opened.defer(() => server.close());
  return server;
}

function schedulesOfAll(modules: readonly WorkerModule[]) {
  return modules.flatMap((module) => module.schedulesBy?.(environments[module.name] ?? {}) ?? module.schedules);
}

const reason = await Promise.race([host.stopRequested, running.then(() => 'the worker ended')]);
logger.info({ reason }, 'worker stops');
health?.stopping();
worker.shutdown();
await running;
await opened.disposeAsync();
process.exit(0);
