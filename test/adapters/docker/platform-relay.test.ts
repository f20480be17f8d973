import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { stopStack } from '../../../adapters/docker/stack-teardown.ts';
import type { WorkloadFirewall } from '../../../adapters/docker/workload-firewall.ts';
import { createWorkloadRuntime } from '../../../adapters/docker/workload-runtime.ts';
import { createPlatformProxy } from '../../../adapters/edge-router/platform-proxy.ts';
import type { Workload, WorkloadRuntime, WorkloadSpec } from '../../../domain/deploys/workload-runtime.ts';
import { recordingContext, untilHealthy, workloadSpec } from '../../ports/workload-runtime.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createTestStack, docker, type TestStack } from './engine-fixture.ts';

/** Fetches what it is asked to, from inside its container; `/die` ends its process. */
const PROGRAM = `
const { createServer } = require('node:http');
createServer(async (request, response) => {
  const url = new URL(request.url, 'http://x');
  if (url.pathname === '/die') process.exit(1);
  if (url.pathname !== '/fetch') return response.end('ok');
  const answer = await fetch(url.searchParams.get('url')).then((r) => r.text(), (e) => 'failed: ' + e.cause?.code);
  response.end(answer);
}).listen(3000, process.env.LISTEN_ON);
`;
const FILES = {
  'server.cjs': PROGRAM,
  Dockerfile: 'FROM node:24-alpine\nWORKDIR /app\nCOPY server.cjs .\nUSER 1001\nCMD ["node", "server.cjs"]\n',
};

describe('a workload with credentials at a provider on the loopback', () => {
  let stack: TestStack;
  let folder: string;
  let provider: Server;
  let secretive: Server;
  let proxy: ReturnType<typeof createPlatformProxy>;
  let runtimeBehind: (firewall: WorkloadFirewall | null) => WorkloadRuntime;
  let runtime: WorkloadRuntime;
  let image: string;
  let url: string;

  const portOf = (server: Server) => (server.address() as AddressInfo).port;
  const listening = async (answer: (headers: Record<string, unknown>) => string): Promise<Server> => {
    const server = createServer((request, response) => response.end(answer(request.headers)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  };

  before(async () => {
    stack = await createTestStack();
    folder = await mkdtemp(join(tmpdir(), 'fairlead-proxy-'));
    provider = await listening((headers) => `provider at ${headers.host}, forwarded: ${'x-forwarded-for' in headers}`);
    secretive = await listening(() => 'not for workloads');
    url = `http://localhost:${portOf(provider)}`;
    proxy = createPlatformProxy({ addresses: [url], onError: () => undefined });
    const socket = join(folder, 'http.sock');
    await new Promise<void>((resolve) => proxy.server.listen(socket, resolve));
    await chmod(folder, 0o755);
    await chmod(socket, 0o666);
    image = await stack.pushed('relayed', FILES);
    const ports = [portOf(provider), portOf(secretive)];
    const platform = { socket, ports, image: async () => 'node:24-alpine' };
    const { stackId, registry } = stack;
    runtimeBehind = (firewall) =>
      createWorkloadRuntime({ docker, stackId, registry, now: () => new Date(), platform, firewall });
    runtime = runtimeBehind(null);
  });
  after(async () => {
    await stack.dispose();
    await proxy.close(100);
    provider.close();
    secretive.close();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (changes: Partial<WorkloadSpec> = {}): Promise<Workload> => {
    const env = { IDP_CLIENT_ID: 'shop-prod', IDP_URL: url };
    const workload = await runtime.start(workloadSpec(image, { env, ...changes }), recordingContext());
    await untilHealthy(runtime, workload);
    return workload;
  };
  const reaches = async ({ address }: Workload, target = url) =>
    (await fetch(`${address}/fetch?url=${encodeURIComponent(target)}`)).text();
  const expected = () => `provider at localhost:${portOf(provider)}, forwarded: true`;
  const containers = async () => {
    const all = await docker.listContainers({ all: true, filters: { label: [`fairlead.stack=${stack.stackId}`] } });
    // But for the relay of builds, which stays.
    return all.flatMap(({ Names }) => Names).filter((name) => !name.endsWith('-builds'));
  };

  it('reaches it by the address that everybody uses, and nothing else of the machine', async () => {
    const workload = await start();
    assert.equal(await reaches(workload), expected());
    const closed = await reaches(workload, `http://localhost:${portOf(secretive)}`);
    assert.match(closed, /There is no such service of the platform/);
    assert.match(await reaches(workload, `http://127.0.0.1:${portOf(provider)}`), /There is no such service/);
    await runtime.remove(workload, 1);
    assert.deepEqual(await containers(), [], 'its relay went with it');
  });

  it('still reaches it after its process, or the relay’s, was restarted', async () => {
    const workload = await start();
    await fetch(`${workload.address}/die`).catch(() => null);
    await untilHealthy(runtime, workload);
    assert.equal(await reaches(workload), expected());
    const { HostConfig } = await docker.getContainer(workload.id).inspect();
    const relay = docker.getContainer(HostConfig.NetworkMode?.replace('container:', '') ?? '');
    const kill = await relay.exec({ Cmd: ['/bin/sh', '-c', 'kill -9 $(pidof node)'] });
    await kill.start({});
    await waitUntil('the relay to be back', async () => ((await reaches(workload)) === expected() ? true : null));
    assert.equal(await runtime.isAlive(workload), true);
    await relay.kill();
    await waitUntil('its loss to be seen', async () => ((await runtime.isAlive(workload)) ? null : true));
    await runtime.remove(workload, 1);
  });

  for (const [what, host, more] of [
    ['127.0.0.1', '127.0.0.1', {}],
    ['everywhere at last', '0.0.0.0', {}],
    ['127.0.0.1 without credentials', '127.0.0.1', { IDP_CLIENT_ID: undefined }],
  ] as const) {
    it(`of a workload that listens on ${what} connections are forwarded to its loopback`, async () => {
      const { IDP_CLIENT_ID, ...env } = { IDP_CLIENT_ID: 'shop-prod', IDP_URL: url, LISTEN_ON: host, ...more };
      const spec = workloadSpec(image, { onLoopback: true, env: { ...env, ...(IDP_CLIENT_ID && { IDP_CLIENT_ID }) } });
      const workload = await runtime.start(spec, recordingContext());
      await untilHealthy(runtime, workload);
      assert.equal(await (await fetch(workload.address)).text(), 'ok');
      assert.match(await reaches(workload), IDP_CLIENT_ID === undefined ? /^failed: ECONNREFUSED/ : /^provider at/);
      assert.deepEqual(await runtime.listening(workload), [{ host, port: 3000 }], 'its own sockets, not the relay’s');
      assert.equal((await runtime.start(spec, recordingContext())).id, workload.id, 'adopted');
      await fetch(`${workload.address}/die`).catch(() => null);
      await untilHealthy(runtime, workload);
      await stopStack(docker, stack.stackId);
      const resumed = await runtime.resume(workload, new AbortController().signal);
      await untilHealthy(runtime, resumed);
      const direct = await runtime.start({ ...spec, onLoopback: false }, recordingContext());
      assert.notEqual(direct.id, resumed.id, 'made anew, to be asked elsewhere');
      await runtime.remove(direct, 1);
      assert.deepEqual(await containers(), []);
    });
  }

  it('600 connections that are forwarded and stay open leave it its way to the platform', async () => {
    const env = { IDP_CLIENT_ID: 'shop-prod', IDP_URL: url, LISTEN_ON: '127.0.0.1' };
    const workload = await start({ onLoopback: true, env });
    const { port } = new URL(workload.address);
    const open = Array.from({ length: 600 }, () => connect(Number(port), '127.0.0.1').on('error', () => undefined));
    try {
      await waitUntil('the relay to refuse some', async () => (open.some(({ closed }) => closed) ? true : null));
      open.findLast(({ closed }) => !closed)?.destroy();
      const [kept] = open.filter(({ closed }) => !closed);
      assert.ok(kept !== undefined);
      kept.write(`GET /fetch?url=${encodeURIComponent(url)} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      assert.match(await text(kept), /provider at localhost/);
    } finally {
      for (const socket of open) socket.destroy();
      await runtime.remove(workload, 1);
    }
  });

  it('without a relay nothing forwards to the loopback, which is told with the remedy', async () => {
    const { stackId, registry } = stack;
    const alone = createWorkloadRuntime({ docker, stackId, registry, now: () => new Date() });
    await assert.rejects(alone.start(workloadSpec(image, { onLoopback: true }), recordingContext()), {
      code: 'HEALTH_CHECK_FAILED',
      message: /listens on 127\.0\.0\.1:3000 only[\s\S]*Listen on 0\.0\.0\.0/,
    });
    assert.deepEqual(await containers(), []);
  });

  it('is adopted by a second attempt, and made anew with its relay when that is gone', async () => {
    const spec = workloadSpec(image, { env: { IDP_CLIENT_ID: 'shop-prod' } });
    const first = await runtime.start(spec, recordingContext());
    assert.equal((await runtime.start(spec, recordingContext())).id, first.id);
    const { HostConfig } = await docker.getContainer(first.id).inspect();
    await docker.getContainer(HostConfig.NetworkMode?.replace('container:', '') ?? '').remove({ force: true });
    const again = await runtime.start(spec, recordingContext());
    assert.notEqual(again.id, first.id);
    await untilHealthy(runtime, again);
    assert.equal(await reaches(again), expected());
    await runtime.remove(again, 1);
  });

  it('is made anew with its relay where the gate of the firewall is not the one that they need', async (t) => {
    const gates = await mkdtemp(join(tmpdir(), 'fairlead-gate-'));
    t.after(() => rm(gates, { recursive: true, force: true }));
    const behind = (name: string) => {
      const gate = join(gates, name);
      const firewall = { gate, renew: () => writeFile(gate, ''), remove: async () => undefined };
      return runtimeBehind(firewall);
    };
    const env = { IDP_CLIENT_ID: 'shop-prod', IDP_URL: url };
    const workload = await behind('earlier').start(workloadSpec(image, { env }), recordingContext());
    await stopStack(docker, stack.stackId);
    await rm(join(gates, 'earlier'));
    const resumed = await behind('today').resume(workload, new AbortController().signal);
    await untilHealthy(runtime, resumed);
    assert.deepEqual({ ...resumed, id: workload.id }, workload);
    assert.equal(await reaches(resumed), expected());
    assert.equal(await runtime.isAlive(resumed), true);
    await runtime.remove(resumed, 1);
    assert.deepEqual(await containers(), []);
  });

  it('is resumed after a stop of the stack, on another port when its own was taken', async () => {
    const workload = await start();
    await stopStack(docker, stack.stackId);
    const same = await runtime.resume(workload, new AbortController().signal);
    await untilHealthy(runtime, same);
    assert.equal(await reaches(same), expected());
    await stopStack(docker, stack.stackId);
    const thief = createServer().listen(Number(new URL(same.address).port), '127.0.0.1');
    try {
      const moved = await runtime.resume(same, new AbortController().signal);
      assert.notEqual(moved.address, same.address);
      await untilHealthy(runtime, moved);
      assert.equal(await reaches(moved), expected());
      assert.equal((await runtime.listAll()).find(({ id }) => id === moved.id)?.address, moved.address);
      await runtime.remove(moved, 1);
    } finally {
      thief.close();
    }
  });

  it('has no relay without credentials, and none at its own port', async () => {
    const plain = await start({ env: {} });
    assert.match(await reaches(plain), /failed: ECONNREFUSED/);
    assert.equal((await containers()).length, 1);
    await runtime.remove(plain, 1);
  });
});
