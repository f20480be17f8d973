import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { after, before, describe, it, type TestContext } from 'node:test';
import { labelFilter } from '../../../adapters/docker/labels.ts';
import { createContainerTestRunner } from '../../../adapters/docker/test-runner/container-test-runner.ts';
import type { TestDeclaration } from '../../../domain/catalog/catalog.ts';
import type { TestedRelease, TestRunner } from '../../../domain/deploys/gated-tests.ts';
import type { Workload } from '../../../domain/deploys/workload-runtime.ts';
import { testRecord } from '../../ports/records.ts';
import { answerOf, testRunnerSuite } from '../../ports/test-runner.ts';
import { patience } from '../../support/patience.ts';
import { waitUntil } from '../../support/wait-until.ts';
import { createTestStack, docker, type TestStack } from './engine-fixture.ts';

const CANARY = 'canary-4711';

let stack: TestStack;
/** Has time for whatever the machine does beside it. */
let runner: TestRunner;
/** Gives up soon, for services that never answer. */
let brisk: TestRunner;
before(async () => {
  stack = await createTestStack();
  const { stackId, buildProxy } = stack;
  const image = buildProxy.image;
  runner = createContainerTestRunner({ docker, stackId, image, seconds: 30, allSeconds: 60 });
  brisk = createContainerTestRunner({ docker, stackId, image, seconds: 2, allSeconds: 10 });
  process.env.FAIRLEAD_TEST_CANARY = CANARY;
});
after(() => stack.dispose());

async function listen(t: TestContext, server: Server, held: Set<Socket> = new Set()): Promise<Workload> {
  server.on('connection', (socket) => held.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.close();
    for (const socket of held) socket.destroy();
  });
  builds += 1;
  return {
    ...{ id: `w${builds}`, buildId: `bld_${stack.stackId}${builds}`, releaseId: 'rel_1', service: 'suite' },
    ...{ environment: 'sandbox', running: true },
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  };
}
let builds = 0;

const serve = (t: TestContext, listener: RequestListener) => listen(t, createHttpServer(listener));
const targetOf = (workload: Workload): TestedRelease => ({
  ...{ service: 'suite', url: 'http://suite.sandbox.localhost:8000', commit: null, workload },
  environment: 'sandbox',
});
const run = (workload: Workload, tests: readonly TestDeclaration[], signal = patience(), by = runner) =>
  by.run(targetOf(workload), tests, { signal, onLine: () => undefined });
const containers = () =>
  docker.listContainers({ all: true, filters: labelFilter(stack.stackId, { 'fairlead.task': 'tests' }) });
const sockets = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('fairlead-tests-')).length;

describe('tests in a container', () => {
  testRunnerSuite(async (t) => ({
    runner,
    workload: await serve(t, (request, response) => {
      const { status, body } = answerOf(request.url ?? '');
      response.writeHead(status).end(body);
    }),
  }));

  it('send what they declare, under the public name of the service', async (t) => {
    const asked: unknown[] = [];
    const workload = await serve(t, async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      asked.push([request.method, request.url, request.headers.host, request.headers['x-n'], body]);
      response.end();
    });
    await run(workload, [testRecord({ method: 'POST', path: '/a?b=c', headers: { 'X-N': '1' }, body: '{"a":"ä"}' })]);
    assert.deepEqual(asked, [['POST', '/a?b=c', 'suite.sandbox.localhost:8000', '1', '{"a":"ä"}']]);
  });

  it('send a body as the body of its request, whatever the method', async (t) => {
    const asked: unknown[] = [];
    const workload = await serve(t, async (request, response) => {
      let body = '';
      for await (const part of request) body += part;
      asked.push([request.method, request.url, body]);
      response.end();
    });
    const body = 'GET /other HTTP/1.1\r\nhost: other\r\n\r\n';
    const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
    await run(
      workload,
      methods.map((method) => testRecord({ method, body })),
    );
    assert.deepEqual(
      asked,
      methods.map((method) => [method, '/', body]),
    );
  });

  it('follow no redirect, so that nothing but the service is asked', async (t) => {
    const asked: string[] = [];
    const elsewhere = await serve(t, (_request, response) => {
      asked.push('elsewhere');
      response.end();
    });
    const workload = await serve(t, (request, response) => {
      asked.push(request.url ?? '');
      response.writeHead(302, { location: `${elsewhere.address}/` }).end();
    });
    const tests = [testRecord({ path: '/in' }), testRecord({ path: '/in', expectStatus: 302 })];
    assert.deepEqual(
      (await run(workload, tests)).map(({ passed }) => passed),
      [false, true],
    );
    assert.deepEqual(asked, ['/in', '/in']);
  });

  const SILENT = /did not answer within 2 s$/;
  /** Services that misbehave on a connection, and what is said of each. */
  const HOSTILE: readonly [what: string, onConnection: (socket: Socket) => void, message: RegExp][] = [
    ['says nothing', () => undefined, SILENT],
    ['hangs up', (socket) => void socket.destroy(), /failed: \w+$/],
    ['speaks no HTTP', (socket) => void socket.end('\0\0\0\0 hello\r\n\r\n'), /failed: HPE_\w+$/],
    [
      'sends half an answer and stalls',
      (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhe'),
      SILENT,
    ],
    [
      'sends half an answer and dies',
      (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhe'),
      /failed: \w+$/,
    ],
    [
      'sends endless headers',
      (socket) => pour(socket, 'HTTP/1.1 200 OK\r\n', 'x-a: bbbbbbbbbbbbbbbb\r\n'),
      /failed: HPE_HEADER_OVERFLOW$/,
    ],
    ['sends endless hints', (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'), SILENT],
    [
      'switches protocols',
      (socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      /failed: no answer$/,
    ],
  ];
  for (const [what, onConnection, message] of HOSTILE) {
    it(`of a service that ${what} fail, and the next test is asked all the same`, async (t) => {
      let first = true;
      const server = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          if (!first) return void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
          first = false;
          onConnection(socket);
        });
      });
      const by = message === SILENT ? brisk : runner;
      const results = await run(await listen(t, server), [testRecord(), testRecord()], patience(), by);
      assert.equal(results[0]?.passed, false);
      assert.match(results[0]?.message ?? '', message);
      assert.deepEqual(results[1], { passed: true, message: 'GET / answered 200' });
    });
  }

  it('read the first MiB of an endless answer', async (t) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => pour(socket, 'HTTP/1.1 200 OK\r\n\r\nbegins', 'x'.repeat(4_096)));
    });
    const workload = await listen(t, server);
    const tests = [testRecord({ expectBodyContains: 'begins' }), testRecord({ expectBodyContains: 'never there' })];
    assert.deepEqual(
      (await run(workload, tests)).map(({ passed }) => passed),
      [true, false],
    );
  });

  it('end in bounded time: what is left over then fails unasked', async (t) => {
    const workload = await listen(
      t,
      createServer((socket) => void socket.on('error', () => undefined)),
    );
    const results = await run(
      workload,
      Array.from({ length: 12 }, () => testRecord()),
      patience(),
      brisk,
    );
    assert.deepEqual([results.length, results.some(({ passed }) => passed)], [12, false]);
    assert.equal(results.at(-1)?.message, 'GET / was not asked: no time was left');
  });

  it('say of an answer nothing but its status', async (t) => {
    const workload = await serve(t, (_request, response) => {
      response.writeHead(500, CANARY, { 'x-secret': CANARY }).end(CANARY);
    });
    const tests = [testRecord(), testRecord({ expectStatus: 500, expectBodyContains: 'other' })];
    const told = JSON.stringify(await run(workload, tests));
    assert.match(told, /answered 500/);
    assert.ok(!told.includes(CANARY));
  });

  it('run without a network, secrets, capabilities or a place to write, and leave nothing behind', async (t) => {
    const before = await sockets();
    const seen = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const workload = await serve(t, async (_request, response) => {
      seen.resolve();
      await go.promise;
      response.end();
    });
    const results = run(workload, [testRecord()]);
    await seen.promise;
    const [listed] = await containers();
    const { HostConfig: host, Config: config, Mounts } = await docker.getContainer(listed?.Id ?? '').inspect();
    go.resolve();
    assert.deepEqual(await results, [{ passed: true, message: 'GET / answered 200' }]);
    assert.equal(host.NetworkMode, 'none');
    assert.deepEqual([host.CapDrop, host.ReadonlyRootfs, host.PidsLimit], [['ALL'], true, 32]);
    assert.equal(host.Memory, host.MemorySwap);
    assert.match(config.User, /^[1-9]/);
    assert.deepEqual(
      Mounts.map(({ RW, Destination }) => [RW, Destination]),
      [[false, '/run/fairlead']],
    );
    assert.ok(!JSON.stringify(config.Env).includes(CANARY), 'nothing of our environment');
    assert.deepEqual([(await containers()).length, await sockets()], [0, before]);
  });

  it('that are killed half-way have no result, and another attempt has one', async (t) => {
    let kill = true;
    const workload = await serve(t, async (_request, response) => {
      if (kill) {
        kill = false;
        const [listed] = await containers();
        await docker.getContainer(listed?.Id ?? '').kill();
      }
      response.end();
    });
    const failure = { code: 'UNAVAILABLE', retryable: true, message: /no result: it ended with 137/ };
    await assert.rejects(run(workload, [testRecord()]), failure);
    assert.equal((await run(workload, [testRecord()]))[0]?.passed, true);
  });

  it('that a killed worker left are removed by the next attempt', async (t) => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    let hang = true;
    const workload = await serve(t, (_request, response) => {
      if (!hang) return void response.end();
      resolve();
    });
    const stopped = new AbortController();
    const left = run(workload, [testRecord()], stopped.signal).catch(() => undefined);
    await asked;
    hang = false;
    assert.equal((await run(workload, [testRecord()]))[0]?.passed, true);
    stopped.abort();
    await left;
    assert.equal((await containers()).length, 0);
  });

  it('of a build that is not tried again, killed with its worker, are removed by a later run of another', async (t) => {
    const labels = { 'fairlead.stack': stack.stackId, 'fairlead.task': 'tests' };
    const { stackId, buildProxy } = stack;
    const image = await buildProxy.image({ signal: patience(), onLine: () => undefined });
    const left = await docker.createContainer({ Image: image, Entrypoint: ['true'], Labels: labels });
    await left.start();
    await left.wait();
    await docker.createContainer({ Image: image, Entrypoint: ['true'], Labels: labels });
    const workload = await serve(t, (_request, response) => void response.end());
    await run(workload, [testRecord()]);
    assert.equal((await containers()).length, 2, 'they may be of a run whose output is read now, or which begins');
    const eager = createContainerTestRunner({ docker, stackId, image: buildProxy.image, leftoverMs: 0 });
    await eager.run(targetOf(workload), [testRecord()], { signal: patience(), onLine: () => undefined });
    assert.equal((await containers()).length, 0);
  });

  it('run beside what an earlier one left and cannot be removed, which is told', async (t) => {
    const { stackId, buildProxy } = stack;
    const image = await buildProxy.image({ signal: patience(), onLine: () => undefined });
    const labels = { 'fairlead.stack': stackId, 'fairlead.task': 'tests' };
    const left = await docker.createContainer({ Image: image, Entrypoint: ['true'], Labels: labels });
    t.after(() => left.remove());
    const stuck: typeof docker = Object.create(docker, {
      getContainer: {
        value: (id: string) =>
          id === left.id ? { remove: () => Promise.reject(new Error('busy')) } : docker.getContainer(id),
      },
    });
    const workload = await serve(t, (_request, response) => void response.end());
    const lines: string[] = [];
    const eager = createContainerTestRunner({ docker: stuck, stackId, image: buildProxy.image, leftoverMs: 0 });
    const context = { signal: patience(), onLine: (line: string) => void lines.push(line) };
    assert.equal((await eager.run(targetOf(workload), [testRecord()], context))[0]?.passed, true);
    assert.match(lines.join('\n'), /of an earlier run of tests stays: busy/);
  });

  it('stop with their caller, whose reason is thrown, and leave nothing behind', async (t) => {
    const stopped = new AbortController();
    const reason = new Error('cancelled');
    const workload = await serve(t, () => stopped.abort(reason));
    await assert.rejects(run(workload, [testRecord()], stopped.signal), (error) => error === reason);
    await waitUntil('no container', async () => (await containers()).length === 0 || null);
  });

  it('of a workload that does not listen fail', async (t) => {
    const workload = await serve(t, () => undefined);
    const gone = { ...workload, address: 'http://127.0.0.1:1' };
    assert.match((await run(gone, [testRecord()]))[0]?.message ?? '', /^GET \/ failed: \w+$/);
  });
});

/** Writes now and then, until nobody reads. */
function drip(socket: Socket, again: string): void {
  const timer = setInterval(() => socket.write(again), 20);
  socket.once('close', () => clearInterval(timer));
}

/** Writes for as long as somebody reads. */
function pour(socket: Socket, first: string, again: string): void {
  socket.write(first);
  const more = (): void => {
    while (!socket.destroyed && socket.write(again)) {}
  };
  socket.on('drain', more);
  more();
}
