import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { FairleadError } from '../../domain/errors.ts';
import type { OutputStream } from '../../domain/logs/output-line.ts';
import { LOOK_AT_LOGS_EVERY_MS } from '../../domain/logs/rotation.ts';
import { type ChildLog, openChildLog } from './child-log.ts';
import { type ChildSpec, endChild, killGroup, type RunningChild, spawnChild } from './child-process.ts';
import { waitUntilReady } from './readiness.ts';
import { errorLine } from './terminal.ts';

export interface ChildState {
  readonly pid: number | undefined;
  readonly restarts: number;
  /** In which the files of its outputs are. */
  readonly logFolder: string;
}

export interface Supervisor {
  /**
   * Starts a child and waits until it is ready. `stopsLast`: it stops after those that run already, which may use it to
   * their end. @throws FairleadError UNAVAILABLE; the child is gone by then.
   */
  readonly start: (spec: ChildSpec, options?: { readonly stopsLast?: boolean }) => Promise<void>;
  /** Stops all, the last started first: SIGTERM, then SIGKILL after the child's grace. What is starting is ended as well. */
  readonly stop: (onStop?: (name: string) => void) => Promise<void>;
  /** Ends everything at once. */
  readonly kill: () => void;
  readonly states: () => Readonly<Record<string, ChildState>>;
}

export interface SupervisorOptions {
  readonly logFolder: string;
  /** Values that no log may hold, whoever prints them. */
  readonly secrets?: readonly string[];
  /** Called whenever a child got another process id, or lost it. */
  readonly onChange?: () => void;
  /** Told when a child ended unasked, and when it could not be brought back. */
  readonly onNotice?: (text: string) => void;
  /** Given every process that has a channel to us, restarts included, to listen to what it says. */
  readonly onChannel?: (leader: ChildProcess) => void;
  readonly firstBackoffMs?: number;
  readonly lastBackoffMs?: number;
}

interface Kept {
  readonly spec: ChildSpec;
  readonly log: ChildLog;
  lastOutput: string;
  running: RunningChild | undefined;
  restarts: number;
  backoffMs: number;
  /** Resolves when the child and its restarts have ended. */
  loop: Promise<void>;
}

const STEADY_MS = 30_000;
const KEPT_OUTPUT_CHARACTERS = 4_000;
const LAST_OUTPUT_MS = 100;

function takeOutput(child: Kept, stream: OutputStream, chunk: Buffer): void {
  child.log.write(stream, chunk);
  child.lastOutput = (child.lastOutput + chunk.toString()).slice(-KEPT_OUTPUT_CHARACTERS);
}

/** Starts programs in order, brings back those that crash, and stops them in reverse order. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const children: Kept[] = [];
  const stopping = new AbortController();
  const changed = (): void => options.onChange?.();
  const notice = (text: string): void => options.onNotice?.(text);
  const firstBackoffMs = options.firstBackoffMs ?? 200;
  const lastBackoffMs = options.lastBackoffMs ?? 5_000;

  const lookAtLogs = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    for (const { spec, log } of children) {
      await log.look().catch((error: unknown) => notice(`the log of ${spec.name}: ${errorLine(error)}`));
    }
    isLooking = false;
  };
  let isLooking = false;
  const looking = setInterval(lookAtLogs, LOOK_AT_LOGS_EVERY_MS).unref();

  async function launch(child: Kept): Promise<RunningChild> {
    const { spec } = child;
    await spec.beforeStart?.();
    stopping.signal.throwIfAborted();
    child.lastOutput = '';
    const running = await spawnChild(spec, {
      write: (stream, chunk) => takeOutput(child, stream, chunk),
      end: child.log.end,
    });
    child.running = running;
    changed();
    if (spec.exitsBy === 'ipc') options.onChannel?.(running.leader);
    try {
      await becomeReady(child, running);
      await prepare(child, running);
      return running;
    } catch (error) {
      await endChild(running, 0);
      child.running = undefined;
      changed();
      throw stopping.signal.aborted ? stopping.signal.reason : error;
    }
  }

  async function becomeReady(child: Kept, running: RunningChild): Promise<void> {
    const { spec, log } = child;
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
    throw new FairleadError('UNAVAILABLE', `${spec.name} did not start: ${reason}; its log is in ${log.folder}`);
  }

  /** What is done to a server that ended meanwhile could wait for it for long. */
  async function prepare({ spec, log }: Kept, { exited }: RunningChild): Promise<void> {
    const ended = exited.then((outcome) => {
      throw new FairleadError('UNAVAILABLE', `${spec.name} did not start: ${outcome}; its log is in ${log.folder}`);
    });
    await Promise.race([spec.afterReady?.(), ended]);
  }

  async function keepRunning(child: Kept, first: RunningChild): Promise<void> {
    let running = first;
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      const ending = await running.exited;
      if (stopping.signal.aborted) return;
      // A watchdog that was killed leaves its program behind; the next one needs its port and data.
      await endChild(running, 0);
      child.running = undefined;
      changed();
      notice(`${child.spec.name} ended (${ending}); starting it again`);
      if (performance.now() - startedAt > STEADY_MS) child.backoffMs = firstBackoffMs;
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
    start: async (spec, { stopsLast = false } = {}) => {
      stopping.signal.throwIfAborted();
      const log = openChildLog({ logFolder: options.logFolder, part: spec.name, secrets: options.secrets ?? [] });
      const child: Kept = {
        spec,
        log,
        lastOutput: '',
        running: undefined,
        restarts: 0,
        backoffMs: firstBackoffMs,
        loop: Promise.resolve(),
      };
      log.write('out', Buffer.from(`--- ${new Date().toISOString()} starting\n`));
      if (stopsLast) children.unshift(child);
      else children.push(child);
      const launching = launch(child);
      child.loop = launching.then(
        (running) => keepRunning(child, running),
        // Told to whoever started it.
        () => {
          children.splice(children.indexOf(child), 1);
          log.close();
        },
      );
      await launching;
    },
    stop: async (onStop) => {
      stopping.abort(new FairleadError('UNAVAILABLE', 'the stack is stopping'));
      clearInterval(looking);
      for (const child of children.toReversed()) {
        if (child.running) {
          onStop?.(child.spec.name);
          await endChild(child.running, child.spec.graceMs);
        }
        await child.loop;
        child.running = undefined;
        changed();
        child.log.close();
      }
    },
    kill: () => {
      stopping.abort(new FairleadError('UNAVAILABLE', 'the stack is stopping'));
      for (const { running } of children) if (running) killGroup(running);
    },
    states: () =>
      Object.fromEntries(
        children.map((child) => [
          child.spec.name,
          { pid: child.running?.pid, restarts: child.restarts, logFolder: child.log.folder },
        ]),
      ),
  };
}

const NAMES_AN_ERROR = /error|cannot|failed|refused|denied/i;
const IS_BESIDE_IT = /^\s+(at|code:|url:) ?|^Emitted 'error' event/;

/** The last line of a program's output that names an error; with the list below it, when it ends with a colon. */
function tellingLine(output: string): string | undefined {
  const lines = output.split('\n');
  const at = lines.findLastIndex((line) => NAMES_AN_ERROR.test(line) && !IS_BESIDE_IT.test(line));
  const named = lines[at]?.trim();
  const below = named?.endsWith(':') ? lines.slice(at + 1) : [];
  const end = below.findIndex((line) => !/^\s+\S/.test(line) || IS_BESIDE_IT.test(line));
  const list = below.slice(0, end === -1 ? below.length : end).map((line) => line.trim());
  return named === undefined ? undefined : [named, list.join(', ')].join(' ').trim().slice(0, 300);
}
