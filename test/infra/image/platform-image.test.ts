import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type Docker from 'dockerode';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { removeContainer } from '../../../adapters/docker/remove-container.ts';
import { baseEnv } from '../../../adapters/process/base-env.ts';
import { runProcess } from '../../../adapters/process/run-process.ts';
import { LOCKER_RESOLVE_SCOPE, SERVICE_ROWS } from '../../../domain/services.ts';
import { projectRoot } from '../../../infra/dev/project.ts';
import { imageProcess } from '../../../infra/image/image-processes.ts';
import { INSTALLATION_SECRETS, installationSecrets } from '../../../infra/image/installation-secrets.ts';
import { freePort } from '../../support/free-port.ts';
import { PATIENCE_MS, patience } from '../../support/patience.ts';
import { buildTestImage, imageLeftOut, type TestImage } from '../../support/platform-image.ts';
import { startMongo, type TestMongo } from '../../support/start-mongo.ts';
import { startTemporal, type TestTemporal } from '../../support/start-temporal.ts';
import { waitUntil } from '../../support/wait-until.ts';

const MEMORY_BYTES = 1024 ** 3;
const secrets = Object.fromEntries(
  installationSecrets()
    .trim()
    .split('\n')
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
);

if (imageLeftOut !== false) process.stderr.write(`NOT RUN: the platform from its image: ${imageLeftOut}\n`);

describe('the platform from its image', { skip: imageLeftOut, timeout: 840_000 }, () => {
  let image: TestImage;
  let mongo: TestMongo;
  let temporal: TestTemporal;
  let ports: Readonly<Record<'idp' | 'builder' | 'worker', number>>;
  const volume = `fairlead-test-${randomBytes(4).toString('hex')}`;
  const containers = new Map<string, Docker.Container>();
  const undo = new AsyncDisposableStack();
  before(async () => {
    mongo = await startMongo();
    undo.defer(() => mongo.stop());
    temporal = await startTemporal();
    undo.defer(() => temporal.stop());
    ports = { idp: await freePort(), builder: await freePort(), worker: await freePort() };
    image = await buildTestImage();
    undo.defer(() => image.remove());
    await image.docker.createVolume({ Name: volume });
    undo.defer(() => image.docker.getVolume(volume).remove());
    undo.defer(async () => {
      for (const { id } of containers.values()) await removeContainer(image.docker, id, 0);
    });
  });
  after(() => undo.disposeAsync());

  /** What a process is told, as compose or a chart would: addresses, and the keys that its row names. */
  function environment(name: string): readonly string[] {
    const { secrets: own, health } = imageProcess(name);
    const variables = {
      MONGODB_URI: mongo.uri,
      ...Object.fromEntries(
        SERVICE_ROWS.flatMap(({ databaseUriVariable: one }) => (one === null ? [] : [[one, mongo.uri]])),
      ),
      ...{ TEMPORAL_ADDRESS: temporal.address, DOCKER_REGISTRY: 'localhost:5050', PLATFORM_DOMAIN: 'apps.example.com' },
      ...{ IDP_URL: `http://localhost:${ports.idp}`, BUILDER_URL: `http://localhost:${ports.builder}` },
      // The containers have the network of this machine: what listens, listens on its loopback.
      ...{ HOST: '127.0.0.1', HEALTH_HOST: '127.0.0.1', STACK_ID: secrets.STACK_ID },
      // Nothing listens there: the containers of this machine are left alone.
      DOCKER_HOST: 'tcp://127.0.0.1:9',
      [health.variable]: String(ports[name as keyof typeof ports]),
      ...Object.fromEntries(own.map((variable) => [variable, secrets[variable]])),
    };
    return Object.entries(variables).map(([variable, value]) => `${variable}=${value}`);
  }

  /** As its rules ask for: a user without rights, and no file system to write to but the volume and /tmp. */
  async function start(name: string, env = environment(name)): Promise<Docker.Container> {
    const container = await image.docker.createContainer({
      ...{ Image: image.tag, Cmd: [name], Env: [...env] },
      HostConfig: {
        ...{ NetworkMode: 'host', ReadonlyRootfs: true, CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'] },
        ...{ Memory: MEMORY_BYTES, Binds: [`${volume}:/data`], Tmpfs: { '/tmp': 'rw,nosuid,size=64m' } },
      },
    });
    containers.set(name, container);
    await container.start();
    return container;
  }

  async function output(container: Docker.Container): Promise<string> {
    return String(await container.logs({ stdout: true, stderr: true }));
  }

  async function run(container: Docker.Container, ...command: readonly string[]): Promise<number | null> {
    const exec = await container.exec({ Cmd: [...command], AttachStdout: true, AttachStderr: true });
    const stream = await exec.start({});
    stream.resume();
    return await waitUntil('the program ends', async () => {
      const { Running, ExitCode } = await exec.inspect();
      return Running ? null : { code: ExitCode };
    }).then(({ code }) => code);
  }

  it('has a user without rights, no second Node, nothing of the embedded stack, and no keys', async () => {
    const { Config } = await image.docker.getImage(image.tag).inspect();
    assert.equal(Config.User, '1001:1001');
    const keys = (Config.Env ?? []).filter((line) => /(?:KEY|SECRET|PASSWORD|TOKEN)=/.test(line));
    assert.deepEqual(keys, []);
    assert.match(image.digest, /^sha256:[0-9a-f]{64}$/);
    const left =
      '/app/test /app/.git /app/.fairlead /app/node_modules/node /app/node_modules/solc /app/node_modules/typescript /root/.npmrc';
    const found = await image.docker.createContainer({
      ...{
        Image: image.tag,
        Entrypoint: ['sh', '-c', `ls -d ${left} 2> /dev/null; touch /app/x 2> /dev/null && echo /app/x`],
      },
    });
    try {
      await found.start();
      await found.wait();
      assert.equal(await output(found), '');
    } finally {
      await removeContainer(image.docker, found.id, 0);
    }
  });

  it('refuses a process that it does not have, and one without its addresses, each by name', async () => {
    for (const [name, env, says] of [
      ['shop', [], /usage: .*\n[\s\S]*processes: idp, builder/],
      ['builder', [], /MONGODB_URI is not set[\s\S]*TEMPORAL_ADDRESS is not set[\s\S]*IDP_URL is not set/],
    ] as const) {
      const container = await start(name, env);
      const { StatusCode } = (await container.wait()) as { StatusCode: number };
      assert.ok(StatusCode === 1 || StatusCode === 2, `${StatusCode}`);
      assert.match(await output(container), says);
      await removeContainer(image.docker, container.id, 0);
      containers.delete(name);
    }
  });

  it('makes the keys of an installation by the line of the page, for their owner alone', async () => {
    const page = await readFile(join(projectRoot, 'docs', 'operate.md'), 'utf8');
    const line = /^\(umask 077 .*secrets > infra\/docker\/\.env\)$/m.exec(page)?.[0] ?? '';
    const here = line.replace('fairlead:local', image.tag).replace('infra/docker/.env', '.env');
    assert.notEqual(here, '');
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-keys-'));
    try {
      const env = baseEnv(process.env);
      const { exitCode, stderr } = await runProcess('sh', ['-c', here], { cwd: folder, env, signal: patience() });
      assert.equal(exitCode, 0, stderr);
      assert.equal((await stat(join(folder, '.env'))).mode & 0o777, 0o600);
      const made = await readFile(join(folder, '.env'), 'utf8');
      const again = await runProcess('sh', ['-c', here], { cwd: folder, env, signal: patience() });
      assert.notEqual(again.exitCode, 0, 'it writes over no keys');
      assert.equal(await readFile(join(folder, '.env'), 'utf8'), made);
      const names = made
        .trim()
        .split('\n')
        .map((row) => row.split('=')[0]);
      assert.deepEqual(names.sort(), [...INSTALLATION_SECRETS].sort());
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('runs provider, builder and worker, which tell when they are ready', async () => {
    for (const name of ['idp', 'builder', 'worker'] as const) {
      const container = await start(name);
      const address = `http://127.0.0.1:${ports[name]}`;
      await waitUntil(`${name} is ready`, async () => {
        const { State } = await container.inspect();
        assert.ok(State.Running, `${name} ended: ${await output(container)}`);
        return fetch(`${address}/health`).then(
          ({ ok }) => ok,
          () => false,
        );
      });
      assert.equal((await fetch(`${address}/health/live`)).status, 200);
      assert.equal(await run(container, 'node', '/app/infra/image/start.ts', 'probe', name), 0);
      assert.equal(await run(container, 'node', '/app/infra/image/start.ts', 'probe', 'wallet'), 1);
      const first: { Processes: string[][] } = await container.top({ ps_args: '-o pid,args' });
      assert.ok(!first.Processes.flat().some((text) => text.includes('start.ts')), 'it became its process');
    }
  });

  it('gives the builder a token by its own client, which the key of that client proves', async () => {
    const ask = (secret: string | undefined) =>
      fetch(`http://127.0.0.1:${ports.idp}/api/oauth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ grant_type: 'client_credentials', client_id: 'builder', client_secret: secret, audience: 'locker' },
          scope: LOCKER_RESOLVE_SCOPE,
        }),
      });
    const answer = await ask(secrets.BUILDER_CLIENT_SECRET);
    assert.equal(answer.status, 200, await answer.clone().text());
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const keys = createRemoteJWKSet(new URL(`http://127.0.0.1:${ports.idp}/.well-known/jwks.json`));
    const { payload } = await jwtVerify(token, keys);
    assert.deepEqual([payload.iss, payload.sub], [`http://localhost:${ports.idp}`, 'builder']);
    assert.equal((await ask('x'.repeat(43))).status, 401);
  });

  it('has the worker do the workflow that a call to the builder starts', async () => {
    const call = async (method: string, path: string, body?: object, key = secrets.INTERNAL_SERVICE_KEY ?? '') => {
      const answer = await fetch(`http://127.0.0.1:${ports.builder}${path}`, {
        ...{ method, headers: { 'x-internal-key': key, 'content-type': 'application/json' } },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: answer.status, data: ((await answer.json()) as { data: Record<string, unknown> }).data };
    };
    assert.equal((await call('GET', '/services', undefined, 'x'.repeat(43))).status, 401);
    const made = await call('POST', '/services', { name: 'shop', gitUrl: 'https://git.invalid/acme/shop.git' });
    assert.equal(made.status, 201, JSON.stringify(made.data));
    const { status, data } = await call('POST', '/builds/trigger', { service: 'shop' });
    assert.equal(status, 202, JSON.stringify(data));
    const statusOf = async () => String((await call('GET', `/builds/${data.buildId}`)).data.status);
    // No host has that name: it tries to read the repository until it is told to stop.
    await waitUntil('the worker is at it', async () => (await statusOf()) !== 'queued');
    const cancelled = await call('POST', `/builds/${data.buildId}/cancel`);
    assert.ok([200, 202].includes(cancelled.status), JSON.stringify(cancelled.data));
    await waitUntil('the build has ended', async () => (await statusOf()) === 'failed');
  });

  it('ends in order on SIGTERM', async () => {
    for (const [name, container] of [...containers]) {
      await container.stop({ t: PATIENCE_MS / 1_000 });
      const { State } = await container.inspect();
      assert.equal(State.ExitCode, 0, `${name}: ${await output(container)}`);
      assert.ok(!State.OOMKilled);
    }
  });
});
