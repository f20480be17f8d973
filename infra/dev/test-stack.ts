import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineFolder, SOCKET_NAME } from '../../adapters/docker/build-engine/engine-container.ts';
import { createDockerClient } from '../../adapters/docker/docker-client.ts';
import { removeImages } from '../../adapters/docker/stack-teardown.ts';
import { PART_ROWS } from './parts.ts';
import { platformVariables } from './platform-variables.ts';
import { cacheFolder, type Env } from './project.ts';
import { type Stack, startStack } from './stack.ts';
import type { EngineConsent } from './start-engine.ts';
import type { Reporter } from './terminal.ts';
import { tryLock } from './tools/folder-lock.ts';

/** About the machine and its terminal, not about an installation. */
const OF_THE_MACHINE: ReadonlySet<string> = new Set([
  ...['HOME', 'XDG_CACHE_HOME', 'XDG_CONFIG_HOME', 'DOCKER_HOST', 'DOCKER_CLI', 'BASE_IMAGE_STAND_INS', 'LOG_LEVEL'],
  ...['CI', 'NO_COLOR', 'DISPLAY', 'WAYLAND_DISPLAY', 'SSH_CONNECTION', 'SSH_TTY'],
]);

// Tests must never reach what these name, and must not take the ports or data of a running stack.
const PRODUCTION = [
  ...PART_ROWS.flatMap(({ replacedBy, replacedWith, provides }) => {
    return [replacedBy, ...replacedWith, ...provides.map(({ variable }) => variable)];
  }),
  ...(await platformVariables()).filter((name) => !OF_THE_MACHINE.has(name)),
];

/** Takes production addresses and keys out of this process's environment, and so out of its children's. */
export function forgetProduction(env: NodeJS.ProcessEnv): void {
  for (const name of PRODUCTION) delete env[name];
}

/** Of every stack that tests start. */
export const TEST_SETTINGS = {
  // Releases that never become healthy are given up sooner than in production.
  READINESS_TIMEOUT_SECONDS: '15',
  // All tests call with one key, and several wait for builds at once.
  REQUESTS_PER_MINUTE: '100000',
  // Where tests make their repositories.
  LOCAL_SOURCES_ROOT: tmpdir(),
};

/** Starts a stack on free ports with a data folder of its own. `end(keep)` stops it and removes the folder unless kept. */
export async function startTestStack(
  env: Env,
  report: Reporter,
  { engine, signal }: { engine: EngineConsent; signal: AbortSignal },
): Promise<{ stack: Stack; end: (keep: boolean) => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-test-'));
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  const cache = await takeBuildCache(env);
  try {
    const options = { dataDir, ports: 'free', env, report, signal, engine, disposable: true } as const;
    const stack = await startStack({ ...options, variables: { ...TEST_SETTINGS, ...cache.variables } });
    const end = async (keep: boolean): Promise<void> => {
      await leaveBuildCache(dataDir);
      await stack.stop();
      await cache.release();
      if (keep) report.line(`the logs of the test stack are kept in ${join(dataDir, 'logs')}`);
      else await remove();
    };
    return { stack, end };
  } catch (error) {
    await cache.release();
    report.line(`the logs of the test stack are kept in ${join(dataDir, 'logs')}`);
    throw error;
  }
}

const BUILD_CACHE = 'fairlead-test-builds';

/** Base images and layers of earlier runs; none while another run has them. */
async function takeBuildCache(env: Env): Promise<{ variables: Record<string, string>; release: () => Promise<void> }> {
  const lock = await tryLock(join(cacheFolder(env), `${BUILD_CACHE}.lock`));
  if (!('release' in lock)) return { variables: {}, release: async () => undefined };
  return { variables: { BUILD_CACHE_VOLUME: BUILD_CACHE }, release: lock.release };
}

/** Removes from its engine of builds what the stack made, but for the cache. No error where no engine runs. */
async function leaveBuildCache(dataDir: string): Promise<void> {
  const secrets: { STACK_ID?: string } = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'));
  const engine = createDockerClient(`unix://${join(engineFolder(dataDir), SOCKET_NAME)}`);
  const isRunning = await engine.ping().then(
    () => true,
    () => false,
  );
  if (isRunning) await removeImages(engine, secrets.STACK_ID ?? '');
}
