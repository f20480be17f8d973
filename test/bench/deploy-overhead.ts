import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { bundleWorkflowCode, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { createActivityInterceptor } from '../../adapters/temporal/activity-interceptor.ts';
import { createDeployCommands } from '../../adapters/temporal/deploy-commands.ts';
import { ensureSearchAttributes } from '../../adapters/temporal/search-attributes.ts';
import { temporalTls } from '../../adapters/temporal/tls.ts';
import { createWorkflowDirectory } from '../../adapters/temporal/workflow-directory.ts';
import type { BuildRequest } from '../../domain/deploys/build.ts';
import { BUILD_SLOTS_WORKFLOW_ID, buildWorkflowId, coordinatorWorkflowId } from '../../domain/deploys/messages.ts';
import { SEARCH_ATTRIBUTES } from '../../domain/search-attributes.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import type { PartState } from '../../infra/dev/stack-state.ts';
import { temporalCertificates } from '../../infra/dev/temporal-certificates.ts';
import { buildRequest } from '../ports/records.ts';
import { createFakeActivities } from '../workflows/deploys/harness.ts';
import { countCalls } from './parts/count-calls.ts';
import { median } from './parts/median.ts';
import type { BareCalls } from './parts/overhead-workflows.ts';
import { deployPhases } from './parts/phases.ts';

/**
 * What orchestration costs: a deploy whose every effect is a no-op (request to end of the build, through coordinator,
 * build and slots), against one bare workflow that calls as many no-op activities, on the same worker and server. How
 * many that are is counted in the histories of a deploy's workflows.
 */
export const needsStack = true;

const { Duration } = proto.google.protobuf;

const ROUNDS = 10;
const NAMESPACE = 'bench';

const address = await temporalAddress();
const tls = temporalTls(temporalCertificates(process.env.FAIRLEAD_TEST_STACK ?? '').client);
const connection = await Connection.connect({ address, tls });
await createNamespace(connection);
const client = new Client({ connection, namespace: NAMESPACE });
await ensureSearchAttributes(client, Object.values(SEARCH_ATTRIBUTES));
const { worker, native } = await createBenchWorker(client);
const running = worker.run();

const requests: BuildRequest[] = [];
const deploys: number[] = [];
const bare: number[] = [];
await timeDeploy(client);
const calls = await callsOf(lastRequest());
for (let round = -2; round < ROUNDS; round += 1) {
  const times = { deploy: await timeDeploy(client), bare: await timeBare(client, round, calls) };
  if (round < 0) continue; // warm-up
  deploys.push(times.deploy);
  bare.push(times.bare);
}
const phases = await deployPhases(client, lastRequest());
worker.shutdown();
await running;
await native.close();
await connection.close();

const [deploy, baseline] = [median(deploys), median(bare)];
console.log(`database: none; activities without effects`);
console.log(`a deploy calls ${calls.remote} activities and ${calls.local} local ones`);
console.log(`deploy with no effects: ${deploy.toFixed(0)} ms (${deploys.map(Math.round).join(' ')})`);
console.log(`bare workflow: ${baseline.toFixed(0)} ms (${bare.map(Math.round).join(' ')})`);
for (const { name, ms } of phases) console.log(`  last deploy, ${name}: ${ms} ms`);
console.log(`deploy-overhead: ${(deploy / baseline).toFixed(2)}`);
process.exit(0);

async function timeDeploy(client: Client): Promise<number> {
  const request = buildRequest();
  requests.push(request);
  const startedAt = performance.now();
  await createDeployCommands(client).request(request);
  // The coordinator starts the build a moment after it accepted the request.
  for (;;) {
    try {
      await client.workflow.getHandle(buildWorkflowId(request.buildId)).result();
      return performance.now() - startedAt;
    } catch (error) {
      if (!(error instanceof Error && error.name === 'WorkflowNotFoundError')) throw error;
    }
  }
}

function lastRequest(): BuildRequest {
  const request = requests.at(-1);
  if (request === undefined) throw new Error('nothing was deployed');
  return request;
}

/** What a deploy calls until its build has ended. Nothing else asked for a slot by then. */
function callsOf({ buildId, service, environment }: BuildRequest): Promise<BareCalls> {
  const coordinator = coordinatorWorkflowId(service, environment);
  return countCalls(client, [coordinator, buildWorkflowId(buildId), BUILD_SLOTS_WORKFLOW_ID]);
}

async function timeBare(client: Client, round: number, calls: BareCalls): Promise<number> {
  const startedAt = performance.now();
  await client.workflow.execute('callNothing', {
    workflowId: `bare/${round}`,
    taskQueue: TASK_QUEUE,
    args: [calls],
  });
  return performance.now() - startedAt;
}

async function createBenchWorker(client: Client) {
  Runtime.install({ logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error: console.error } });
  const native = await NativeConnection.connect({ address, tls });
  const { activities } = createFakeActivities(createWorkflowDirectory(client));
  const worker = await Worker.create({
    connection: native,
    namespace: NAMESPACE,
    taskQueue: TASK_QUEUE,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('parts/overhead-workflows.ts', import.meta.url)),
    }),
    activities: { ...activities, nothing: async () => undefined },
    interceptors: { activity: [() => ({ inbound: createActivityInterceptor(() => 'err_test') })] },
  });
  return { worker, native };
}

/** A namespace of its own, so that the stack's worker takes none of the work. */
async function createNamespace({ workflowService }: Connection): Promise<void> {
  await workflowService.registerNamespace({
    namespace: NAMESPACE,
    workflowExecutionRetentionPeriod: Duration.fromObject({ seconds: 86_400 }),
  });
}

async function temporalAddress(): Promise<string> {
  const folder = process.env.FAIRLEAD_TEST_STACK;
  if (folder === undefined) throw new Error('run it by npm run bench -- deploy-overhead, which starts a stack');
  const parts: Record<string, PartState> = JSON.parse(await readFile(join(folder, 'state.json'), 'utf8'));
  return parts.temporal?.address ?? 'localhost:7233';
}
