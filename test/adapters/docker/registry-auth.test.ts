import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ownClientEnvironment } from '../../../adapters/docker/docker-cli.ts';
import { registryAuthFor } from '../../../adapters/docker/registry-auth.ts';
import type { ImageBuilder } from '../../../domain/deploys/image-builder.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { recordingContext } from '../../ports/workload-runtime.ts';
import { createTestBuilder, createTestStack, docker, env, startRegistry, type TestStack } from './engine-fixture.ts';

const TOKEN = 'canary-push-token';
const HTPASSWD = 'pusher:$2b$05$sNF61jUTraZuV8uL0XzjpuNmvtwr9rp1Nk6qrvdfn4oQsD8CQcsu.\n';

describe('A registry that asks for credentials', () => {
  let stack: TestStack;
  let registry: Awaited<ReturnType<typeof startRegistry>>;
  before(async () => {
    stack = await createTestStack();
    registry = await startRegistry(await mkdtemp(join(tmpdir(), 'fairlead-registry-')), HTPASSWD);
  });
  after(async () => {
    await stack.dispose();
    await registry.stop();
  });

  const builderWith = (token: string | undefined): Promise<ImageBuilder> =>
    createTestBuilder(stack.stackId, { address: registry.address, user: 'pusher', token }, () => undefined);

  const built = async (): Promise<string> => {
    const input = await stack.input('guarded', { Dockerfile: 'FROM alpine\nUSER 1001\n' });
    const tag = input.tag.replace(stack.registry.address, registry.address);
    await stack.builder.build({ ...input, tag }, recordingContext());
    return tag;
  };

  it('gets them in a header: the token stands in no line and no process listing', async () => {
    const builder = await builderWith(TOKEN);
    const context = recordingContext();
    const seen: string[] = [];
    const pushing = builder.push(await built(), context);
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      seen.push(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
    }
    const { digest } = await pushing;
    assert.match(digest, /@sha256:/);
    assert.ok(![...seen, ...context.lines].some((text) => text.includes(TOKEN)));
  });

  it('a build may begin from an image of it; the client reads the credentials from a file for its owner alone', async () => {
    const tag = await built();
    await (await builderWith(TOKEN)).push(tag, recordingContext());
    await docker.getImage(tag).remove({ force: true });
    const folder = await mkdtemp(join(tmpdir(), 'fairlead-client-'));
    const auth = { address: registry.address, user: 'pusher', token: TOKEN };
    const own = await ownClientEnvironment(env, folder, auth);
    assert.equal((await stat(join(folder, 'config.json'))).mode & 0o777, 0o600);
    const builder = await createTestBuilder(stack.stackId, auth, () => undefined, { env: own });
    const input = await stack.input('guarded', { Dockerfile: `FROM ${tag}\nRUN true\n` });
    await builder.build(input, recordingContext());
    await docker.getImage(tag).remove({ force: true });
    await rm(folder, { recursive: true });
  });

  it('a refused push is not retryable, names the variables, and not the token', async () => {
    const builder = await builderWith('wrong-canary');
    await assert.rejects(builder.push(await built(), recordingContext()), (error) => {
      assert.ok(error instanceof FairleadError && error.code === 'IMAGE_PUSH_FAILED');
      assert.equal(error.retryable, false);
      assert.match(error.message, /DOCKER_REGISTRY_TOKEN/);
      return !error.message.includes('wrong-canary');
    });
  });
});

describe('registryAuthFor', () => {
  it('gives credentials to images of our registry alone', () => {
    const registry = { address: 'registry.example:5000/team', user: 'u', token: 't' };
    assert.deepEqual(registryAuthFor('registry.example:5000/team/app:1', registry), {
      username: 'u',
      password: 't',
      serveraddress: 'registry.example:5000',
    });
    for (const image of ['node:24', 'other.example/app', 'registry.example/app:1']) {
      assert.equal(registryAuthFor(image, registry), null);
    }
  });
});
