import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createWorkloadRuntime } from '../../adapters/docker/workload-runtime.ts';
import { createServiceLogs } from '../../adapters/log-files/service-logs.ts';
import { createBuildStore } from '../../adapters/mongo/deploys/builds.ts';
import type { WorkloadRuntime } from '../../domain/deploys/workload-runtime.ts';
import { runtimeVariables } from '../../infra/dev/runtime-variables.ts';
import { createTestStack, docker, type TestStack } from '../adapters/docker/engine-fixture.ts';
import { buildRecord } from '../ports/records.ts';
import { recordingContext, workloadSpec } from '../ports/workload-runtime.ts';
import { startMongo, type TestMongo } from '../support/start-mongo.ts';
import { startTemporal, type TestTemporal } from '../support/start-temporal.ts';
import { waitUntil } from '../support/wait-until.ts';
import { testWorkflowBundle } from '../support/workflow-bundle.ts';

const PRINTER = 'i=0; while true; do i=$((i+1)); echo line $i; sleep 0.02; done';
const TARGET = { serviceId: 'svc_printer', environment: 'prod' } as const;
const KILLS = 2;
/** A look reads the whole log. */
const SELDOM = { everyMs: 500, withinMs: 60_000 };

describe('collectors that are killed, on the real engine', { timeout: 300_000 }, () => {
  let [mongo, temporal, stack, folder]: [TestMongo?, TestTemporal?, TestStack?, string?] = [];
  const collectors: ChildProcess[] = [];
  before(async () => {
    [mongo, temporal, stack, folder] = await Promise.all([
      startMongo(),
      startTemporal(),
      createTestStack(),
      mkdtemp(join(tmpdir(), 'fairlead-collector-')),
    ]);
  });
  after(async () => {
    for (const collector of collectors) collector.kill('SIGKILL');
    await stack?.dispose();
    await Promise.all([temporal?.stop(), mongo?.stop()]);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  async function startCollector(): Promise<ChildProcess> {
    assert.ok(mongo && temporal && stack && folder);
    const { PATH = '', HOME = '', DOCKER_HOST = '' } = process.env;
    const child = fork(join(import.meta.dirname, 'collector-child.ts'), [], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: {
        ...runtimeVariables(process.env),
        ...{ PATH, HOME, DATA_DIR: folder, STACK_ID: stack.stackId, MONGODB_URI: mongo.uri },
        ...(DOCKER_HOST === '' ? {} : { DOCKER_HOST }),
        ...{ TEMPORAL_ADDRESS: temporal.address, WORKFLOW_BUNDLE: (await testWorkflowBundle()).codePath },
      },
    });
    collectors.push(child);
    await once(child, 'message', { signal: AbortSignal.timeout(60_000) });
    return child;
  }

  async function startPrinter(runtime: WorkloadRuntime, image: string) {
    assert.ok(mongo);
    const spec = workloadSpec(image, { buildId: 'bld_printer', service: 'printer', environment: 'prod' });
    const record = buildRecord({ id: 'bld_printer', service: 'printer', serviceId: TARGET.serviceId });
    await createBuildStore({ db: mongo.connection.db, now: () => new Date() }).create(record);
    return await runtime.start(spec, recordingContext());
  }

  it('are followed by others; together they write every line once', { timeout: 200_000 }, async () => {
    assert.ok(stack && folder);
    const { stackId, registry } = stack;
    const image = await stack.pushed('printer', {
      Dockerfile: `FROM alpine\nUSER 1001\nCMD ["sh", "-c", "${PRINTER}"]\n`,
    });
    const runtime = createWorkloadRuntime({ docker, stackId, registry, now: () => new Date() });
    const workload = await startPrinter(runtime, image);
    const logs = createServiceLogs({ directory: join(folder, 'service-logs') });
    const texts = async (): Promise<string[]> => {
      const { lines } = await logs.last(TARGET, { count: 10_000, matches: () => true });
      return lines.map(({ line }) => line.text);
    };
    let collector = await startCollector();
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = (await texts()).length;
      await waitUntil('more lines', async () => (await texts()).length > before + 100, SELDOM);
      // One that waits for its turn, as the second of two workers does.
      const next = await startCollector();
      collector.kill('SIGKILL');
      collector = next;
    }
    const written = (await texts()).length;
    await waitUntil('lines of the last one', async () => (await texts()).length > written + 100, SELDOM);
    await runtime.remove(workload, 0);
    const all = await texts();
    assert.deepEqual(
      all,
      Array.from({ length: all.length }, (_, index) => `line ${index + 1}`),
    );
  });
});
