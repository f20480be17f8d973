import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PART_ROWS } from './parts.ts';
import { platformVariables } from './platform-variables.ts';
import type { Env } from './project.ts';
import { type Stack, startStack } from './stack.ts';
import type { EngineConsent } from './start-engine.ts';
import type { Reporter } from './terminal.ts';
import { mongodbOfServices } from './test-mongodb.ts';

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

export interface TestStackOptions {
  readonly engine: EngineConsent;
  readonly signal: AbortSignal;
  /** Over {@link TEST_SETTINGS}. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Starts a stack on free ports with a data folder of its own. `end(keep)` stops it and removes the folder unless kept. */
export async function startTestStack(
  env: Env,
  report: Reporter,
  { engine, signal, variables }: TestStackOptions,
): Promise<{ stack: Stack; end: (keep: boolean) => Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'fairlead-test-'));
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  try {
    const services = { ...env, ...mongodbOfServices(env) };
    const options = { dataDir, ports: 'free', env: services, report, signal, engine, disposable: true } as const;
    const stack = await startStack({ ...options, variables: { ...TEST_SETTINGS, ...variables } });
    const end = async (keep: boolean): Promise<void> => {
      await stack.stop();
      if (keep) report.line(`the logs of the test stack are kept in ${join(dataDir, 'logs')}`);
      else await remove();
    };
    return { stack, end };
  } catch (error) {
    report.line(`the logs of the test stack are kept in ${join(dataDir, 'logs')}`);
    throw error;
  }
}
