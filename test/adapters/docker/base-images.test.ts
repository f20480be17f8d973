import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createBaseImages } from '../../../adapters/docker/base-images.ts';
import { STAND_IN_LABEL } from '../../../adapters/docker/labels.ts';
import { createStandIns, type StandIns } from '../../../adapters/docker/stand-ins/stand-in-images.ts';
import { createWorkloadRuntime } from '../../../adapters/docker/workload-runtime.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { recordingContext, untilHealthy, workloadSpec } from '../../ports/workload-runtime.ts';
import { freePort } from '../../support/free-port.ts';
import { patience } from '../../support/patience.ts';
import { createTestStack, docker, standInOptions, type TestStack, testStandIns } from './engine-fixture.ts';

let stack: TestStack;

before(async () => {
  stack = await createTestStack();
});

after(() => stack.dispose());

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

// A name of its own keeps the engine from answering out of its build cache.
const MANIFEST = JSON.stringify({
  name: `tiny-${randomBytes(4).toString('hex')}`,
  version: '1.0.0',
  dependencies: { 'is-odd': '3.0.1' },
});

describe('BaseImages', () => {
  const options = (standIns: StandIns | null, now = () => new Date()) => ({
    docker,
    standIns,
    registry: { address: 'localhost:1' },
    now,
  });

  it('an image that cannot be had is named with the reason, the stand-ins there are, and the remedy', async () => {
    const name = `localhost:${await freePort()}/missing:1`;
    const { ensure } = createBaseImages(options(testStandIns()));
    await assert.rejects(ensure([name], recordingContext()), (error) => {
      assert.ok(error instanceof FairleadError && error.code === 'BASE_IMAGE_UNAVAILABLE');
      assert.ok(error.message.includes(name));
      assert.match(error.message, /connection refused/);
      assert.match(error.message, /stand-ins exist for node up to 24, nginx, alpine and busybox/);
      assert.match(error.message, /docker load/);
      return true;
    });
  });

  it('what answers where a registry leads the engine to is not shown', async (t) => {
    const inner = createServer((_request, response) => response.writeHead(404).end('canary of an inner host'));
    const leading = createServer((request, response) => {
      if (request.url === '/v2/') return response.end('{}');
      return response.writeHead(307, { location: `http://127.0.0.1:${portOf(inner)}/` }).end();
    });
    for (const server of [inner, leading]) {
      t.after(() => server.close());
      await once(server.listen(0, '127.0.0.1'), 'listening');
    }
    const { ensure } = createBaseImages(options(null));
    const context = recordingContext();
    await assert.rejects(ensure([`localhost:${portOf(leading)}/x:1`], context), (error: Error) => {
      assert.match(error.message, /HTTP 404/);
      assert.doesNotMatch(`${error.message} ${context.lines.join()}`, /canary/);
      return true;
    });
  });

  it('without stand-ins it says that they are off', async () => {
    const name = `localhost:${await freePort()}/missing:1`;
    const { ensure } = createBaseImages(options(null));
    await assert.rejects(ensure([name], recordingContext()), /local stand-ins are off/);
  });

  it('a failed pull is not tried again for 5 minutes', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const name = `localhost:${await freePort()}/missing:1`;
    const { ensure } = createBaseImages(options(null, () => new Date(now)));
    const pulls = async (): Promise<number> => {
      const context = recordingContext();
      await assert.rejects(ensure([name], context));
      return context.lines.filter((line) => line.startsWith('Pulling')).length;
    };
    assert.deepEqual([await pulls(), await pulls()], [1, 0]);
    now += 5 * 60_000 + 1;
    assert.equal(await pulls(), 1);
  });

  it('an aborted wait throws the reason', async () => {
    const name = `localhost:${await freePort()}/missing:1`;
    const signal = AbortSignal.abort(new Error('stop it'));
    await assert.rejects(createBaseImages(options(null)).ensure([name], recordingContext(signal)), /stop it/);
  });

  it('stand-ins cover node up to the version of this machine, and no image of another registry or a digest', () => {
    const { covers } = testStandIns();
    const covered = [
      'node',
      'node:24-alpine',
      'node:22.11-slim',
      'docker.io/library/node:20',
      'nginx:1.28-alpine',
      'alpine:3.20',
    ];
    const not = ['node:99', 'node:24@sha256:00', 'localhost:5050/node:24', 'bitnami/node:24', 'python:3', 'node:other'];
    assert.deepEqual(
      covered.filter((name) => !covers(name)),
      [],
    );
    assert.deepEqual(not.filter(covers), []);
  });
});

describe('Stand-in images', () => {
  // A tag nobody else uses, so that making it is seen here whatever the engine holds already.
  const name = `node:24-${randomBytes(4).toString('hex')}`;

  after(async () => {
    await docker.getImage(name).remove({ force: true });
  });

  it('is made under the very name, by callers at once, with a warning that says why', async () => {
    const standIns = testStandIns();
    let made = 0;
    const counted: StandIns = {
      ...standIns,
      provide: (wanted) => {
        made += 1;
        return standIns.provide(wanted);
      },
    };
    const { ensure } = createBaseImages({ docker, standIns: counted, registry: stack.registry, now: () => new Date() });
    const context = recordingContext();
    const { Os, Arch } = await docker.version();
    const platform = `${Os}/${Arch}`;
    assert.deepEqual(await Promise.all([ensure([name], context), ensure([name], context)]), [
      [{ name, isStandIn: true, onBuild: [], platform }],
      [{ name, isStandIn: true, onBuild: [], platform }],
    ]);
    assert.match(context.lines.join('\n'), /is a local stand-in made from this machine .*glibc/);
    const image = await docker.getImage(name).inspect();
    assert.equal(image.Config.Labels[STAND_IN_LABEL], 'node');
    const before = made;
    await ensure([name], context);
    assert.equal(made, before, 'a current stand-in is used as it is');
  });

  it('one that this machine would make differently by now is made anew', async () => {
    const standIns = testStandIns();
    const { Id } = await docker.getImage(name).inspect();
    assert.equal(await standIns.isCurrent(name, Id), true);
    const other = createStandIns({ ...standInOptions, nodeVersion: '24.0.0' });
    assert.equal(await other.isCurrent(name, Id), false);
  });

  it('an image of the service that was built on a stand-in and pushed is used as it is', async () => {
    const input = await stack.input('own-base', { Dockerfile: 'FROM alpine\nUSER 1001\n' });
    await stack.builder.build(input, recordingContext());
    await stack.builder.push(input.tag, recordingContext());
    const next = await stack.input('own-base', {
      Dockerfile: `FROM ${input.tag}\nRUN cat /etc/os-release && : ${input.buildId}\n`,
    });
    const context = recordingContext();
    await stack.builder.build(next, context);
    assert.match(context.lines.join('\n'), /Fairlead local stand-in/);
  });

  it('npm, yarn and pnpm by corepack install in a build, and users can be made', async () => {
    const Dockerfile = [
      `FROM ${name}`,
      'WORKDIR /app',
      'COPY package.json .',
      'RUN node -v && npm install --no-audit --no-fund && npm ci && node -e "require(\'is-odd\')"',
      'RUN rm -rf node_modules package-lock.json && yarn install --non-interactive && yarn install --frozen-lockfile',
      'RUN rm -rf node_modules && corepack prepare pnpm@9.15.9 --activate && corepack enable && pnpm install && pnpm -v',
      'RUN addgroup -S app && adduser -S -G app app && groupadd -g 1500 team && useradd -m -u 1500 -g team dev && id dev',
      'USER app',
    ].join('\n');
    const input = await stack.input('managers', { Dockerfile, 'package.json': MANIFEST });
    const context = recordingContext(patience());
    await stack.builder.build(input, context);
    const output = context.lines.join('\n');
    assert.match(output, /v24\.\d+\.\d+/);
    assert.match(output, /9\.15\.9/);
    assert.match(output, /uid=1500\(dev\) gid=1500\(team\)/);
  });

  it('nginx serves a file as user 1001 with a read-only root', async () => {
    const conf = [
      'pid /tmp/nginx.pid; error_log stderr warn; events {}',
      'http { include /etc/nginx/mime.types; access_log /dev/stdout; client_body_temp_path /tmp/b;',
      'proxy_temp_path /tmp/p; fastcgi_temp_path /tmp/f; uwsgi_temp_path /tmp/u; scgi_temp_path /tmp/s;',
      'server { listen 3000; root /usr/share/nginx/html; location = /health { return 200 "{}"; } } }',
    ].join('\n');
    const Dockerfile = [
      'FROM nginx:1.28-alpine',
      'COPY app.conf /etc/nginx/app.conf',
      'COPY style.css /usr/share/nginx/html/',
      'USER 1001',
      'CMD ["nginx", "-c", "/etc/nginx/app.conf", "-g", "daemon off;"]',
    ].join('\n');
    const image = await stack.pushed('site', { Dockerfile, 'app.conf': conf, 'style.css': 'body {}' });
    const { stackId, registry } = stack;
    const runtime = createWorkloadRuntime({ docker, stackId, registry, now: () => new Date() });
    const workload = await runtime.start(workloadSpec(image), recordingContext());
    await untilHealthy(runtime, workload);
    const answer = await fetch(`${workload.address}/style.css`);
    assert.equal(answer.headers.get('content-type'), 'text/css');
    assert.equal(await answer.text(), 'body {}');
    await runtime.remove(workload, 2);
  });
});
