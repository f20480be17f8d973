import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { startupNanoCpus } from '../../adapters/docker/cpu-limit.ts';
import { findDockerCli } from '../../adapters/docker/docker-cli.ts';
import { DEFAULT_POD_TIER, POD_TIERS } from '../../domain/catalog/pod-tiers.ts';
import { generateContainerFile } from '../../domain/deploys/container-file/generate-container-file.ts';
import {
  completed,
  copyApp,
  createService,
  parts,
  removeService,
  repositoryOf,
  trigger,
  uniqueName,
  visit,
} from '../e2e/harness.ts';
import { freePort } from '../support/free-port.ts';
import { waitUntil } from '../support/wait-until.ts';
import { median } from './parts/median.ts';

/**
 * A redeploy of an unchanged express app, from the trigger to a healthy answer at its public address, against raw
 * `docker build && docker push && docker run` and the first 200, with the same container file on the same machine and
 * within the limits of the tier from its first moment. Fairlead holds a workload to its tier's CPU only from readiness
 * on, so part of the figure is that its app starts on more CPU. The overhead of Fairlead itself is the other ratio
 * printed: against raw docker that starts on the same CPU as Fairlead's workloads.
 */
export const needsStack = true;

const ROUNDS = 5;
const APP = 'express-npm';
const { cpuLimitMillis, memoryLimitBytes } = POD_TIERS[DEFAULT_POD_TIER];
const MEMORY_LIMIT = ['--memory', String(memoryLimitBytes)];
const TIER_LIMITS = ['--cpus', String(cpuLimitMillis / 1000), ...MEMORY_LIMIT];
const STARTUP_LIMITS = [
  '--cpus',
  String(startupNanoCpus(POD_TIERS[DEFAULT_POD_TIER], availableParallelism()) / 1e9),
  ...MEMORY_LIMIT,
];
const run = promisify(execFile);

const service = uniqueName('redeploy');
await using repository = await repositoryOf(APP, service);
await createService(service, { gitUrl: repository.path });
const raw = await prepareRaw();
const fairlead: number[] = [];
const docker: number[] = [];
const sameStart: number[] = [];
const whole: number[] = [];
try {
  for (let round = -1; round < ROUNDS; round += 1) {
    const deploy = await timeDeploy();
    const bare = await raw.time(TIER_LIMITS);
    const alike = await raw.time(STARTUP_LIMITS);
    if (round < 0) continue; // fills the caches of both
    fairlead.push(deploy.healthy);
    whole.push(deploy.completed);
    docker.push(bare);
    sameStart.push(alike);
  }
} finally {
  await removeService(service);
  await raw.remove();
}

console.log(`fairlead, trigger to healthy: ${seconds(fairlead)}; to completed: ${seconds(whole)}`);
console.log(`docker build, push, run, 200, within the limits of the tier: ${seconds(docker)}`);
console.log(`docker build, push, run, 200, on the CPU Fairlead starts with: ${seconds(sameStart)}`);
console.log(`against raw docker on the same startup CPU: ${(median(fairlead) / median(sameStart)).toFixed(2)}`);
console.log(`deploy-redeploy: ${(median(fairlead) / median(docker)).toFixed(2)}`);

async function timeDeploy(): Promise<{ healthy: number; completed: number }> {
  const startedAt = Date.now();
  const { buildId } = await trigger(service);
  const build = await completed(buildId);
  const end = Date.now() - startedAt;
  const healthy = build.steps.find(({ key }) => key === 'health-check')?.finishedAt;
  if (healthy == null) throw new Error(`${buildId} completed without a health check`);
  if ((await visit(service)).status !== 200) throw new Error(`${service} does not answer`);
  const steps = build.steps.filter(({ durationMs }) => durationMs !== null);
  console.log(`${buildId}: ${steps.map(({ key, durationMs }) => `${key} ${durationMs}`).join(', ')} ms`);
  return { healthy: Date.parse(healthy) - startedAt, completed: end };
}

/** The same app and container file, built by hand the way Fairlead builds. */
async function prepareRaw() {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-raw-'));
  await copyApp(APP, folder);
  const generated = generateContainerFile({
    framework: 'express',
    manifest: await readFile(join(folder, 'package.json'), 'utf8'),
    files: await readdir(folder),
    port: null,
    healthEndpoint: '/health',
    secretsEnabled: false,
  });
  for (const { path, text, mode } of generated.files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { mode: mode ?? 0o644 });
  }
  const cli = await findDockerCli({ env: { PATH: process.env.PATH ?? '' }, signal: AbortSignal.timeout(30_000) });
  const registry = (await parts()).registry?.address ?? 'localhost:5050';
  const tag = `${registry}/raw-${service}:latest`;
  const call = (...args: string[]) =>
    run(cli.path, args, {
      env: { ...process.env, DOCKER_BUILDKIT: cli.buildkit ? '1' : '0' },
      maxBuffer: 64 * 1024 ** 2,
    });
  return {
    time: async (limits: readonly string[]) => {
      const port = await freePort();
      const startedAt = Date.now();
      await call('build', '--network', 'host', '--file', join(folder, generated.dockerfile), '--tag', tag, folder);
      await call('push', tag);
      const { stdout } = await call('run', '-d', ...limits, '-p', `127.0.0.1:${port}:${generated.port}`, tag);
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
