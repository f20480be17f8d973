import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { WorkflowNotFoundError } from '@temporalio/client';
import { findDockerCli } from '../../adapters/docker/docker-cli.ts';
import { describeApp } from '../../domain/deploys/app/describe-app.ts';
import { generateContainerFile } from '../../domain/deploys/container-file/generate-container-file.ts';
import { cleanUpWorkflowId } from '../../domain/deploys/messages.ts';
import {
  completed,
  copyApp,
  createService,
  dataFolder,
  parts,
  removeService,
  repositoryOf,
  trigger,
  uniqueName,
  visit,
} from '../e2e/harness.ts';
import { temporalClient } from '../e2e/sample-service.ts';
import { freePort } from '../support/free-port.ts';
import { stackDatabaseUri } from '../support/stack-database.ts';
import { waitUntil } from '../support/wait-until.ts';
import { databaseServerAt } from './parts/database-server.ts';
import { median } from './parts/median.ts';

/**
 * A redeploy of an unchanged express app, from the trigger to a healthy answer at its public address, against plain
 * `docker build && docker push && docker run` and the first 200, with the same container file on the same machine and no
 * limits on the container. Each round waits until everything of the one before is over: our clean-up after the build,
 * which stops the replaced workload, and the removal of the plain container.
 */
export const needsStack = true;

const ROUNDS = 5;
const APP = 'express-npm';
/** A clean-up lets the replaced workload finish its requests first. */
const CLEAN_UP_MS = 60_000;
const run = promisify(execFile);

const service = uniqueName('redeploy');
await using repository = await repositoryOf(APP, service);
await createService(service, { gitUrl: repository.path });
const raw = await prepareRaw();
const database = await databaseServerAt(await stackDatabaseUri(dataFolder(), (await parts()).mongo?.address));
await using temporal = await temporalClient();
const fairlead: number[] = [];
const docker: number[] = [];
const whole: number[] = [];
try {
  for (let round = -1; round < ROUNDS; round += 1) {
    const deploy = await timeDeploy();
    const bare = await raw.time();
    if (round < 0) continue; // fills the caches of both
    fairlead.push(deploy.healthy);
    whole.push(deploy.completed);
    docker.push(bare);
  }
} finally {
  await removeService(service);
  await raw.remove();
}

console.log(`database: ${database}`);
console.log(`fairlead, trigger to healthy: ${seconds(fairlead)}; to completed: ${seconds(whole)}`);
console.log(`docker build, push, run, 200: ${seconds(docker)}`);
console.log(`deploy-redeploy: ${(median(fairlead) / median(docker)).toFixed(2)}`);

async function timeDeploy(): Promise<{ healthy: number; completed: number }> {
  const startedAt = Date.now();
  const { buildId } = await trigger(service);
  const build = await completed(buildId);
  const end = Date.now() - startedAt;
  const healthy = build.steps.find(({ key }) => key === 'health-check')?.finishedAt;
  if (healthy == null) throw new Error(`${buildId} completed without a health check`);
  if ((await visit(service)).status !== 200) throw new Error(`${service} does not answer`);
  await cleanedUp(buildId);
  const steps = build.steps.filter(({ durationMs }) => durationMs !== null);
  console.log(`${buildId}: ${steps.map(({ key, durationMs }) => `${key} ${durationMs}`).join(', ')} ms`);
  return { healthy: Date.parse(healthy) - startedAt, completed: end };
}

/** Waits for what follows a build: nothing of it may run beside what is measured next. */
async function cleanedUp(buildId: string): Promise<void> {
  const handle = temporal.client.workflow.getHandle(cleanUpWorkflowId(buildId));
  const ended = async () => {
    const { status } = await handle.describe().catch(ignoreMissing);
    return status?.name === 'COMPLETED';
  };
  await waitUntil(`the clean-up after ${buildId}`, ended, { withinMs: CLEAN_UP_MS });
}

/** It is started a moment after the build has ended. */
function ignoreMissing(error: unknown): { readonly status?: { readonly name: string } } {
  if (error instanceof WorkflowNotFoundError) return {};
  throw error;
}

/** The same app and container file, built by hand the way Fairlead builds. */
async function prepareRaw() {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-raw-'));
  await copyApp(APP, folder);
  const source = {
    files: await readdir(folder),
    texts: { 'package.json': await readFile(join(folder, 'package.json'), 'utf8') },
  };
  const app = describeApp(source, { framework: 'express', port: null, healthEndpoint: '/health' });
  const cli = await findDockerCli({ env: { PATH: process.env.PATH ?? '' }, signal: AbortSignal.timeout(30_000) });
  const generated = generateContainerFile(app, { secretsEnabled: false, cacheMounts: cli.buildkit });
  for (const { path, text, mode } of generated.files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { mode: mode ?? 0o644 });
  }
  const registry = (await parts())['image-registry']?.address ?? 'localhost:5050';
  const tag = `${registry}/raw-${service}:latest`;
  const call = (...args: string[]) =>
    run(cli.path, args, {
      env: {
        ...process.env,
        DOCKER_CONFIG: join(dataFolder(), 'docker-client'),
        DOCKER_BUILDKIT: cli.buildkit ? '1' : '0',
      },
      maxBuffer: 64 * 1024 ** 2,
    });
  return {
    time: async () => {
      const port = await freePort();
      const startedAt = Date.now();
      await call('build', '--network', 'host', '--file', join(folder, generated.dockerfile), '--tag', tag, folder);
      await call('push', tag);
      const { stdout } = await call('run', '-d', '-p', `127.0.0.1:${port}:${app.port.value}`, tag);
      await waitUntil('the first 200', () => answers(port));
      const took = Date.now() - startedAt;
      await call('rm', '-f', stdout.trim());
      return took;
    },
    remove: async () => {
      await call('rmi', '-f', tag);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function answers(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  request({ host: '127.0.0.1', port, path: '/health', agent: false }, (response) => {
    response.resume();
    resolve(response.statusCode === 200);
  })
    .on('error', () => resolve(false))
    .end();
  return promise;
}

function seconds(values: readonly number[]): string {
  return `${(median(values) / 1000).toFixed(2)} s (${values.map((ms) => (ms / 1000).toFixed(2)).join(' ')})`;
}
