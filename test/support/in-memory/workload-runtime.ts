import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { ListeningSocket } from '../../../domain/deploys/listening.ts';
import type { Workload, WorkloadRuntime, WorkloadSpec } from '../../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { linesAfter, type OutputLine, type OutputStream, outputText } from '../../../domain/logs/output-line.ts';
import type { InMemoryRegistry, Print, Program, RunningProgram } from './image-registry.ts';
import { type InMemoryNetwork, probeResult, type Reply } from './network.ts';

export interface InMemoryRuntimeOptions {
  readonly network: InMemoryNetwork;
  readonly registry: InMemoryRegistry;
}

export interface InMemoryRuntime extends WorkloadRuntime {
  /** The CPU limit that holds for a workload now, in milli-cores. */
  cpuMillis(workload: Workload): number;
  /** What a workload was started with. */
  specOf(workload: Workload): WorkloadSpec;
  /** Stops a workload without removing it, as a restart of the machine does. */
  stop(workload: Workload): void;
  /** Has a workload print a line. */
  print(workload: Workload, text: string, stream?: OutputStream): void;
}

interface Kept {
  readonly workload: Workload;
  readonly spec: WorkloadSpec;
  readonly start: Program;
  readonly inFlight: Set<Promise<unknown>>;
  readonly printed: OutputLine[];
  /** Tells who follows that there is more, or that the workload is gone. */
  readonly changed: EventEmitter;
  program: RunningProgram;
  /** When it last started or stopped. */
  changedAt: Date;
  running: boolean;
  limited: boolean;
}

/** Until `applyCpuLimit`, a workload has the CPU of the whole machine. */
const MACHINE_CPU_MILLIS = 8_000;

/** Workloads of this process. */
export function createInMemoryRuntime({ network, registry }: InMemoryRuntimeOptions): InMemoryRuntime {
  const all = new Map<string, Kept>();
  const shown = ({ workload, running }: Kept): Workload => ({ ...workload, running });
  const newestFirst = () => [...all.values()].reverse();
  const require = (workload: Workload): Kept => {
    const kept = all.get(workload.id);
    if (kept !== undefined) return kept;
    throw new FairleadError('INSTALL_FAILED', `The workload of ${workload.service} is gone; deploy or roll back`);
  };
  return {
    async start(spec, { signal, onLine }) {
      signal.throwIfAborted();
      const existing = [...all.values()].find(({ workload }) => workload.buildId === spec.buildId);
      if (existing?.running && isAskedAlike(existing.spec, spec)) return shown(existing);
      const program = registry.find(spec.image);
      if (program === null) throw new FairleadError('INSTALL_FAILED', `No image ${spec.image} can be had`);
      if (existing !== undefined) {
        network.close(existing.workload.address);
        all.delete(existing.workload.id);
        existing.changed.emit('change');
      }
      const kept = launch(spec, program, network);
      all.set(kept.workload.id, kept);
      onLine(`Started ${kept.workload.id}`);
      return shown(kept);
    },
    probe: async ({ address }, path, signal) => probeResult(address + path, await network.get(address, path, signal)),
    async applyCpuLimit({ id }) {
      const kept = all.get(id);
      if (kept !== undefined) kept.limited = true;
    },
    async isAlive({ id }) {
      const kept = all.get(id);
      return kept?.running === true && kept.program.ended === null;
    },
    async measure({ id }) {
      const kept = all.get(id);
      if (kept === undefined) return null;
      const isRunning = kept.running && kept.program.ended === null;
      const { memoryLimitBytes, cpuLimitMillis } = kept.spec.tier;
      const usage = { memoryBytes: 32 * 1024 ** 2, memoryLimitBytes, cpuUsedMs: 100, cpuLimitMillis };
      const about = { since: kept.changedAt, restarts: 0, outOfMemory: false };
      return { ...about, status: isRunning ? 'running' : 'stopped', usage: isRunning ? usage : null };
    },
    async listening({ id }) {
      const kept = all.get(id);
      return kept?.running === true ? socketsOf(kept) : null;
    },
    variables: async ({ id }) => all.get(id)?.spec.env ?? null,
    async tail(workload, lines) {
      const { output, errors = [], ended }: RunningProgram = all.get(workload.id)?.program ?? NOT_STARTED;
      return [...output, ...errors, ...(ended === null ? [] : [`The program ended: ${ended}`])].slice(-lines);
    },
    async *follow({ id }, { after, signal }) {
      const kept = all.get(id);
      const { printed = [], changed } = kept ?? {};
      const newOf = linesAfter(after);
      for (let read = 0; !signal.aborted; ) {
        const lines = newOf(printed.slice(read));
        read = printed.length;
        if (lines.length > 0) yield lines;
        if (changed === undefined || all.get(id) !== kept) return;
        if (printed.length === read) await once(changed, 'change', { signal }).catch(() => undefined);
      }
    },
    list: async (service, environment) =>
      newestFirst()
        .filter(({ workload }) => workload.service === service && workload.environment === environment)
        .map(shown),
    listAll: async () => newestFirst().map(shown),
    protect: async () => undefined,
    async resume(workload, signal) {
      signal.throwIfAborted();
      const kept = require(workload);
      if (!kept.running) run(kept, network);
      return shown(kept);
    },
    async remove({ id, address }, graceSeconds) {
      const kept = all.get(id);
      if (kept === undefined) return;
      network.close(address);
      const ended = new AbortController();
      const grace = delay(graceSeconds * 1_000, undefined, { signal: ended.signal }).catch(() => undefined);
      await Promise.race([Promise.allSettled(kept.inFlight), grace]);
      ended.abort();
      all.delete(id);
      kept.changed.emit('change');
    },
    cpuMillis(workload) {
      const { limited, spec } = require(workload);
      return limited ? spec.tier.cpuLimitMillis : MACHINE_CPU_MILLIS;
    },
    specOf: (workload) => require(workload).spec,
    print: (workload, text, stream) => printTo(require(workload))(text, stream),
    stop(workload) {
      const kept = require(workload);
      kept.running = false;
      kept.changedAt = new Date();
      network.close(workload.address);
    },
  };
}

const ANY_HOST = '0.0.0.0';

function socketsOf({ program, spec }: Kept): readonly ListeningSocket[] {
  if (program.listener === null || program.ended !== null) return [];
  return [program.socket ?? { host: ANY_HOST, port: spec.port }];
}

const isAskedAlike = (one: WorkloadSpec, other: WorkloadSpec): boolean =>
  isDeepStrictEqual(placesOf(one), placesOf(other));

const placesOf = ({ port, onLoopback, writablePaths }: WorkloadSpec) => ({ port, onLoopback, writablePaths });

const NOT_STARTED: RunningProgram = { output: [], listener: null, ended: null };

let started = 0;

function launch(spec: WorkloadSpec, start: Program, network: InMemoryNetwork): Kept {
  started += 1;
  const { buildId, releaseId, service, environment } = spec;
  const address = network.listen(() => null);
  const workload = { id: `workload-${started}`, buildId, releaseId, service, environment, running: true, address };
  const changed = new EventEmitter().setMaxListeners(0);
  const kept = { workload, spec, start, inFlight: new Set<Promise<unknown>>(), printed: [], changed };
  return run({ ...kept, changedAt: new Date(), running: true, limited: false, program: NOT_STARTED }, network);
}

let printedLines = 0;

function printTo({ printed, changed }: Pick<Kept, 'printed' | 'changed'>): Print {
  return (text, stream = 'out') => {
    printedLines += 1;
    const nanoseconds = String(printedLines % 1_000_000).padStart(6, '0');
    const at = `${new Date().toISOString().slice(0, -1)}${nanoseconds}Z`;
    printed.push({ at, stream, text: outputText(Buffer.from(text)) });
    changed.emit('change');
  };
}

/** Starts the program and lets it answer at the workload's address. */
function run(kept: Kept, network: InMemoryNetwork): Kept {
  const print = printTo(kept);
  kept.program = kept.start(kept.spec, print);
  for (const line of kept.program.output) print(line);
  for (const line of kept.program.errors ?? []) print(line, 'error');
  kept.running = true;
  kept.changedAt = new Date();
  const { listener } = kept.program;
  const isReached = socketsOf(kept).some(
    ({ host, port }) => (host === ANY_HOST || kept.spec.onLoopback) && port === kept.spec.port,
  );
  network.replace(kept.workload.address, async (path): Promise<Reply | null> => {
    if (listener === null || !isReached) return null;
    const reply = Promise.resolve(listener(path));
    kept.inFlight.add(reply);
    return await reply.finally(() => kept.inFlight.delete(reply));
  });
  return kept;
}
