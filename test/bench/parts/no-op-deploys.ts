import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { Runtime } from '@temporalio/worker';
import { ensureSearchAttributes } from '../../../adapters/temporal/search-attributes.ts';
import { temporalTls } from '../../../adapters/temporal/tls.ts';
import { createWorker, type QueueWorker } from '../../../adapters/temporal/worker.ts';
import { createWorkflowDirectory } from '../../../adapters/temporal/workflow-directory.ts';
import type { BuildRequest } from '../../../domain/deploys/build.ts';
import { mostBuilds } from '../../../domain/deploys/build-slots.ts';
import { BUILD_SLOTS_WORKFLOW_ID, buildWorkflowId, coordinatorWorkflowId } from '../../../domain/deploys/messages.ts';
import { SEARCH_ATTRIBUTES } from '../../../domain/search-attributes.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import type { PartState } from '../../../infra/dev/stack-state.ts';
import { temporalCertificates } from '../../../infra/dev/temporal-certificates.ts';
import { createFakeActivities } from '../../workflows/deploys/harness.ts';
import { countCalls } from './count-calls.ts';
import type { BareCall } from './overhead-workflows.ts';
import { textOf } from './text-of.ts';

/** Deploys whose every effect is a no-op, on the Temporal server of a stack, and the bare workflow they are held against. */
export interface NoOpDeploys {
  readonly client: Client;
  /** What a deploy called until its build had ended, when nothing else asked for a slot. */
  readonly callsOf: (request: BuildRequest) => Promise<readonly BareCall[]>;
  /** Waits for the end of a build that was requested; its coordinator starts it a moment after it accepted the request. */
  readonly ended: (request: BuildRequest) => Promise<void>;
  /** One workflow that calls activities that do nothing, and does nothing else. */
  readonly runBare: (workflowId: string, calls: readonly BareCall[]) => Promise<void>;
  readonly stop: () => Promise<void>;
}

const { Duration } = proto.google.protobuf;
const NAMESPACE = 'bench';
/** Requests of hundreds of builds that have not begun would take from those that are measured. */
const LOOK_EVERY_MS = 100;
/** As the activities of the bench answer requests for slots; the default of BUILD_CONCURRENCY. */
export const SLOTS = 3;

/** @param name of the bench, for the error where no stack runs */
export async function startNoOpDeploys(name: string): Promise<NoOpDeploys> {
  const dataDir = process.env.FAIRLEAD_TEST_STACK;
  if (dataDir === undefined) throw new Error(`run it by npm run bench -- ${name}, which starts a stack`);
  const address = await temporalAddress(dataDir);
  const tls = temporalTls(temporalCertificates(dataDir).client);
  const connection = await Connection.connect({ address, tls });
  await createNamespace(connection);
  const client = new Client({ connection, namespace: NAMESPACE });
  await ensureSearchAttributes(client, Object.values(SEARCH_ATTRIBUTES));
  Runtime.install({ logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error: console.error } });
  const worker = await createNoOpWorker(client, { address, dataDir });
  const running = worker.run();
  return {
    client,
    callsOf: ({ buildId, service, environment }) => {
      const coordinator = coordinatorWorkflowId(service, environment);
      return countCalls(client, [coordinator, buildWorkflowId(buildId), BUILD_SLOTS_WORKFLOW_ID]);
    },
    ended: ({ buildId }) => resultOf(client, buildWorkflowId(buildId)),
    runBare: async (workflowId, calls) => {
      await client.workflow.execute('callNothing', { workflowId, taskQueue: TASK_QUEUE, args: [calls] });
    },
    stop: async () => {
      worker.shutdown();
      await running;
      await worker.close();
      await connection.close();
    },
  };
}

/** As the platform's own worker is made. */
async function createNoOpWorker(
  client: Client,
  { address, dataDir }: { readonly address: string; readonly dataDir: string },
): Promise<QueueWorker> {
  const { activities } = createFakeActivities(createWorkflowDirectory(client));
  return await createWorker({
    address,
    tls: temporalCertificates(dataDir).client,
    namespace: NAMESPACE,
    identity: 'bench',
    taskQueue: TASK_QUEUE,
    activities: { ...activities, nothing: async (_input: string, resultBytes: number) => textOf(resultBytes) },
    slots: mostBuilds(SLOTS) + 15,
    activityQueues: [],
    report: () => 'err_test',
    workflows: { entryPath: fileURLToPath(new URL('overhead-workflows.ts', import.meta.url)) },
  });
}

async function resultOf(client: Client, workflowId: string): Promise<void> {
  for (;;) {
    try {
      return await client.workflow.getHandle(workflowId).result();
    } catch (error) {
      if (!(error instanceof Error && error.name === 'WorkflowNotFoundError')) throw error;
      await delay(LOOK_EVERY_MS);
    }
  }
}

/** A namespace of its own, so that the stack's worker takes none of the work. */
async function createNamespace({ workflowService }: Connection): Promise<void> {
  await workflowService.registerNamespace({
    namespace: NAMESPACE,
    workflowExecutionRetentionPeriod: Duration.fromObject({ seconds: 86_400 }),
  });
}

async function temporalAddress(dataDir: string): Promise<string> {
  const parts: Record<string, PartState> = JSON.parse(await readFile(join(dataDir, 'state.json'), 'utf8'));
  return parts.temporal?.address ?? 'localhost:7233';
}
