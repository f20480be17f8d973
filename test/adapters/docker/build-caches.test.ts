import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { describeApp } from '../../../domain/deploys/app/describe-app.ts';
import { checkSources } from '../../../domain/deploys/container-file/check-sources.ts';
import {
  GENERATED_CONTAINER_FILE,
  generateContainerFile,
} from '../../../domain/deploys/container-file/generate-container-file.ts';
import { recordingContext } from '../../ports/workload-runtime.ts';
import { createTestStack, docker, type TestStack } from './engine-fixture.ts';

const PACKAGE_BYTES = 2_000_000;

describe('what a build keeps for the next one', () => {
  let stack: TestStack;
  before(async () => {
    stack = await createTestStack();
  });
  after(() => stack.dispose());

  /** Builds for a service, whose container file asks for the cache of npm; returns what it found there. */
  async function found(cacheScope: string, leaves: string): Promise<string | null> {
    const mount = '--mount=type=cache,id=npm,target=/caches/packages,sharing=locked';
    const text = `FROM alpine\nRUN ${mount} cat /caches/packages/kept; echo in""stalled by ${leaves} > /caches/packages/kept\n`;
    const { address } = stack.registry;
    const policy = { registry: address, repository: `${address}/a`, cacheScope, fileName: 'Dockerfile' };
    const input = await stack.input('caching', { Dockerfile: checkSources(text, policy).text });
    const context = recordingContext();
    await stack.builder.build(input, context);
    return context.lines.join('\n').match(/\binstalled by (\w+)/)?.[1] ?? null;
  }

  it('is there for the next build of the service, and for none of another service or environment', async () => {
    const service = `svc_${randomBytes(8).toString('hex')}`;
    assert.equal(await found(`${service}/prod`, 'first'), null);
    assert.equal(await found(`${service}/prod`, 'second'), 'first');
    assert.equal(await found(`${service}/uat`, 'third'), null);
    assert.equal(await found(`svc_${randomBytes(8).toString('hex')}/prod`, 'fourth'), null);
  });

  /** Layers of the image of an app whose build leaves something else beside its packages each time, and the bytes of the last one. */
  async function builtApp(
    framework: 'express' | 'nextjs',
    greeting: string,
  ): Promise<{ readonly layers: readonly string[]; readonly lastBytes: number }> {
    const build = [
      'mkdir -p .next node_modules/.cache',
      'date +%s%N > node_modules/.cache/when',
      `head -c ${PACKAGE_BYTES} /dev/zero > node_modules/.data`,
      'cat greeting.txt > .next/BUILD_ID',
    ].join(' && ');
    const manifest = { scripts: { build, start: 'node server.js' }, dependencies: { kit: 'file:./vendor/kit' } };
    const texts = {
      'package.json': JSON.stringify(manifest),
      'vendor/kit/package.json': JSON.stringify({ name: 'kit', version: '1.0.0' }),
    };
    const files = { ...texts, 'greeting.txt': greeting, 'server.js': '', '.hidden': greeting };
    const source = { files: ['package.json', 'vendor', 'greeting.txt', 'server.js'], texts };
    const app = describeApp(source, { framework, port: null, healthEndpoint: '/health' });
    const generated = generateContainerFile(app, { secretsEnabled: false, cacheMounts: false });
    const added = Object.fromEntries(generated.files.map(({ path, text }) => [path, text]));
    const { [GENERATED_CONTAINER_FILE]: Dockerfile = '', ...others } = added;
    const input = await stack.input('layered', { ...files, ...others, Dockerfile });
    await stack.builder.build(input, recordingContext());
    const image = docker.getImage(input.tag);
    const [{ RootFS }, history] = await Promise.all([image.inspect(), image.history()]);
    // Newest first; settings of the image are no layers, and have no bytes.
    const lastBytes = history.map(({ Size }: { Size: number }) => Size).find((bytes: number) => bytes > 0) ?? 0;
    return { layers: RootFS.Layers ?? [], lastBytes };
  }

  for (const framework of ['express', 'nextjs'] as const) {
    it(`is the layer with the packages of ${framework}, whatever its source and its build tools changed`, async () => {
      const [before, again] = [await builtApp(framework, 'hello'), await builtApp(framework, 'good day')];
      assert.deepEqual(before.layers.slice(0, -1), again.layers.slice(0, -1), 'all but that of the source');
      assert.notEqual(before.layers.at(-1), again.layers.at(-1));
      assert.ok(
        again.lastBytes > 0 && again.lastBytes < PACKAGE_BYTES,
        `${again.lastBytes} bytes, without the packages`,
      );
    });
  }
});
