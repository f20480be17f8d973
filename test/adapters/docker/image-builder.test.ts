import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { extract } from 'tar-stream';
import type { BuiltImage } from '../../../domain/deploys/image-builder.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { buildFailure, imageBuilderSuite, SMALL_IMAGE } from '../../ports/image-builder.ts';
import { recordingContext } from '../../ports/workload-runtime.ts';
import { freePort } from '../../support/free-port.ts';
import { patience } from '../../support/patience.ts';
import { waitUntil } from '../../support/wait-until.ts';
import {
  createTestBuilder,
  createTestStack,
  docker,
  startRegistry,
  stopChild,
  type TestStack,
} from './engine-fixture.ts';

let stack: TestStack;
let registryDown = '';

before(async () => {
  stack = await createTestStack();
  registryDown = `localhost:${await freePort()}`;
});

after(() => stack.dispose());

/** A number of seconds that no other process sleeps, to find the process by. */
const rareSeconds = (): string => String(100_000 + (randomBytes(4).readUInt32BE() % 899_999));

/** Whether a process with exactly this `sleep` runs anywhere on the machine, in a container too. */
async function sleeps(seconds: string): Promise<boolean> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(join('/proc', pid, 'cmdline'), 'utf8').catch(() => '');
    if (command.split('\0').slice(-3, -1).join(' ') === `sleep ${seconds}` && !command.includes('docker')) return true;
  }
  return false;
}

imageBuilderSuite(() => ({
  builder: stack.builder,
  registry: stack.registry.address,
  registryDown,
  input: stack.input,
}));

describe('Docker images: build', () => {
  it('takes no base image of another platform, which would be one that nobody judged', async () => {
    const { Arch } = await docker.version();
    const other = Arch === 'arm64' ? 'amd64' : 'arm64';
    const input = await stack.input('other', {
      Dockerfile: `FROM --platform=linux/${other} alpine\nADD file /\n`,
      file: '',
    });
    const failure = await buildFailure(stack.builder, input);
    assert.equal(failure.code, 'CONTAINER_FILE_INVALID');
    assert.match(failure.message, /line 1: FROM --platform/);
  });

  it('labels the image with stack, service, environment and build', async () => {
    const input = { ...(await stack.input('small', SMALL_IMAGE)), labels: { 'org.example': 'kept' } };
    const { imageId } = await stack.builder.build(input, recordingContext());
    const image = await docker.getImage(input.tag).inspect();
    assert.equal(image.Id, imageId);
    assert.deepEqual(image.Config.Labels, {
      ...image.Config.Labels,
      'fairlead.stack': stack.stackId,
      'fairlead.service': 'small',
      'fairlead.environment': 'sandbox',
      'fairlead.build': input.buildId,
      'org.example': 'kept',
    });
  });

  it('a build-time secret is read by the instructions that mount it, and is in no layer and not in the history', async () => {
    const canary = `canary${randomBytes(12).toString('hex')}`;
    const id = `env-${randomBytes(6).toString('hex')}`;
    const mount = `--mount=type=secret,id=${id},target=/app/.env.production,mode=0444`;
    const Dockerfile = `FROM alpine\nWORKDIR /app\nCOPY . .\nUSER 1001\nRUN ${mount} wc -c < .env.production\nRUN ls -a\n`;
    const input = { ...(await stack.input('secretive', { Dockerfile })), secrets: { [id]: `A=${canary}` } };
    const context = recordingContext();
    await stack.builder.build(input, context);
    assert.ok(
      context.lines.some((line) => line.endsWith(String(canary.length + 2))),
      'it was there',
    );
    const archive = await docker.getImage(input.tag).get();
    const layers: string[] = [];
    let text = '';
    for await (const entry of archive.pipe(extract())) {
      for await (const chunk of entry) text += Buffer.from(chunk as Uint8Array).toString('latin1');
      if (entry.header.name.endsWith('layer.tar')) layers.push(entry.header.name);
    }
    assert.ok(layers.length > 1 && text.includes('WORKDIR /app'), 'layers and history were read');
    assert.ok(!text.includes(canary));
  });

  it('a program whose own file system is full, or that only says so, has failed by itself', async () => {
    const legacy = { path: '/usr/bin/docker', buildkit: false };
    const builders = [
      stack.builder,
      await createTestBuilder(stack.stackId, stack.registry, () => undefined, { cli: legacy }),
    ];
    const programs = ['cat /etc/passwd > /dev/full', 'echo no space left on device; exit 1'];
    for (const builder of builders) {
      for (const program of programs) {
        const input = await stack.input('full', { Dockerfile: `FROM alpine\nRUN ${program}\n` });
        const error = await buildFailure(builder, input);
        assert.equal(error.code, 'IMAGE_BUILD_FAILED', program);
        assert.match(error.message, /no space left on device/i);
      }
    }
  });

  it('a program that says that the engine is lost has failed by itself: the build is not tried again', async () => {
    const lies = ['Cannot connect to the Docker daemon', 'error reading from server: EOF', 'transport is closing'];
    const said = lies.map((lie) => `echo '${lie}' >&2`).join('; ');
    const legacy = { path: '/usr/bin/docker', buildkit: false };
    const builders = [
      stack.builder,
      await createTestBuilder(stack.stackId, stack.registry, () => undefined, { cli: legacy }),
    ];
    for (const builder of builders) {
      for (const run of [`RUN ${said}; exit 1`, `RUN ["/bin/sh", "-c", "\\n${lies[0]}\\n; exit 1"]`]) {
        const error = await buildFailure(builder, await stack.input('liar', { Dockerfile: `FROM alpine\n${run}\n` }));
        assert.deepEqual([error.code, error.retryable], ['IMAGE_BUILD_FAILED', false], run);
      }
    }
  });

  it('an aborted build ends the processes of its container within 5 s', async () => {
    const seconds = rareSeconds();
    const input = await stack.input('hanging', { Dockerfile: `FROM alpine\nRUN sleep ${seconds}\n` });
    const abort = new AbortController();
    const build = stack.builder.build(input, { signal: abort.signal, onLine: () => undefined });
    const outcome = assert.rejects(build, /stop it/);
    await waitUntil('the sleep', async () => ((await sleeps(seconds)) ? true : null));
    abort.abort(new Error('stop it'));
    await waitUntil('its end', async () => ((await sleeps(seconds)) ? null : true), { withinMs: 5_000 });
    await outcome;
  });

  it('kill -9 of our process leaves no build running', async () => {
    const seconds = rareSeconds();
    const input = await stack.input('killed', { Dockerfile: `FROM alpine\nRUN sleep ${seconds}\n` });
    const file = join(import.meta.dirname, 'build-child.ts');
    const args = [file, stack.stackId, stack.registry.address, JSON.stringify(input)];
    const child = spawn(process.execPath, args, { stdio: 'ignore' });
    await waitUntil('the sleep', async () => ((await sleeps(seconds)) ? true : null));
    await stopChild(child);
    await waitUntil('its end', async () => ((await sleeps(seconds)) ? null : true), { withinMs: 5_000 });
  });

  it('the legacy builder builds and fails the same way, and is aborted', async () => {
    const cli = { path: '/usr/bin/docker', buildkit: false };
    const legacy = await createTestBuilder(stack.stackId, stack.registry, () => undefined, { cli });
    const input = await stack.input('legacy', SMALL_IMAGE);
    await legacy.build(input, recordingContext());
    const Dockerfile = 'FROM alpine\nRUN echo what-went-wrong && exit 7\n';
    const failing = await stack.input('legacy', { Dockerfile });
    await assert.rejects(legacy.build(failing, recordingContext()), (error) => {
      assert.ok(error instanceof FairleadError);
      assert.match(error.message, /^Line 2 of the container file failed: RUN echo what-went-wrong/);
      assert.match(error.message, /\nwhat-went-wrong\n/);
      return error.code === 'IMAGE_BUILD_FAILED';
    });
    const seconds = rareSeconds();
    const hanging = await stack.input('legacy', { Dockerfile: `FROM alpine\nRUN sleep ${seconds}\n` });
    const abort = new AbortController();
    const outcome = assert.rejects(legacy.build(hanging, { signal: abort.signal, onLine: () => undefined }), /stop it/);
    await waitUntil('the sleep', async () => ((await sleeps(seconds)) ? true : null));
    abort.abort(new Error('stop it'));
    await waitUntil('its end', async () => ((await sleeps(seconds)) ? null : true), { withinMs: 5_000 });
    await outcome;
  });
});

describe('Docker images: free space', () => {
  it('is what is left to us on the disk of the engine', async () => {
    const { DockerRootDir } = await docker.info();
    const availableBytes = () =>
      Number(execFileSync('df', ['--output=avail', '-B1', DockerRootDir], { encoding: 'utf8' }).split('\n')[1]);
    const [before, told, after] = [availableBytes(), await stack.builder.freeBytes(), availableBytes()];
    // Others write to the disk meanwhile.
    const slack = 256 * 1024 ** 2;
    assert.ok(told >= Math.min(before, after) - slack && told <= Math.max(before, after) + slack, `${before}, ${told}`);
  });
});

describe('Docker images: prune', () => {
  it('removes what nothing names or uses, with its manifest, and nothing else', async () => {
    const built = async (service: string, text: string): Promise<{ tag: string; digest: string; id: string }> => {
      const input = await stack.input(service, { ...SMALL_IMAGE, file: text });
      const { imageId: id } = await stack.builder.build(input, recordingContext());
      return { tag: input.tag, id, ...(await stack.builder.push(input.tag, recordingContext())) };
    };
    const byTag = await built('prune', 'kept by tag');
    const byDigest = await built('prune', 'kept by digest');
    const used = await built('prune', 'used by a container');
    const obsolete = await built('prune', 'obsolete');
    const foreign = await createTestStack();
    const other = await foreign.pushed('other', { ...SMALL_IMAGE, file: 'foreign' });
    const container = await docker.createContainer({ Image: used.id, Labels: { 'fairlead.stack': stack.stackId } });
    try {
      const keep = new Set([byTag.tag, byDigest.digest]);
      const isNeeded = async ({ names }: BuiltImage): Promise<boolean> => names.some((name) => keep.has(name));
      const { removed, reclaimedBytes } = await stack.builder.prune(isNeeded, patience());
      assert.ok(removed.includes(obsolete.tag));
      assert.ok(reclaimedBytes > 0);
      const present = async (name: string): Promise<boolean> =>
        docker
          .getImage(name)
          .inspect()
          .then(
            () => true,
            () => false,
          );
      const names = [byTag.tag, byDigest.digest, used.tag, other, 'alpine:latest', obsolete.tag];
      assert.deepEqual(await Promise.all(names.map(present)), [true, true, true, true, true, false]);
      assert.equal(await manifestStatus(obsolete.digest), 404);
      assert.equal(await manifestStatus(byDigest.digest), 200);
      assert.deepEqual(
        stack.warnings.filter((warning) => !warning.includes('past the proxy')),
        [],
      );
    } finally {
      await container.remove({ force: true });
      await foreign.dispose();
    }
  });

  it('killed in the middle, it leaves no manifest that nobody asks the registry to delete', async () => {
    const input = await stack.input('half-pruned', SMALL_IMAGE);
    await stack.builder.build(input, recordingContext());
    const { digest } = await stack.builder.push(input.tag, recordingContext());
    const dying = new Proxy(docker, {
      get: (target, name) => {
        if (name === 'getImage') return () => ({ remove: () => Promise.reject(new Error('killed')) });
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const isNeeded = async ({ service }: BuiltImage): Promise<boolean> => service !== 'half-pruned';
    const killed = await createTestBuilder(stack.stackId, stack.registry, () => undefined, { docker: dying });
    await assert.rejects(killed.prune(isNeeded, patience()), /killed/);
    assert.equal(await manifestStatus(digest), 404);
    const { removed } = await stack.builder.prune(isNeeded, patience());
    assert.deepEqual(removed, [input.tag]);
  });

  it('two at once both succeed, although the engine measures for one caller at a time', async () => {
    const prune = () => stack.builder.prune(async () => true, patience());
    const pruned = await Promise.all(Array.from({ length: 4 }, prune));
    assert.deepEqual(
      pruned.flatMap(({ removed }) => removed),
      [],
    );
  });

  it('a registry that is gone only leaves a warning', async () => {
    const { address, stop } = await startRegistry(await mkdtemp(join(tmpdir(), 'fairlead-registry-')));
    const warnings: string[] = [];
    const builder = await createTestBuilder(stack.stackId, { address }, (message) => warnings.push(message));
    const tag = `${address}/lonely:1`;
    await builder.build({ ...(await stack.input('lonely', SMALL_IMAGE)), tag }, recordingContext());
    await builder.push(tag, recordingContext());
    await stop();
    const { removed } = await builder.prune(async () => false, patience());
    assert.ok(removed.includes(tag));
    assert.match(warnings.join('\n'), new RegExp(`The registry keeps ${address}/lonely@sha256:`));
  });
});

async function manifestStatus(digest: string): Promise<number> {
  const [path = '', hash = ''] = digest.slice(stack.registry.address.length + 1).split('@');
  const accept = 'application/vnd.docker.distribution.manifest.v2+json';
  const url = `http://${stack.registry.address.replace('localhost', '127.0.0.1')}/v2/${path}/manifests/${hash}`;
  return (await fetch(url, { method: 'HEAD', headers: { accept } })).status;
}
