import { join } from 'node:path';
import type Docker from 'dockerode';
import { findDockerCli } from '../../adapters/docker/docker-cli.ts';
import { baseEnv, type ProcessEnv } from '../../adapters/process/base-env.ts';
import { runProcess } from '../../adapters/process/run-process.ts';
import { FairleadError } from '../../domain/errors.ts';
import { currentCommit } from '../dev/current-commit.ts';
import { type Env, projectRoot } from '../dev/project.ts';

export const DEFAULT_TAG = 'fairlead:local';

export interface PlatformImageOptions {
  readonly docker: Docker;
  readonly env: Env;
  readonly tag: string;
  /** Instead of the base that the container file names. */
  readonly base?: string | undefined;
  /** Path of settings of npm for the build. */
  readonly npmrc?: string | undefined;
  /** Of the build's RUN instructions. */
  readonly network?: string | undefined;
  /** What the builder says. */
  readonly onLine: (line: string) => void;
}

export interface PlatformImage {
  /** Of the image in this engine: `sha256:…`. */
  readonly digest: string;
  readonly sizeBytes: number;
}

const BUILD_MS = 1_800_000;
const PUSH_MS = 600_000;

/**
 * Builds the platform's image from this checkout. @throws UNAVAILABLE without a docker client that builds with BuildKit;
 * IMAGE_BUILD_FAILED with what the builder said last
 */
export async function buildPlatformImage(options: PlatformImageOptions): Promise<PlatformImage> {
  const { docker, tag, base, npmrc, network } = options;
  const { path, env } = await client(options);
  const args = [
    ...['build', '--progress=plain', '--file', join(projectRoot, 'infra', 'image', 'Dockerfile'), '--tag', tag],
    ...['--build-arg', `COMMIT=${await currentCommit()}`],
    ...(base === undefined ? [] : ['--build-arg', `NODE_IMAGE=${base}`]),
    ...(npmrc === undefined ? [] : ['--secret', `id=npmrc,src=${npmrc}`]),
    ...(network === undefined ? [] : ['--network', network]),
    projectRoot,
  ];
  await runClient(path, args, { env, limitMs: BUILD_MS, onLine: options.onLine, doing: 'built' });
  const { Id: digest, Size: sizeBytes } = await docker.getImage(tag).inspect();
  return { digest, sizeBytes };
}

/** Pushes it with the login of the docker client. @returns the name with the digest by which it is pulled */
export async function pushPlatformImage(options: PlatformImageOptions): Promise<string> {
  const { docker, tag } = options;
  const { path, env } = await client(options);
  await runClient(path, ['push', tag], { env, limitMs: PUSH_MS, onLine: options.onLine, doing: 'pushed' });
  const { RepoDigests: names = [] } = await docker.getImage(tag).inspect();
  const repository = tag.replace(/:[^:/]+$/, '');
  const name = names.find((one) => one.startsWith(`${repository}@`));
  if (name === undefined) throw new FairleadError('UNAVAILABLE', `the registry named no digest of ${tag}`);
  return name;
}

async function client({ env: given }: PlatformImageOptions): Promise<{ path: string; env: ProcessEnv }> {
  const env = baseEnv(given);
  const cli = await findDockerCli({ preferred: given.DOCKER_CLI, env, signal: AbortSignal.timeout(30_000) });
  if (!cli.buildkit) {
    const text = `the docker client ${cli.path} has no BuildKit: install its buildx plugin, or name another in DOCKER_CLI`;
    throw new FairleadError('UNAVAILABLE', text);
  }
  return {
    path: cli.path,
    env: { ...env, DOCKER_BUILDKIT: '1', BUILDX_BUILDER: 'default', BUILDX_NO_DEFAULT_ATTESTATIONS: '1' },
  };
}

interface ClientCall {
  readonly env: ProcessEnv;
  readonly limitMs: number;
  readonly onLine: (line: string) => void;
  readonly doing: string;
}

async function runClient(
  path: string,
  args: readonly string[],
  { env, limitMs, onLine, doing }: ClientCall,
): Promise<void> {
  const last: string[] = [];
  const result = await runProcess(path, args, {
    env,
    signal: AbortSignal.timeout(limitMs),
    onLine: (line) => {
      last.push(line);
      if (last.length > 15) last.shift();
      onLine(line);
    },
  });
  if (result.exitCode === 0) return;
  throw new FairleadError(
    'IMAGE_BUILD_FAILED',
    `the image was not ${doing}: ${last.join('\n') || result.stderr.slice(-2_000)}`,
  );
}
