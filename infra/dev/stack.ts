import { join } from 'node:path';
import { stopStack } from '../../adapters/docker/stack-teardown.ts';
import { rotationPath } from '../../adapters/log-files/part-log-folder.ts';
import { LOG_ROTATION } from '../../domain/logs/rotation.ts';
import type { ServiceName } from '../../domain/services.ts';
import { removeConnection, writeConnection } from './connection-file.ts';
import { type Engine, useEngine } from './container-engine.ts';
import { lockDataFolder, prepareDataFolder, writePrivateJson } from './data-folder.ts';
import { type DescribedStack, describeStack } from './describe-stack.ts';
import { createDisposableStacks } from './disposable-stacks.ts';
import { removeFormerLogs } from './former-logs.ts';
import { givenSecrets } from './given-secrets.ts';
import { answerPartRequests } from './part-requests.ts';
import type { PartContext } from './parts/embedded-part.ts';
import { PART_ROWS } from './parts.ts';
import { createPartsOnNeed } from './parts-on-need.ts';
import type { Env } from './project.ts';
import { refuseHalfRestored } from './recovery/restore-mark.ts';
import { neededPorts, type Ports, type StackPorts, startOnPorts } from './stack-ports.ts';
import { readSecrets } from './stack-secrets.ts';
import { createStateFile, type PartState, type StateFile, stackState } from './stack-state.ts';
import type { EngineConsent } from './start-engine.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import type { Reporter } from './terminal.ts';

export interface StackOptions {
  readonly dataDir: string;
  readonly env: Env;
  readonly report: Reporter;
  readonly ports: 'fixed' | 'free';
  /** Variables for the platform's own processes, over those the stack sets. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Services that run as processes of their own; none of them where it says nothing. */
  readonly apart?: readonly ServiceName[];
  /** The longest that a process waits which ends again and again; as the supervisor has it where it says nothing. */
  readonly longestBackoffMs?: number;
  /** What to do where no container engine runs: by default an installed one is started. */
  readonly engine?: EngineConsent;
  /** True for a stack that never starts again: its containers and images are removed when it stops. */
  readonly disposable?: boolean;
  /** Ends the start early; what was started is stopped. */
  readonly signal?: AbortSignal;
}

const START_INSTALLED: EngineConsent = { may: 'start', command: 'npm start -- --yes' };

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
 * Starts a whole platform on this machine: the embedded parts, each of them replaced by the production address in the
 * environment where there is one, then worker, API and router. What fails to start leaves nothing running.
 * @throws FairleadError with the one line a person needs
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { dataDir, env, report } = options;
  await prepareDataFolder(dataDir);
  const unlock = await lockDataFolder(dataDir);
  try {
    await refuseHalfRestored(dataDir);
    const needed = neededPorts(env);
    const start = (ports: StackPorts): Promise<Stack> => startOn(options, ports);
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

/** Undoes one thing that the start did. */
type Undo = (onStop?: (name: string) => void) => Promise<void>;

async function startOn(options: StackOptions, stackPorts: StackPorts): Promise<Stack> {
  const { dataDir, env, report, variables = {}, apart = [] } = options;
  const { ports } = stackPorts;
  const undo: Undo[] = [stackPorts.release, () => removeConnection(dataDir)];
  const unwind: Undo = async (onStop) => {
    for (const step of undo.splice(0).toReversed()) await step(onStop);
  };
  try {
    const { fileBytes, retain } = LOG_ROTATION;
    await writePrivateJson(rotationPath(join(dataDir, 'logs')), { fileBytes, retain });
    await removeFormerLogs(join(dataDir, 'logs'));
    const secrets = await readSecrets(dataDir);
    const engine = await useEngine({ env, report, consent: options.engine ?? START_INSTALLED });
    undo.push(async () => {
      const isStopped = await engine.leave();
      if (isStopped && options.disposable !== true)
        report.line('Container engine: stopped, since no other stack uses it');
    });
    const context: PartContext = { dataDir, ports, secret: secrets.secret, env, report };
    const described = await describeStack(context, { ports, secrets, variables, apart });
    options.signal?.throwIfAborted();
    const stateFile = createStateFile(dataDir, report);
    undo.push(stateFile.remove);
    const { longestBackoffMs } = options;
    const { handOver } = stackPorts;
    // Among them keys that take the place of those that the stack made.
    const given = await givenSecrets({ ...env, ...variables });
    const supervised = {
      context,
      engine,
      secrets: [...secrets.values, ...given],
      stateFile,
      handOver,
      longestBackoffMs,
    };
    const { supervisor, state } = supervise(described, supervised);
    const { stackId } = secrets;
    const disposable = options.disposable === true ? createDisposableStacks(engine.docker, env) : undefined;
    await disposable?.add(stackId);
    undo.push(() => disposable?.remove(stackId) ?? stopStack(engine.docker, stackId));
    // Undone in reverse: first the processes end, the worker that would start containers again among them.
    undo.push(supervisor.stop);
    options.signal?.addEventListener('abort', () => void supervisor.stop(), { once: true });
    await stackPorts.handOver(neededPorts(env));
    await startAll(described, supervisor, options.signal);
    const temporalUi = described.rows['temporal-ui']?.address ?? null;
    await writeConnection(dataDir, { env, key: secrets.internalKey, ports, temporalUi });
    return {
      dataDir,
      key: secrets.internalKey,
      ports,
      addresses: Object.fromEntries(Object.entries(described.rows).map(([name, { address }]) => [name, address])),
      state,
      stop: unwind,
      kill: supervisor.kill,
    };
  } catch (error) {
    await unwind();
    throw error;
  }
}

interface SuperviseOptions {
  readonly context: PartContext;
  readonly engine: Engine;
  /** Values that no log may hold. */
  readonly secrets: readonly string[];
  readonly stateFile: StateFile;
  readonly handOver: StackPorts['handOver'];
  readonly longestBackoffMs: number | undefined;
}

/** A supervisor that writes down what runs, and that starts a part when a process of the platform asks for it. */
function supervise(
  described: DescribedStack,
  { context, engine, secrets, stateFile, handOver, longestBackoffMs }: SuperviseOptions,
): { supervisor: Supervisor; state: Stack['state'] } {
  const rows = { ...described.rows };
  const state = () => stackState(rows, supervisor.states(), engine);
  const supervisor = createSupervisor({
    logFolder: join(context.dataDir, 'logs'),
    secrets,
    onNotice: context.report.line,
    onChange: () => stateFile.write(state()),
    onChannel: (leader) => answerPartRequests(leader, ensurePart),
    ...(longestBackoffMs === undefined ? {} : { lastBackoffMs: longestBackoffMs }),
  });
  const onRows = (known: DescribedStack['rows']): void => void Object.assign(rows, known);
  const ensurePart = createPartsOnNeed({ parts: PART_ROWS, context, supervisor, handOver, onRows });
  return { supervisor, state };
}

async function startAll(
  { servers, processes }: DescribedStack,
  supervisor: Supervisor,
  signal: AbortSignal | undefined,
): Promise<void> {
  const together = await Promise.allSettled(servers.map((server) => supervisor.start(server)));
  const failed = together.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  for (const process of processes) {
    signal?.throwIfAborted();
    await supervisor.start(process);
  }
}
