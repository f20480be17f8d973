import { fileURLToPath } from 'node:url';
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { createWorker } from '../../adapters/temporal/worker.ts';
import { createWorkflowDirectory } from '../../adapters/temporal/workflow-directory.ts';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import { buildWorkflowId } from '../../domain/deploys/messages.ts';
import { moduleTaskQueue, TASK_QUEUE } from '../../domain/task-queue.ts';
import { buildRequest } from '../ports/records.ts';
import { createFakeActivities, planOf } from '../workflows/deploys/harness.ts';
import { waitUntil } from './wait-until.ts';

/** The queue of `long-work-workflows.ts`, by name: that file is for the workflow sandbox. */
const LONG_QUEUE = moduleTaskQueue('long-work');
const LONG_SLOTS = 30;

/** A worker as the platform has it, with a module beside deploys whose activities last for hours. */
export async function startWorkerWithLongWork(client: Client, address: { address: string; namespace: string }) {
  let held = 0;
  const firstSteps = new Map<string, (startedAt: number) => void>();
  const { activities } = createFakeActivities(createWorkflowDirectory(client), {
    fetchSource: async ({ build }) => {
      firstSteps.get(build.buildId)?.(performance.now());
      return { facts: {} };
    },
  });
  const holdSlot = async (): Promise<void> => {
    const { cancelled, heartbeat } = Context.current();
    const timer = setInterval(() => heartbeat(), 1_000);
    held += 1;
    await cancelled.finally(() => clearInterval(timer));
  };
  const worker = await createWorker({
    ...{ ...address, identity: 'long-work', taskQueue: TASK_QUEUE, activities, slots: 18 },
    report: () => 'err_test',
    activityQueues: [{ taskQueue: LONG_QUEUE, activities: { holdSlot }, slots: LONG_SLOTS }],
    workflows: { entryPath: fileURLToPath(new URL('./long-work-workflows.ts', import.meta.url)) },
  });
  const running = worker.run();
  return {
    /** Has all slots of the long work taken, and `waiting` more activities wait for one. */
    async hold(waiting: number): Promise<void> {
      const args = [LONG_SLOTS + waiting];
      await client.workflow.start('holdSlots', { taskQueue: TASK_QUEUE, workflowId: 'long-work', args });
      await waitUntil('all slots of the long work are taken', () => held === LONG_SLOTS);
    },
    running: () => held,
    /** How many activities of the long work have not been begun. */
    async waiting(): Promise<number> {
      const { raw } = await client.workflow.getHandle('long-work').describe();
      return (raw.pendingActivities ?? []).filter(({ lastStartedTime }) => lastStartedTime == null).length;
    },
    /** Milliseconds from the start of a build to the start of its first step. */
    async firstStep(request: BuildRequest = buildRequest()): Promise<number> {
      const begun = new Promise<number>((resolve) => firstSteps.set(request.buildId, resolve));
      const startedAt = performance.now();
      const workflowId = buildWorkflowId(request.buildId);
      const args = [request, planOf(request)];
      const handle = await client.workflow.start('runBuild', { taskQueue: TASK_QUEUE, workflowId, args });
      const ms = (await begun) - startedAt;
      await handle.result();
      return ms;
    },
    async stop(): Promise<void> {
      const handle = client.workflow.getHandle('long-work');
      await handle.terminate('the end').catch(() => undefined);
      worker.shutdown();
      await running;
      await worker.close();
    },
  };
}
