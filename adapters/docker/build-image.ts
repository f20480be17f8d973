import { readFile } from 'node:fs/promises';
import type Docker from 'dockerode';

import { type BuildLimits, limitExceeded, machineShort } from '../../domain/deploys/build-limits.ts';
import type { EffectContext } from '../../domain/deploys/effect-context.ts';
import type { ImageBuildInput } from '../../domain/deploys/image-builder.ts';

import { FairleadError } from '../../domain/errors.ts';
import { cutBeforeRedaction } from '../../domain/logs/cut-line.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import { runProcess } from '../process/run-process.ts';
import type { BaseImages } from './base-images.ts';
import type { BoundBuild, BuildOfOrg } from './build-bounds/build-bounds.ts';
import { withSwapBytes } from './build-bounds/cgroup-memory.ts';
import { type BuildNetworkOptions, type RunNetwork, runNetwork, withNoProxyHost } from './build-network.ts';
import { type BuildFailure, createBuildOutput } from './build-output.ts';
import { checkPlatforms } from './check-platforms.ts';
import { checkTriggers } from './check-triggers.ts';
import { createDiskFullCheck } from './disk-full.ts';
import type { DockerCli } from './docker-cli.ts';
import { diskFull, engineDown, engineError } from './docker-client.ts';
import type { EngineInfo } from './engine-info.ts';
import { externalImages } from './external-images.ts';
import { imageLabels } from './labels.ts';
import type { RegistryAuth } from './registry-auth.ts';

export interface BuildImageOptions extends Omit<BuildNetworkOptions, 'buildkit'> {
  readonly docker: Docker;
  readonly cli: DockerCli;
  readonly registry: RegistryAuth;
  readonly baseImages: BaseImages;
  readonly stackId: string;
  /** Holds the RUN instructions of a build to limits. */
  readonly bound: (build: BuildOfOrg) => Promise<BoundBuild>;
  readonly limits: BuildLimits;
  readonly engineInfo: () => Promise<EngineInfo>;
  /** Free bytes on the disk of the engine. */
  readonly freeBytes: () => Promise<number>;
}

/** See `ImageBuilder.build`. Idempotent: a second build of the same input is answered from the engine's cache. */
export async function buildImage(
  input: ImageBuildInput,
  context: EffectContext,
  options: BuildImageOptions,
): Promise<{ imageId: string }> {
  const { cli, baseImages, registry } = options;
  const containerFile = await readContainerFile(input.dockerfile);
  const images = await baseImages.ensure(externalImages(containerFile), context);
  checkPlatforms(containerFile, images, await enginePlatform(options));
  // The tag is in the service's own repository.
  checkTriggers(images, { registry: registry.address, repository: input.tag.slice(0, input.tag.lastIndexOf(':')) });
  const network = await runNetwork({ ...options, buildkit: cli.buildkit }, context);
  const bound = await options.bound(input);
  try {
    return await runBuild(input, context, { ...options, containerFile, network, bound });
  } finally {
    await bound.close();
  }
}

interface PreparedBuild extends Omit<BuildImageOptions, 'bound'> {
  readonly containerFile: string;
  readonly network: RunNetwork;
  readonly bound: BoundBuild;
}

async function runBuild(
  input: ImageBuildInput,
  context: EffectContext,
  options: PreparedBuild,
): Promise<{ imageId: string }> {
  const { cli, containerFile, bound } = options;
  const output = createBuildOutput(containerFile);
  const disk = createDiskFullCheck(options.freeBytes);
  const secrets = clientSecrets(input.secrets, cli);
  const network = withNoProxyHost(options.network, bound.noProxyHost);
  const flags = [...secrets.flags, ...networkFlags(network), ...(cli.buildkit ? [] : await legacyLimits(options))];
  const result = await runProcess(cli.path, buildArguments(input, flags, options), {
    cwd: input.contextDirectory,
    env: { ...clientEnvironment(options), ...network.variables, ...secrets.variables },
    signal: context.signal,
    onLine: (line) => {
      disk.take(line);
      if (output.take(line)) context.onLine(line, /^#\d+ ERROR|^ERROR/.test(line) ? 'error' : 'info');
    },
  });
  if (result.exitCode !== 0) {
    const limit = await bound.exceeded();
    const failure = output.failure();
    if (limit !== null) throw limitExceeded(limit, options.limits, placeOf(failure));
    if (await disk.isFull(builderWords(failure, result.stderr))) throw diskFull('Building the image');
    const shortage = await bound.shortage();
    if (shortage !== null) throw machineShort(shortage, placeOf(failure), failure.lastLines.join('\n'));
    throw buildFailed(failure, result.exitCode, result.stderr);
  }
  return { imageId: await imageId(options.docker, input.tag) };
}

interface ClientSecrets {
  readonly flags: readonly string[];
  /** Variables of the client, which hands them to the builder: no file is written that a killed worker would leave. */
  readonly variables: ProcessEnv;
}

/** @throws IMAGE_BUILD_FAILED without BuildKit, whose mounts alone leave nothing in a layer */
function clientSecrets(secrets: ImageBuildInput['secrets'], cli: DockerCli): ClientSecrets {
  const entries = Object.entries(secrets).map(([id, text], index) => ({ id, text, variable: `BUILD_SECRET_${index}` }));
  if (entries.length > 0 && !cli.buildkit) {
    const text = `The docker client ${cli.path} has no BuildKit, so build-time variables would stay in the image; install its buildx plugin (or unset BUILD_NETWORK=sealed, which is without BuildKit), or take platform.io/env-vars out of the catalog`;
    throw new FairleadError('IMAGE_BUILD_FAILED', text);
  }
  return {
    flags: entries.flatMap(({ id, variable }) => ['--secret', `id=${id},env=${variable}`]),
    variables: Object.fromEntries(entries.map(({ variable, text }) => [variable, text])),
  };
}

/** Build arguments by name: the client reads the values from its environment. */
function networkFlags({ mode, variables }: RunNetwork): string[] {
  return ['--network', mode, ...Object.keys(variables).flatMap((name) => ['--build-arg', name])];
}

async function enginePlatform({ engineInfo }: BuildImageOptions): Promise<string> {
  const { platform } = await engineInfo().catch((error: unknown) => {
    throw engineError(error, 'Asking the engine for its platform', 'UNAVAILABLE', { retryable: true });
  });
  return platform;
}

/** BuildKit ignores these. An engine that leaves control groups to systemd takes slices alone. */
async function legacyLimits({ limits, bound, engineInfo }: PreparedBuild): Promise<string[]> {
  const { memoryBytes } = limits.ofBuild;
  const takesGroup = bound.group !== null && (await engineInfo()).cgroupDriver === 'cgroupfs';
  const group = bound.group !== null && takesGroup ? ['--cgroup-parent', bound.group] : [];
  return ['--memory', String(memoryBytes), '--memory-swap', String(withSwapBytes(memoryBytes)), ...group];
}

function buildArguments(
  input: ImageBuildInput,
  flags: readonly string[],
  { cli, stackId }: Pick<BuildImageOptions, 'cli' | 'stackId'>,
): string[] {
  const labels = { ...input.labels, ...imageLabels(stackId, input) };
  return [
    'build',
    ...(cli.buildkit ? ['--progress=plain'] : ['--force-rm']),
    '--file',
    input.dockerfile,
    '--tag',
    input.tag,
    ...Object.entries(labels).flatMap(([name, value]) => ['--label', `${name}=${value}`]),
    ...flags,
    input.contextDirectory,
  ];
}

function clientEnvironment({ cli, env }: Pick<BuildImageOptions, 'cli' | 'env'>): ProcessEnv {
  return {
    ...env,
    DOCKER_BUILDKIT: cli.buildkit ? '1' : '0',
    // The engine's own builder, whatever builder the machine's user chose: the image has to be in the engine.
    BUILDX_BUILDER: 'default',
    // An attestation would turn the image into an index of images.
    BUILDX_NO_DEFAULT_ATTESTATIONS: '1',
    DOCKER_CLI_HINTS: 'false',
    NO_COLOR: '1',
  };
}

const ENGINE_LOST =
  /cannot connect to the docker daemon|error reading from server: EOF|transport is closing|^unexpected EOF$/im;

const BASE_IMAGE_LOST = /pull access denied|failed to resolve source metadata|manifest unknown|failed to do request/i;

function buildFailed(failure: BuildFailure, exitCode: number | null, stderr: string): FairleadError {
  const end = stderr.slice(-4_000);
  if (!failure.ofProgram && ENGINE_LOST.test(end)) return engineDown(new Error(end.trim().split('\n').at(-1)));
  const { instruction, line, lastLines, remedy } = failure;
  const words = lastLines.join('\n');
  if (instruction === null && BASE_IMAGE_LOST.test(end)) {
    return new FairleadError('BASE_IMAGE_UNAVAILABLE', `A base image of the container file is not available: ${words}`);
  }
  const place = placeOf(failure);
  const what = instruction === null ? 'could not be built' : `failed: ${cutBeforeRedaction(instruction, 200)}`;
  const killed = /exit code: 137|returned a non-zero code: 137/.test(end) ? ' (killed; most often out of memory)' : '';
  const details = { instruction, line, exitCode };
  return new FairleadError(
    'IMAGE_BUILD_FAILED',
    `${place} ${what}${killed}\n${remedy === null ? '' : `${remedy}\n`}${words}`.trim(),
    { details },
  );
}

/** The builder's own words of a failure that is not of a program. The client's last line says it once more. */
function builderWords({ ofProgram, builderSays }: BuildFailure, stderr: string): string[] {
  if (ofProgram) return [];
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('View build details'));
  return [builderSays ?? '', lines.at(-1) ?? ''];
}

function placeOf({ line }: Pick<BuildFailure, 'line'>): string {
  return line === null ? 'The container file' : `Line ${line} of the container file`;
}

async function readContainerFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new FairleadError('CONTAINER_FILE_MISSING', `Container file ${path} could not be read`, { cause });
  }
}

async function imageId(docker: Docker, tag: string): Promise<string> {
  try {
    return (await docker.getImage(tag).inspect()).Id;
  } catch (error) {
    throw engineError(error, `The built image ${tag} is not in the engine`, 'IMAGE_BUILD_FAILED', { retryable: true });
  }
}
