import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeStack, stopStack } from '../../adapters/docker/stack-teardown.ts';
import { FairleadError } from '../../domain/errors.ts';
import { chainName, EMBEDDED_CHAINS } from './anchor-chains.ts';
import { dockerClient, type Engine, useEngine } from './container-engine.ts';
import { lockDataFolder, prepareDataFolder, readSecrets, type StackSecrets, writePrivateJson } from './data-folder.ts';
import type { Env } from './project.ts';
import { describeParts, type Part, type PartsOptions } from './stack-parts.ts';
import { type PortName, type Ports, startOnPorts } from './stack-ports.ts';
import type { EngineConsent } from './start-engine.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

export interface StackOptions extends PartsOptions {
  readonly ports: 'fixed' | 'free';
  /** What to do where no container engine runs: by default an installed one is started. */
  readonly engine?: EngineConsent;
  /** True for a stack that never starts again: its containers and images are removed when it stops. */
  readonly disposable?: boolean;
  /** Ends the start early; what was started is stopped. */
  readonly signal?: AbortSignal;
}

const START_INSTALLED: EngineConsent = { may: 'start', command: 'npm start -- --yes' };

/** One row of `state.json`. */
export interface PartState {
  readonly pid: number | null;
  readonly address: string;
  readonly version: string;
  readonly logFile: string | null;
  readonly restarts: number;
  readonly dataFolder: string | null;
}

export interface Stack {
  readonly dataDir: string;
  readonly key: string;
  readonly ports: Ports;
  readonly addresses: Readonly<Record<string, string>>;
  /** Current rows, process ids included. */
  readonly state: () => Readonly<Record<string, PartState>>;
  readonly stop: (onStop?: (name: string) => void) => Promise<void>;
  /** Ends all at once, for the impatient. */
  readonly kill: () => void;
}

/**
 * Starts a whole platform on this machine: MongoDB, Temporal, image registry, worker, API and router, each of them
 * replaced by the production address in the environment where there is one. What fails to start leaves nothing running.
 * @throws FairleadError with the one line a person needs
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { dataDir, env, report } = options;
  await prepareDataFolder(dataDir);
  const unlock = await lockDataFolder(dataDir);
  try {
    const needed = neededPorts(options);
    const start = (ports: Ports, handOver: () => Promise<void>) => startOn(options, ports, handOver);
    const stack = await startOnPorts(options.ports, { env, needed, report }, start);
    const stop = async (onStop?: (name: string) => void): Promise<void> => {
      await stack.stop(onStop);
      await unlock();
    };
    return { ...stack, stop };
  } catch (error) {
    await unlock();
    throw error;
  }
}

/** @param handOver gives up the ports, for the programs to take them */
async function startOn(options: StackOptions, ports: Ports, handOver: () => Promise<void>): Promise<Stack> {
  const { dataDir, env, report } = options;
  const undo = [() => rm(join(dataDir, 'connection.json'), { force: true })];
  const unwind = async (): Promise<void> => {
    for (const step of undo.splice(0).toReversed()) await step();
  };
  try {
    const secrets = await readSecrets(dataDir);
    const engine = await useEngine({ env, report, consent: options.engine ?? START_INSTALLED });
    undo.push(engine.leave);
    const parts = await describeParts(options, ports, secrets);
    options.signal?.throwIfAborted();
    const running = await runParts(options, parts, engine, undo);
    if (options.platform !== false) {
      const end = options.disposable === true ? removeStack : stopStack;
      undo.push(() => end(dockerClient(env), secrets.STACK_ID));
    }
    // Undone in reverse: first the processes end, the worker that would start containers again among them.
    undo.push(() => running.supervisor.stop(running.onStop.current));
    options.signal?.addEventListener('abort', () => void running.supervisor.stop(), { once: true });
    await handOver();
    await startParts(options, parts, running.supervisor);
    await writeConnection(dataDir, ports, secrets, parts, env);
    return {
      dataDir,
      key: secrets.INTERNAL_SERVICE_KEY,
      ports,
      addresses: Object.fromEntries([...parts].map(([name, { address }]) => [name, address])),
      state: running.state,
      stop: async (onStop) => {
        running.onStop.current = onStop;
        await unwind();
      },
      kill: running.supervisor.kill,
    };
  } catch (error) {
    await unwind();
    throw error;
  }
}

function neededPorts({ env, platform }: StackOptions): PortName[] {
  const needed: PortName[] = platform === false ? [] : ['idp', 'api', 'audit', 'edge'];
  if (!env.TEMPORAL_ADDRESS) needed.push('temporal', 'temporalUi');
  if (!env.MONGODB_URI) needed.push('mongo');
  if (!env.DOCKER_REGISTRY) needed.push('registry');
  if (!env.AUDIT_CHAINS && platform !== false) needed.push('firstChain', 'secondChain');
  return needed;
}

interface RunningParts {
  readonly supervisor: Supervisor;
  readonly state: () => Record<string, PartState>;
  readonly onStop: { current: ((name: string) => void) | undefined };
}

async function runParts(
  options: StackOptions,
  parts: ReadonlyMap<string, Part>,
  engine: Engine,
  undo: (() => Promise<void>)[],
): Promise<RunningParts> {
  const path = join(options.dataDir, 'state.json');
  let writes = Promise.resolve();
  const supervisor = createSupervisor({
    logFolder: join(options.dataDir, 'logs'),
    onNotice: options.report.line,
    onChange: () => {
      // One after the other, so that the newest state is the one that stays.
      writes = writes.then(() => writePrivateJson(path, state())).catch((error) => options.report.line(String(error)));
    },
  });
  const state = (): Record<string, PartState> => {
    const children = supervisor.states();
    const rows = [...parts].map(([name, { address, version, dataFolder }]): [string, PartState] => {
      const child = children[name];
      const { pid = null, restarts = 0, logFile = null } = child ?? {};
      return [name, { pid: pid ?? null, address, version, logFile, restarts, dataFolder }];
    });
    const { address, version, how } = engine;
    const row = { pid: null, address, version: `${version}, ${how}`, logFile: null, restarts: 0, dataFolder: null };
    return { ...Object.fromEntries(rows), engine: row };
  };
  undo.push(async () => {
    await writes;
    await rm(path, { force: true });
  });
  return { supervisor, state, onStop: { current: undefined } };
}

const SERVERS: readonly string[] = ['mongo', 'temporal', 'registry', ...EMBEDDED_CHAINS.map(chainName)];

async function startParts(options: StackOptions, parts: ReadonlyMap<string, Part>, supervisor: Supervisor) {
  const isServer = (name: string): boolean => SERVERS.includes(name);
  const specs = [...parts.values()].flatMap(({ spec }) => (spec ? [spec] : []));
  // The servers do not know each other: they start together. Ours follow, one after the other.
  const together = await Promise.allSettled(specs.filter(({ name }) => isServer(name)).map(supervisor.start));
  const failed = together.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  for (const spec of specs.filter(({ name }) => !isServer(name))) {
    options.signal?.throwIfAborted();
    await supervisor.start(spec);
  }
}

async function writeConnection(
  dataDir: string,
  ports: Ports,
  secrets: StackSecrets,
  parts: ReadonlyMap<string, Part>,
  env: Env,
): Promise<void> {
  await writePrivateJson(join(dataDir, 'connection.json'), {
    api: `http://127.0.0.1:${ports.api}`,
    key: secrets.INTERNAL_SERVICE_KEY,
    edgePort: ports.edge,
    domain: env.PLATFORM_DOMAIN || 'localhost',
    idp: parts.get('idp')?.address ?? null,
    audit: parts.get('audit')?.address ?? null,
    temporalUi: parts.get('temporal-ui')?.address ?? null,
  }).catch((cause: Error) => {
    throw new FairleadError('UNAVAILABLE', `${dataDir} is not writable: ${cause.message}`, { cause });
  });
}
