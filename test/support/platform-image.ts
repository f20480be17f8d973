import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { findDockerCli } from '../../adapters/docker/docker-cli.ts';
import { createDockerClient } from '../../adapters/docker/docker-client.ts';
import { removeImage } from '../../adapters/docker/remove-image.ts';
import { createStandIns } from '../../adapters/docker/stand-ins/stand-in-images.ts';
import { baseEnv } from '../../adapters/process/base-env.ts';
import { runProcess } from '../../adapters/process/run-process.ts';
import { cacheFolder } from '../../infra/dev/project.ts';
import { TEST_SAMPLE, TEST_SMOKE } from '../../infra/dev/test-variables.ts';
import { buildPlatformImage, type PlatformImage } from '../../infra/image/build-platform-image.ts';

const FULL = 'node:24-trixie';
const BUILD_MS = 600_000;

/** Why it is not built: in a run of everything it would take minutes, of which most are those of the package registry. */
export const imageLeftOut: string | false =
  process.env[TEST_SAMPLE] || process.env[TEST_SMOKE]
    ? '"npm test -- infra/image" builds and plays it, as --every does'
    : false;

export interface TestImage extends PlatformImage {
  readonly docker: Docker;
  readonly tag: string;
  /** What the builder said. */
  readonly lines: readonly string[];
  remove(): Promise<void>;
}

/** The platform's image, built by its own container file on a base of this machine's programs: none can be pulled here. */
export async function buildTestImage(): Promise<TestImage> {
  const docker = createDockerClient(process.env.DOCKER_HOST);
  const id = randomBytes(4).toString('hex');
  const base = `fairlead-test-base:${id}`;
  const tag = `fairlead-test-image:${id}`;
  const lines: string[] = [];
  try {
    await makeBase(docker, base);
    const onLine = (line: string) => void lines.push(line);
    const built = await buildPlatformImage({ docker, env: process.env, tag, base, network: 'host', onLine });
    const remove = async (): Promise<void> => {
      for (const name of [tag, base]) await removeImage(docker, name);
    };
    return { ...built, docker, tag, lines, remove };
  } catch (error) {
    for (const name of [tag, base]) await removeImage(docker, name).catch(() => undefined);
    throw error;
  }
}

/** Node with git, as this machine has them, and its docker client. */
async function makeBase(docker: Docker, name: string): Promise<void> {
  const env = baseEnv(process.env);
  const options = { docker, env, cacheDirectory: cacheFolder(process.env), nodePath: process.execPath };
  await createStandIns({ ...options, nodeVersion: process.versions.node }).provide(FULL);
  const signal = AbortSignal.timeout(BUILD_MS);
  const cli = await findDockerCli({ env, signal });
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-base-'));
  try {
    await copyFile(cli.path, join(folder, 'docker'));
    await writeFile(join(folder, 'Dockerfile'), `FROM ${FULL}\nCOPY docker /usr/local/bin/docker\n`);
    const args = ['build', '--tag', name, folder];
    const result = await runProcess(cli.path, args, { env: { ...env, DOCKER_BUILDKIT: '1' }, signal });
    if (result.exitCode !== 0) throw new Error(result.stderr);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
