import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import type Docker from 'dockerode';
import { createBuildProxy } from '../../../adapters/build-proxy/build-proxy.ts';
import type { BuildEgress } from '../../../adapters/build-proxy/egress-rules.ts';
import { engineEgress, engineProxySocket } from '../../../adapters/build-proxy/engine-proxy.ts';
import { PUBLIC_REGISTRIES } from '../../../adapters/build-proxy/package-registries.ts';
import { createBaseImages } from '../../../adapters/docker/base-images.ts';
import { findCgroups } from '../../../adapters/docker/build-bounds/cgroups.ts';
import { type BuildEngine, createBuildEngine } from '../../../adapters/docker/build-engine/build-engine.ts';
import { findEnginePrograms } from '../../../adapters/docker/build-engine/engine-programs.ts';
import { findDockerCli } from '../../../adapters/docker/docker-cli.ts';
import { createDockerClient } from '../../../adapters/docker/docker-client.ts';
import { createImageBuilder, type ImageBuilderOptions } from '../../../adapters/docker/image-builder.ts';
import type { RegistryAuth } from '../../../adapters/docker/registry-auth.ts';
import type { BuildProxyAccess } from '../../../adapters/docker/relay/build-relay.ts';
import { createStandIns } from '../../../adapters/docker/stand-ins/stand-in-images.ts';
import { baseEnv } from '../../../adapters/process/base-env.ts';
import { systemLookup } from '../../../adapters/public-address.ts';
import { buildLimits } from '../../../domain/deploys/build-limits.ts';
import type { EffectContext } from '../../../domain/deploys/effect-context.ts';
import type { ImageBuilder, ImageBuildInput } from '../../../domain/deploys/image-builder.ts';
import { createDisposableStacks } from '../../../infra/dev/disposable-stacks.ts';
import { recordingContext } from '../../ports/workload-runtime.ts';
import { freePort } from '../../support/free-port.ts';
import { patience } from '../../support/patience.ts';
import { toolPath } from '../../support/tool-path.ts';
import { waitUntil } from '../../support/wait-until.ts';

export const docker = createDockerClient(process.env.DOCKER_HOST);
export const env = baseEnv(process.env);
const stacks = createDisposableStacks(docker, process.env);
export const cacheDirectory = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'fairlead');

/** A stack of its own on the real engine, with a registry of its own on a free loopback port. */
export interface TestStack {
  readonly stackId: string;
  readonly registry: { readonly address: string };
  /** By which its builds reach package registries. */
  readonly buildProxy: BuildProxyAccess;
  readonly builder: ImageBuilder;
  readonly warnings: string[];
  /** Writes files into a new folder and returns the input of their build. */
  input(service: string, files: Readonly<Record<string, string>>): Promise<ImageBuildInput>;
  /** Builds and pushes files; returns the digest reference. */
  pushed(service: string, files: Readonly<Record<string, string>>): Promise<string>;
  /** Removes everything the stack made. */
  dispose(): Promise<void>;
}

/** @param engineRegistry the registry that an engine of builds reaches; by default the stack's own */
export async function createTestStack(engineRegistry?: string): Promise<TestStack> {
  const stackId = `t${randomBytes(5).toString('hex')}`;
  await stacks.add(stackId);
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-docker-'));
  const { address, stop } = await startRegistry(join(folder, 'registry'));
  const registry = { address };
  const warnings: string[] = [];
  const buildProxy = await startBuildProxy(join(folder, 'builds'), engineRegistry ?? address);
  const builder = await createTestBuilder(stackId, registry, (message) => warnings.push(message), {
    buildProxy: buildProxy.access,
  });
  let inputs = 0;
  const input = async (service: string, files: Readonly<Record<string, string>>): Promise<ImageBuildInput> => {
    inputs += 1;
    const contextDirectory = join(folder, `context-${inputs}`);
    for (const [name, text] of Object.entries(files)) {
      const path = join(contextDirectory, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
    const buildId = `bld_${stackId}${inputs}`;
    const dockerfile = join(contextDirectory, 'Dockerfile');
    const tag = `${address}/${service}:${buildId}`;
    const build = { buildId, org: 'acme', service, environment: 'sandbox' } as const;
    return { ...build, contextDirectory, dockerfile, tag, labels: {}, secrets: {} };
  };
  return {
    stackId,
    registry,
    buildProxy: buildProxy.access,
    builder,
    warnings,
    input,
    pushed: async (service, files) => {
      const made = await input(service, files);
      await builder.build(made, recordingContext());
      return (await builder.push(made.tag, recordingContext())).digest;
    },
    dispose: async () => {
      await stacks.remove(stackId);
      await stop();
      await buildProxy.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const RELAY_IMAGE = 'node:24-alpine';

/** A machine that never built anything has none. */
async function relayImage(address: string, context: EffectContext): Promise<string> {
  const options = { docker, standIns: testStandIns(), registry: { address }, now: () => new Date() };
  await createBaseImages(options).ensure([RELAY_IMAGE], context);
  return RELAY_IMAGE;
}

/** The proxies of builds, with the registries that the platform names by itself. */
export async function startBuildProxy(
  folder: string,
  registry: string,
  egress: Partial<BuildEgress> = {},
): Promise<{ access: BuildProxyAccess; close: () => Promise<void> }> {
  const known: BuildEgress = { registries: PUBLIC_REGISTRIES, reach: 'public', ...egress };
  const outbound = { lookup: systemLookup, env, onError: () => undefined };
  const socket = join(folder, 'http.sock');
  await mkdir(folder, { recursive: true });
  const ofSteps = createBuildProxy({ ...outbound, egress: async () => known });
  const ofEngine = createBuildProxy({ ...outbound, egress: async () => engineEgress(known, registry) });
  // The relay runs as another user.
  for (const path of [join(folder, '..'), folder]) await chmod(path, 0o755);
  for (const [proxy, path] of [
    [ofSteps, socket],
    [ofEngine, engineProxySocket(socket)],
  ] as const) {
    await new Promise<void>((resolve) => proxy.server.listen(path, resolve));
    await chmod(path, 0o666);
  }
  const close = async () => {
    await Promise.all([ofSteps.close(100), ofEngine.close(100)]);
  };
  return { access: { socket, image: (context) => relayImage(registry, context) }, close };
}

export const TEST_LIMITS = buildLimits(
  { processes: 4_096, memoryBytes: 2 * 1024 ** 3, diskBytes: 4 * 1024 ** 3, builds: 2 },
  totalmem(),
);

/** The image builder of a test stack, on the real engine; without a proxy of builds unless `changes` names one. */
export async function createTestBuilder(
  stackId: string,
  registry: RegistryAuth,
  onWarning: (message: string) => void,
  changes: Partial<ImageBuilderOptions> = {},
): Promise<ImageBuilder> {
  const cli = await findDockerCli({ env, signal: patience() });
  const baseImages = (engine: Docker) =>
    createBaseImages({ docker: engine, standIns: testStandIns(engine), registry, now: () => new Date() });
  const options = { docker, cli, registry, baseImages, stackId, env, onWarning, now: () => new Date() };
  const bounds = { limits: TEST_LIMITS, cgroups: await findCgroups() };
  return createImageBuilder({ ...options, ...bounds, buildEngine: null, buildProxy: null, ...changes });
}

/** An engine of builds of a test stack's own, and the builder that uses it. */
export async function createTestEngine(
  stack: TestStack,
  { volume, ...changes }: Partial<ImageBuilderOptions> & { readonly volume?: string } = {},
): Promise<{ engine: BuildEngine; builder: ImageBuilder }> {
  const { stackId, registry, buildProxy, warnings } = stack;
  const { folders: programFolders, missing } = await findEnginePrograms();
  assert.deepEqual(missing, []);
  const folder = join(dirname(buildProxy.socket), '..', 'engine');
  const onWarning = (message: string) => warnings.push(message);
  const engine = createBuildEngine({
    ...{ machine: changes.docker ?? docker, programFolders, stackId, volume, folder, registry, access: buildProxy },
    onWarning,
  });
  const options = { buildEngine: engine, buildProxy, ...changes };
  return { engine, builder: await createTestBuilder(stackId, registry, onWarning, options) };
}

export const standInOptions = {
  ...{ docker, env, cacheDirectory, nodePath: process.execPath },
  nodeVersion: process.versions.node,
};

export const testStandIns = (engine: Docker = docker) => createStandIns({ ...standInOptions, docker: engine });

/** The real registry, with deletion on; with the text of a password file it asks for credentials. */
export async function startRegistry(
  folder: string,
  htpasswd?: string,
): Promise<{ address: string; stop: () => Promise<void> }> {
  const port = await freePort();
  await mkdir(folder, { recursive: true });
  const config = join(folder, 'config.yml');
  await writeFile(
    config,
    `version: 0.1
log: { level: error, accesslog: { disabled: true } }
storage: { filesystem: { rootdirectory: ${JSON.stringify(join(folder, 'data'))} }, delete: { enabled: true } }
http: { addr: '127.0.0.1:${port}' }
${htpasswd === undefined ? '' : `auth: { htpasswd: { realm: test, path: ${JSON.stringify(join(folder, 'passwords'))} } }\n`}`,
  );
  if (htpasswd !== undefined) await writeFile(join(folder, 'passwords'), htpasswd);
  const child = spawn(await toolPath('registry'), ['serve', config], {
    stdio: 'ignore',
    env: { ...env, OTEL_TRACES_EXPORTER: 'none' },
  });
  const address = `localhost:${port}`;
  await waitUntil('the registry', () =>
    fetch(`http://127.0.0.1:${port}/v2/`).then(
      (answer) => (answer.status < 500 ? true : null),
      () => null,
    ),
  );
  const stop = async (): Promise<void> => {
    await stopChild(child);
    await rm(folder, { recursive: true, force: true });
  };
  return { address, stop };
}

export async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
