import { createLogger } from '../../adapters/logging/logger.ts';
import { createTemporalClient } from '../../adapters/temporal/client.ts';
import { ensureSchedules } from '../../adapters/temporal/schedules.ts';
import { createWorker } from '../../adapters/temporal/worker.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { composeModules, readModules } from '../../workers/compose-modules.ts';
import { logs } from '../../workers/logs.ts';

/** A worker that serves the module `logs` alone, until it is killed. Says `ready` once it serves. */
const modules = [logs];
const { settings, environments } = readModules(modules);
const logger = createLogger({ level: 'error', name: 'collector', secrets: [] });
const address = { ...settings.temporal, identity: `collector ${process.pid}` };
const client = createTemporalClient(address);
const served = await composeModules(modules, environments, {
  ...{ settings, client, logger, metrics: null },
  opened: new AsyncDisposableStack(),
});
const worker = await createWorker({
  ...address,
  taskQueue: TASK_QUEUE,
  activities: {},
  slots: 1,
  activityQueues: served.activityQueues,
  report: () => 'err_test',
  workflows: { bundlePath: process.env.WORKFLOW_BUNDLE ?? '' },
});
const running = worker.run();
await ensureSchedules(client, { served: logs.schedules, all: logs.schedules, version: '0.0.1', log: logger });
process.send?.('ready');
await running;
