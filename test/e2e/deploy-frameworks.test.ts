import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { createDockerClient } from '../../adapters/docker/docker-client.ts';
import { LABELS } from '../../adapters/docker/labels.ts';
import { POD_TIERS, type PodTierName } from '../../domain/catalog/pod-tiers.ts';
import { runCli } from '../cli/run-cli.ts';
import {
  api,
  type Build,
  completed,
  connection,
  copyApp,
  createService,
  ended,
  getBuild,
  logText,
  removeService,
  repositoryOf,
  trigger,
  uniqueName,
  visit,
} from './harness.ts';

const docker = createDockerClient(process.env.DOCKER_HOST);

interface Sample {
  readonly app: string;
  readonly tier: PodTierName;
  readonly answers: RegExp;
  readonly logged: RegExp;
}

const SAMPLES: readonly Sample[] = [
  {
    app: 'express-yarn',
    tier: 'nano',
    answers: /hello from express-yarn/,
    logged: /Generated a container file for express/,
  },
  {
    app: 'express-npm',
    tier: 'nano',
    answers: /hello from express-npm/,
    logged: /Generated a container file for express/,
  },
  {
    app: 'fastify-pnpm',
    tier: 'small',
    answers: /hello from fastify-pnpm/,
    logged: /Generated a container file for fastify/,
  },
  {
    app: 'hono-npm',
    tier: 'nano',
    answers: /hello from hono-npm/,
    logged: /Generated a container file for hono/,
  },
  {
    app: 'static-site',
    tier: 'nano',
    answers: /<h1>hello from static-site/,
    logged: /Generated a container file for static/,
  },
  {
    app: 'own-dockerfile-user',
    tier: 'nano',
    answers: /"status":"ok"/,
    logged: /line 6: USER app became USER 1001/,
  },
];

const made: string[] = [];

/** A service built from a repository of the sample app, removed when the tests end. */
async function deploySample(app: string, fields: Record<string, unknown> = {}) {
  const name = uniqueName('fw');
  const repository = await repositoryOf(app, name);
  await createService(name, { gitUrl: repository.path, ...fields });
  made.push(name);
  return { name, repository, buildId: (await trigger(name)).buildId };
}

async function inspect(buildId: string) {
  const [found] = await docker.listContainers({ filters: { label: [`${LABELS.build}=${buildId}`] } });
  assert.ok(found, `a container of ${buildId} runs`);
  return await docker.getContainer(found.Id).inspect();
}

async function assertLimits(buildId: string, tier: PodTierName): Promise<void> {
  const { HostConfig: host, Config: config } = await inspect(buildId);
  const { cpuLimitMillis, memoryLimitBytes } = POD_TIERS[tier];
  assert.equal(host.Memory, memoryLimitBytes);
  assert.equal(host.MemorySwap, memoryLimitBytes, 'no swap beyond the limit');
  assert.equal(host.NanoCpus, Math.min(cpuLimitMillis * 1e6, availableParallelism() * 1e9));
  assert.equal(host.ReadonlyRootfs, true);
  assert.deepEqual(host.SecurityOpt, ['no-new-privileges:true']);
  assert.deepEqual(host.CapDrop, ['ALL']);
  assert.equal(host.Privileged, false);
  assert.match(config.User, /^[1-9]\d*(:\d+)?$/, 'a number other than 0');
  for (const binding of Object.values(host.PortBindings as Record<string, { HostIp: string }[]>).flat()) {
    assert.equal(binding.HostIp, '127.0.0.1');
  }
}

describe('from a commit to a public address', { concurrency: 3 }, () => {
  after(async () => {
    for (const name of made) await removeService(name);
  });

  for (const { app, tier, answers, logged } of SAMPLES) {
    it(`${app} answers over its address with its commit, inside the limits of tier ${tier}`, async () => {
      const { name, repository, buildId } = await deploySample(app);
      await using _ = repository;
      const build = await completed(buildId);
      const commit = await repository.git('rev-parse', 'HEAD');
      assert.equal(build.commitSha, commit);
      assert.equal(build.healthReportsCommit, true);
      const { edgePort } = await connection();
      assert.equal(build.url, `http://${name}.prod.localhost:${edgePort}`);
      const page = await visit(name);
      assert.equal(page.status, 200);
      assert.match(page.body, answers);
      const health = await visit(name, '/health');
      assert.equal(health.status, 200);
      assert.equal(JSON.parse(health.body).commit, commit);
      assert.match(await logText(buildId), logged);
      await assertLimits(buildId, tier);
    });
  }

  it('an image that would run as root is refused before it is built, with file and line', async () => {
    const { name, repository, buildId } = await deploySample('own-dockerfile-root');
    await using _ = repository;
    const build = await ended(buildId);
    assert.equal(build.status, 'failed');
    assert.deepEqual(build.failure, {
      code: 'CONTAINER_ROOT_USER',
      message:
        'Dockerfile:4: USER root: the image runs as root; set a number other than 0 as the last USER, such as "USER 1001"',
      step: 'container-file',
      details: { file: 'Dockerfile', line: 4 },
    });
    assert.equal(stateOf(build, 'image-build'), 'pending');
    assert.equal((await visit(name)).status, 404);
  });

  it('build-time variables are listed by name only', async () => {
    const name = uniqueName('fw');
    await using repository = await repositoryOf('own-dockerfile-user', name);
    const catalog = join(repository.path, 'catalog-info.yaml');
    const listed = '  annotations:\n    platform.io/env-vars: API_HOST,SIGNING_KEY,NOT_SET';
    await writeFile(catalog, (await readFile(catalog, 'utf8')).replace('  annotations:', listed));
    await repository.commit('list build-time variables');
    await createService(name, {
      gitUrl: repository.path,
      config: { API_HOST: 'api.of.build-time.example' },
      secrets: { SIGNING_KEY: 'value-of-build-time-secret' },
    });
    made.push(name);
    const { buildId } = await trigger(name);
    await completed(buildId);
    const log = await logText(buildId);
    assert.match(log, /Build-time variables: SIGNING_KEY, API_HOST$|Build-time variables: API_HOST, SIGNING_KEY$/m);
    assert.doesNotMatch(log, /of.build-time/);
  });

  it('a folder deployed by the command line answers at the address its result names', async () => {
    const { api: url, key } = await connection();
    const name = uniqueName('fw');
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-upload-'));
    try {
      await copyApp('own-dockerfile-user', folder, name);
      made.push(name);
      const result = await runCli({ url }, ['deploy', folder, '--json'], { env: { FAIRLEAD_KEY: key } });
      assert.equal(result.code, 0, result.stdout + result.stderr);
      const events = result.stdout.trimEnd().split('\n').map(parseEvent);
      assert.equal(events[0]?.event, 'accepted');
      const last = events.at(-1);
      assert.equal(last?.event, 'result');
      assert.equal(last?.success, true);
      const build = await getBuild(last?.data?.id ?? '');
      assert.equal(build.status, 'completed');
      assert.equal(build.source.kind, 'archive');
      assert.equal(last?.data?.url, build.url);
      assert.equal((await visit(name)).status, 200);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('a service that was removed is gone from its address and from the engine', async () => {
    const { name, repository, buildId } = await deploySample('static-site');
    await using _ = repository;
    await completed(buildId);
    await removeService(name);
    assert.equal((await api('GET', `/services/${name}`)).status, 404);
    assert.equal((await visit(name)).status, 404);
    const left = await docker.listContainers({ all: true, filters: { label: [`${LABELS.service}=${name}`] } });
    assert.deepEqual(left, []);
  });
});

function stateOf(build: Build, key: string): string | undefined {
  return build.steps.find((step) => step.key === key)?.state;
}

interface CliEvent {
  readonly event: string;
  readonly success?: boolean;
  readonly data?: { readonly id: string; readonly url: string };
}

const parseEvent = (line: string): CliEvent => JSON.parse(line);
