import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FairleadError } from '../../domain/errors.ts';
import { type ChildSpec, type RunningChild, signalProcess, spawnChild } from './child-process.ts';
import { createLogFile } from './log-file.ts';
import { waitUntilReady } from './readiness.ts';
import { errorLine } from './terminal.ts';

export interface ChildState {
  readonly pid: number | undefined;
  readonly restarts: number;
  readonly logFile: string;
}

export interface Supervisor {
  /** Starts a child and waits until it is ready. @throws FairleadError UNAVAILABLE; the child is gone by then. */
  readonly start: (spec: ChildSpec) => Promise<void>;
  /** Stops all, the last started first: SIGTERM, then SIGKILL after the child's grace. */
  readonly stop: (onStop?: (name: string) => void) => Promise<void>;
  /** Ends everything at once. */
  readonly kill: () => void;
  readonly states: () => Readonly<Record<string, ChildState>>;
}

export interface SupervisorOptions {
  readonly logFolder: string;
  /** Called whenever a child got another process id, or lost it. */
  readonly onChange?: () => void;
  /** Told when a child ended unasked, and when it could not be brought back. */
  readonly onNotice?: (text: string) => void;
  readonly firstBackoffMs?: number;
  readonly lastBackoffMs?: number;
}

interface Kept {
  readonly spec: ChildSpec;
  readonly logFile: string;
  readonly log: (chunk: Buffer | string) => void;
  lastOutput: string;
  running: RunningChild | undefined;
  restarts: number;
  backoffMs: number;
  loop: Promise<void>;
}

const STEADY_MS = 30_000;
const KEPT_OUTPUT_CHARACTERS = 4_000;
const LAST_OUTPUT_MS = 100;

/** Starts programs in order, brings back those that crash, and stops them in reverse order. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const children: Kept[] = [];
  const stopping = new AbortController();
  const changed = (): void => options.onChange?.();
  const notice = (text: string): void => options.onNotice?.(text);
  const firstBackoffMs = options.firstBackoffMs ?? 200;
  const lastBackoffMs = options.lastBackoffMs ?? 5_000;

  async function launch(child: Kept): Promise<RunningChild> {
    const { spec } = child;
    await spec.beforeStart?.();
    stopping.signal.throwIfAborted();
    child.lastOutput = '';
    const running = await spawnChild(spec, child.log);
    child.running = running;
    changed();
    try {
      await becomeReady(child, running);
      await spec.afterReady?.();
      return running;
    } catch (error) {
      await endChild(running, 0);
      child.running = undefined;
      changed();
      throw error;
    }
  }

  async function becomeReady(child: Kept, running: RunningChild): Promise<void> {
    const { spec, logFile } = child;
    const gaveUp = new AbortController();
    const signal = AbortSignal.any([gaveUp.signal, stopping.signal]);
    const late = delay(spec.readyTimeoutMs, `not ready within ${spec.readyTimeoutMs / 1000} s`, { signal });
    const outcome = await Promise.race([
      waitUntilReady(running.leader, spec.ready, signal).then(() => undefined),
      running.exited,
      late,
    ]).finally(() => {
      late.catch(() => undefined);
      gaveUp.abort();
    });
    if (outcome === undefined) return;
    // The last of its output may arrive after its end.
    await delay(LAST_OUTPUT_MS);
    const said = tellingLine(child.lastOutput);
    const reason = said ? `${outcome}: ${said}` : outcome;
    throw new FairleadError('UNAVAILABLE', `${spec.name} did not start: ${reason}; its log is ${logFile}`);
  }

  async function keepRunning(child: Kept, first: RunningChild): Promise<void> {
    let running = first;
    while (!stopping.signal.aborted) {
      const startedAt = Date.now();
      const ending = await running.exited;
      if (stopping.signal.aborted) return;
      // A leash that was killed leaves its program behind; the next one needs its port and data.
      await endChild(running, 0);
      child.running = undefined;
      changed();
      notice(`${child.spec.name} ended (${ending}); starting it again`);
      if (Date.now() - startedAt > STEADY_MS) child.backoffMs = firstBackoffMs;
      const next = await relaunch(child);
      if (!next) return;
      running = next;
    }
  }

  async function relaunch(child: Kept): Promise<RunningChild | undefined> {
    while (!stopping.signal.aborted) {
      try {
        await delay(child.backoffMs, undefined, { signal: stopping.signal });
        child.backoffMs = Math.min(child.backoffMs * 2, lastBackoffMs);
        child.restarts += 1;
        return await launch(child);
      } catch (error) {
        if (!stopping.signal.aborted) notice(`${child.spec.name}: ${errorLine(error)}`);
      }
    }
    return undefined;
  }

  return {
    start: async (spec) => {
      const logFile = join(options.logFolder, `${spec.name}.log`);
      const file = createLogFile(logFile);
      const child: Kept = {
        spec,
        logFile,
        log: (chunk) => {
          file.write(chunk);
          child.lastOutput = (child.lastOutput + chunk.toString()).slice(-KEPT_OUTPUT_CHARACTERS);
        },
        lastOutput: '',
        running: undefined,
        restarts: 0,
        backoffMs: firstBackoffMs,
        loop: Promise.resolve(),
      };
      child.log(`--- ${new Date().toISOString()} starting\n`);
      children.push(child);
      const running = await launch(child);
      child.loop = keepRunning(child, running);
    },
    stop: async (onStop) => {
      stopping.abort(new FairleadError('UNAVAILABLE', 'stopping'));
      for (const child of children.toReversed()) {
        if (child.running) {
          onStop?.(child.spec.name);
          await endChild(child.running, child.spec.graceMs);
        }
        await child.loop;
        child.running = undefined;
        changed();
      }
    },
    kill: () => {
      stopping.abort(new FairleadError('UNAVAILABLE', 'stopping'));
      for (const { running } of children) if (running) killGroup(running);
    },
    states: () =>
      Object.fromEntries(
        children.map((child) => [
          child.spec.name,
          { pid: child.running?.pid, restarts: child.restarts, logFile: child.logFile },
        ]),
      ),
  };
}

/** The last line of a program's output that names an error. */
function tellingLine(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => /error|cannot|failed|refused|denied/i.test(line));
  const named = lines.findLast((line) => !/^\s+(at|code:|url:) ?/.test(line));
  return named?.trim().slice(0, 300);
}

/** Ends a program and whatever it started: SIGTERM, then SIGKILL to its group once the grace is over. */
async function endChild(running: RunningChild, graceMs: number): Promise<void> {
  if (graceMs > 0 && running.leader.exitCode === null && running.leader.signalCode === null) {
    signalProcess(running.pid, 'SIGTERM');
    const over = new AbortController();
    await Promise.race([running.exited, delay(graceMs, undefined, { signal: over.signal }).catch(() => undefined)]);
    over.abort();
  }
  killGroup(running);
  await running.exited;
}

function killGroup(running: RunningChild): void {
  if (running.leader.pid !== undefined) signalProcess(-running.leader.pid, 'SIGKILL');
}
