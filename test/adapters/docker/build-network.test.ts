import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createBaseImages } from '../../../adapters/docker/base-images.ts';
import { ownClientEnvironment } from '../../../adapters/docker/docker-cli.ts';
import type { ImageBuilderOptions } from '../../../adapters/docker/image-builder.ts';
import { STAND_IN_LABEL } from '../../../adapters/docker/labels.ts';
import type { ImageBuilder, ImageBuildInput } from '../../../domain/deploys/image-builder.ts';
import { buildFailure } from '../../ports/image-builder.ts';
import { recordingContext } from '../../ports/workload-runtime.ts';
import { patience } from '../../support/patience.ts';
import { portAttack } from '../../support/port-attack.ts';
import { createTestBuilder, createTestStack, docker, env, type TestStack, testStandIns } from './engine-fixture.ts';

let stack: TestStack;
/** As the parts of the embedded stack listen: on the loopback. */
const servers: Server[] = [];
let ports: number[];

before(async () => {
  stack = await createTestStack();
  for (let count = 0; count < 3; count += 1) {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
  }
  ports = servers.map((server) => (server.address() as AddressInfo).port);
});

after(async () => {
  for (const server of servers) server.close();
  await stack.dispose();
});

const builderWith = (changes: Partial<ImageBuilderOptions>): Promise<ImageBuilder> => {
  const { stackId, registry, buildProxy } = stack;
  return createTestBuilder(stackId, registry, (message) => stack.warnings.push(message), { buildProxy, ...changes });
};
/** Where the operator allows an image that lies in the engine alone. */
const allowing = (image: string) => () =>
  createBaseImages({
    ...{ docker, standIns: testStandIns(), registry: stack.registry, now: () => new Date() },
    localImages: [image],
  });
const outputOf = async (builder: ImageBuilder, input: ImageBuildInput): Promise<string> => {
  const context = recordingContext(patience());
  await builder.build(input, context);
  return context.lines.join('\n');
};
const attacker = (from: string) =>
  stack.input('attacker', {
    Dockerfile: `FROM ${from}\nCOPY attack.mjs /attack.mjs\nRUN node /attack.mjs # ${randomBytes(4).toString('hex')}\n`,
    'attack.mjs': portAttack(ports),
  });
/** Named anew, so that the engine does not answer out of its build cache. */
const app = () => ({
  'package.json': JSON.stringify({
    name: `app-${randomBytes(4).toString('hex')}`,
    dependencies: { 'is-odd': '3.0.1' },
  }),
  Dockerfile: [
    'FROM node:24-alpine',
    'WORKDIR /app',
    'COPY package.json .',
    'RUN npm install --no-audit --no-fund && node -e "require(\'is-odd\')" && echo in""stalled',
  ].join('\n'),
});

describe('what RUN steps of a repository reach', () => {
  it('no port on the loopback of this machine: not straight, by its gateway or by the proxy', async () => {
    const output = await outputOf(stack.builder, await attacker('node:24-alpine'));
    assert.doesNotMatch(output, /REACHED/);
    assert.match(output, /metadata: HTTP\/1\.1 403 Forbidden/);
    assert.match(output, /tried 27, reached 0/);
  });

  it('the same from an image that bears the label of a stand-in', async () => {
    const label = `FROM node:24-alpine\nLABEL ${STAND_IN_LABEL}=node\nRUN : ${randomBytes(4).toString('hex')}\n`;
    const input = await stack.input('labelled', { Dockerfile: label });
    await stack.builder.build(input, recordingContext());
    const builder = await builderWith({ baseImages: allowing(input.tag) });
    const output = await outputOf(builder, await attacker(input.tag));
    assert.match(output, /tried 27, reached 0/);
    assert.doesNotMatch(output, /stand-in/);
  });

  it('package registries, by a relay that is started once for all builds; it is told what the bridge leaves open', async () => {
    const relays = async () =>
      (await docker.listContainers({ all: true, filters: { name: [`fl-${stack.stackId}-builds`] } })).map(
        ({ Id }) => Id,
      );
    const before = await relays();
    const input = await stack.input('app', app());
    assert.match(await outputOf(stack.builder, input), /installed/);
    assert.equal(before.length, 1);
    assert.deepEqual(await relays(), before);
    assert.match(
      stack.warnings.join('\n'),
      /reach past the proxy: the networks this machine is in .*BUILD_NETWORK=sealed/,
    );
    const history: unknown[] = await docker.getImage(input.tag).history();
    const image = await docker.getImage(input.tag).inspect();
    assert.doesNotMatch(
      JSON.stringify([history, image.Config]),
      /https?_proxy|3128/i,
      'the image does not hold the proxy',
    );
  });

  it('a relay that is gone is made anew', async () => {
    await docker.getContainer(`fl-${stack.stackId}-builds`).remove({ force: true });
    assert.match(await outputOf(stack.builder, await stack.input('anew', app())), /installed/);
  });

  it('sealed: the proxy and nothing else, not even an address to go by', async () => {
    const sealed = await builderWith({ buildNetwork: 'sealed' });
    const output = await outputOf(sealed, await attacker('node:24-alpine'));
    assert.match(output, /gateways: 0\n(?:.*\n)*.*tried 18, reached 0/);
    assert.match(output, /metadata: HTTP\/1\.1 403 Forbidden/);
    const files = app();
    const others = [
      'RUN rm -rf node_modules package-lock.json && yarn install --non-interactive && echo in""stalled-by-yarn',
      'RUN rm -rf node_modules && corepack prepare pnpm@9.15.9 --activate && corepack enable',
      'RUN pnpm install && echo in""stalled-by-pnpm',
    ];
    const input = await stack.input('app', { ...files, Dockerfile: [files.Dockerfile, ...others].join('\n') });
    const installed = await outputOf(sealed, input);
    for (const line of [/^installed$/m, /^installed-by-yarn$/m, /^installed-by-pnpm$/m]) assert.match(installed, line);
    const history: unknown[] = await docker.getImage(input.tag).history();
    assert.doesNotMatch(JSON.stringify(history), /https?_proxy|\b3128\b/i);
  });

  it('none: nothing at all', async () => {
    const closed = await builderWith({ buildNetwork: 'none' });
    const output = await outputOf(closed, await attacker('node:24-alpine'));
    assert.match(output, /metadata: \n(?:.*\n)*.*gateways: 0\n(?:.*\n)*.*reached 0/);
  });

  it('no setting of the operator’s docker client, such as a proxy with a password', async () => {
    const folder = join(stack.buildProxy.socket, '..', 'operator');
    await mkdir(folder);
    const proxies = { default: { httpProxy: 'http://me:hunter2@proxy.corp:8080', noProxy: 'hunter3' } };
    await writeFile(
      join(folder, 'config.json'),
      JSON.stringify({ proxies, auths: { 'registry.corp': { auth: 'eDp5' } } }),
    );
    const own = await ownClientEnvironment({ ...env, DOCKER_CONFIG: folder }, join(folder, 'own'), stack.registry);
    const builder = await builderWith({ env: own, buildNetwork: 'none' });
    const Dockerfile = `FROM alpine\nRUN env; : ${randomBytes(4).toString('hex')}\n`;
    assert.doesNotMatch(await outputOf(builder, await stack.input('settings', { Dockerfile })), /hunter/);
  });
});

describe('base images that lie in the engine alone', () => {
  let name: string;
  before(async () => {
    // Built by the platform for another service, and not pushed.
    const input = await stack.input('victim', {
      Dockerfile: 'FROM alpine\nCOPY secret /secret\n',
      secret: 'of another',
    });
    await stack.builder.build(input, recordingContext());
    name = `left-${randomBytes(4).toString('hex')}`;
    await docker.getImage(input.tag).tag({ repo: name, tag: 'latest' });
    await docker.getImage(input.tag).tag({ repo: `${name}-labelled`, tag: 'latest' });
  });
  after(async () => {
    for (const tag of [name, `${name}-labelled`]) await docker.getImage(tag).remove({ force: true });
  });

  const refusal = async (Dockerfile: string) => buildFailure(stack.builder, await stack.input('thief', { Dockerfile }));

  it('are refused in FROM, COPY and mounts, however they are written, with the remedy', async () => {
    for (const text of [
      'FROM NAME\n',
      'FROM alpine\nCOPY --from=NAME /secret /\n',
      'FROM alpine\nCOPY --chown=1 \\\n# a comment\n --FROM=NAME /secret /\n',
      'FROM alpine\nRUN \\\n# a comment\n --mount=type=bind,from=NAME,target=/x cat /x/secret\n',
      'FROM alpine\nRUN --mount=type=bind,from=alpine,From=NAME,target=/x cat /x/secret\n',
    ]) {
      const error = await refusal(text.replace('NAME', name));
      assert.equal(error.code, 'BASE_IMAGE_UNAVAILABLE', text);
      assert.match(error.message, /docker pull|LOCAL_BASE_IMAGES/, text);
    }
  });

  it('are used when the operator allows them by name', async () => {
    const builder = await builderWith({ baseImages: allowing(`${name}:latest`) });
    const Dockerfile = `FROM ${name}\nRUN cat /secret && : ${randomBytes(4).toString('hex')}\n`;
    assert.match(await outputOf(builder, await stack.input('allowed', { Dockerfile })), /of another/);
  });

  it('are not reached by ONBUILD of an image that was pulled, nor are addresses', async () => {
    const made = (trigger: string) => stack.pushed('onbuild', { Dockerfile: `FROM alpine\nONBUILD ${trigger}\n` });
    for (const trigger of [`COPY --from=${name} /secret /`, `ADD http://127.0.0.1:${ports[0]}/ /stolen`]) {
      const image = await made(trigger);
      const error = await refusal(`FROM ${image}\n`);
      assert.equal(error.code, 'CONTAINER_FILE_INVALID', error.message);
      assert.match(error.message, /ONBUILD of localhost/);
    }
    const harmless = await made('RUN echo from-onbuild');
    const input = await stack.input('onbuild', { Dockerfile: `FROM ${harmless}\n` });
    assert.match(await outputOf(stack.builder, input), /from-onbuild/);
  });
});
