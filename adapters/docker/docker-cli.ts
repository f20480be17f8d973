import { constants } from 'node:fs';
import { access, chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { FairleadError } from '../../domain/errors.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import { runProcess } from '../process/run-process.ts';
import { type RegistryAuth, registryHost } from './registry-auth.ts';

/** A docker command-line client and how it builds: with BuildKit, or with the engine's legacy builder. */
export interface DockerCli {
  readonly path: string;
  readonly buildkit: boolean;
}

export interface DockerCliSearch {
  /** Value of DOCKER_CLI: tried first. */
  readonly preferred?: string | undefined;
  readonly env: ProcessEnv;
  readonly signal: AbortSignal;
}

/**
 * The environment of the docker client with a configuration of the platform's own: without the operator's credentials,
 * credential helpers, proxies and contexts. Of the operator's it keeps where plug-ins are, such as buildx. It has the
 * credentials of the platform's registry: a container file may begin from an image of its own service.
 * @param directory is made and written, for its owner alone
 */
export async function ownClientEnvironment(
  env: ProcessEnv,
  directory: string,
  registry: RegistryAuth,
): Promise<ProcessEnv> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const operators = env.DOCKER_CONFIG ?? join(env.HOME ?? '/root', '.docker');
  const config = { cliPluginsExtraDirs: [join(operators, 'cli-plugins')], auths: clientAuths(registry) };
  const path = join(directory, 'config.json');
  await writeFile(path, JSON.stringify(config), { mode: 0o600 });
  // One that is there already keeps its mode.
  await chmod(path, 0o600);
  return { ...env, DOCKER_CONFIG: directory };
}

/** As `docker login` writes them. */
function clientAuths(registry: RegistryAuth): Readonly<Record<string, { readonly auth: string }>> {
  const { user, token } = registry;
  if (user === undefined || token === undefined) return {};
  return { [registryHost(registry)]: { auth: Buffer.from(`${user}:${token}`).toString('base64') } };
}

/**
 * Finds a docker client, preferring one that can do BuildKit. The client is asked for it, because its version does not
 * tell: a newer client without buildx has only the legacy builder, an older one has BuildKit built in.
 * @throws UNAVAILABLE when there is no client at all
 */
export async function findDockerCli({ preferred, env, signal }: DockerCliSearch): Promise<DockerCli> {
  const found = await presentClients(preferred, env);
  for (const path of found) {
    if (await doesBuildKit(path, env, signal)) return { path, buildkit: true };
  }
  const [path] = found;
  if (path !== undefined) return { path, buildkit: false };
  const text = 'No docker client was found: install one (Debian: apt-get install docker.io) or name it in DOCKER_CLI';
  throw new FairleadError('UNAVAILABLE', text);
}

async function presentClients(preferred: string | undefined, env: ProcessEnv): Promise<string[]> {
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder.startsWith('/'));
  const candidates = [
    ...(preferred === undefined || preferred === '' ? [] : [preferred]),
    ...folders.map((folder) => join(folder, 'docker')),
    '/usr/bin/docker',
  ];
  const present: string[] = [];
  for (const candidate of new Set(candidates)) {
    if (await isExecutable(candidate)) present.push(candidate);
  }
  return present;
}

async function doesBuildKit(path: string, env: ProcessEnv, signal: AbortSignal): Promise<boolean> {
  const asked = await runProcess(path, ['build', '--help'], { env: { ...env, DOCKER_BUILDKIT: '1' }, signal });
  const help = asked.stdout + asked.stderr;
  return asked.exitCode === 0 && help.includes('--progress') && help.includes('--secret');
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
