import type { ProbedMonitor, ProbeResult } from '../../domain/monitors/prober-ports.ts';
import { markOf, monotonicMs, type ProberCommand } from './prober-messages.ts';
import { createStallWatch } from './stall-watch.ts';
import { type ProberThread, startThread, type ThreadOptions, type ThreadResults } from './start-thread.ts';

export interface LaneOptions extends Pick<ThreadOptions, 'url' | 'settings'> {
  readonly aheadMs: () => number;
  readonly onResults: (results: ThreadResults) => void;
  readonly warn: (problem: { readonly err: unknown; readonly monitorIds?: readonly string[] }, message: string) => void;
}

/** One thread and what it checks. The thread starts on first need, and anew, with the same monitors, when it ended or hangs. */
export interface ProberLane {
  set(session: number, monitors: readonly ProbedMonitor[]): void;
  /** Those of them that are this session's. */
  remove(session: number, monitorIds: Iterable<string>): void;
  close(session: number): void;
  /** For whoever needs no answer: nothing is sent to a thread that is not there. */
  send(command: ProberCommand): void;
  /** Null while nothing was ever checked or asked here. */
  readonly thread: ProberThread | null;
  /** The thread, started if need be. */
  need(): ProberThread;
  /** Once a second: is it well, and is the time of those over that were set aside? */
  look(): void;
  end(): Promise<void>;
}

/** A monitor whose check stopped a thread is not checked for so long. */
const ASIDE_MS = 600_000;
/** A thread that ends is started anew after this, and after longer each time that it ends soon. */
const RESTART_MS = { first: 1_000, most: 60_000 } as const;

interface Watched {
  readonly session: number;
  readonly monitor: ProbedMonitor;
}

export function createProberLane(options: LaneOptions): ProberLane {
  const watched = new Map<string, Watched>();
  const aside = createAside();
  let thread: ProberThread | null = null;
  let stall = createStallWatch();
  let startedMs = 0;
  let waitMs: number = RESTART_MS.first;
  /** When to start a thread that ended by itself; null: when it is needed. */
  let restartMs: number | null = null;

  function start(): ProberThread {
    restartMs = null;
    startedMs = monotonicMs();
    stall = createStallWatch();
    const begun = startThread({ ...options, onResults, onEnd: (cause) => ended(begun, cause) });
    thread = begun;
    begun.send({ type: 'anchor', aheadMs: options.aheadMs() });
    for (const [session, all] of Map.groupBy(watched.values(), ({ session }) => session)) {
      const monitors = all.map(({ monitor }) => monitor).filter(({ id }) => !aside.has(id));
      if (monitors.length > 0) begun.send({ type: 'set', session, monitors });
    }
    return begun;
  }

  /** It ended by itself: one that was ended here is no longer the lane's. */
  function ended(which: ProberThread, err: unknown): void {
    if (thread !== which) return;
    thread = null;
    setAside(which.mark());
    options.warn({ err }, 'a thread that runs checks ended; it is started anew');
    waitMs = monotonicMs() - startedMs > RESTART_MS.most ? RESTART_MS.first : Math.min(2 * waitMs, RESTART_MS.most);
    restartMs = monotonicMs() + waitMs;
  }

  function setAside(mark: number): void {
    const found = [...watched].filter(([id]) => mark !== 0 && markOf(id) === mark);
    for (const [monitorId, { session }] of found) {
      aside.add(monitorId, monotonicMs() + ASIDE_MS);
      onResults({ type: 'results', session, results: [asideResult(monitorId)], due: [] });
    }
    const monitorIds = found.map(([id]) => id);
    if (monitorIds.length > 0) options.warn({ err: null, monitorIds }, 'a check stopped its thread; it is set aside');
  }

  function onResults(results: ThreadResults): void {
    for (const { monitorId, outcome } of results.results) {
      const known = watched.get(monitorId);
      if (known === undefined || outcome === 'unknown') continue;
      // What the next thread starts from.
      watched.set(monitorId, { ...known, monitor: { ...known.monitor, lastOutcome: outcome } });
    }
    options.onResults(results);
  }

  function set(session: number, monitors: readonly ProbedMonitor[]): void {
    for (const monitor of monitors) watched.set(monitor.id, { session, monitor });
    const active = monitors.filter(({ id }) => !aside.has(id));
    if (active.length === 0) return;
    if (thread !== null) thread.send({ type: 'set', session, monitors: active });
    else if (restartMs === null) start();
  }

  function remove(session: number, monitorIds: Iterable<string>): void {
    const own = [...monitorIds].filter((id) => watched.get(id)?.session === session);
    for (const id of own) watched.delete(id);
    if (own.length > 0) thread?.send({ type: 'remove', session, monitorIds: own });
  }

  return {
    set,
    remove,
    close: (session) => remove(session, watched.keys()),
    send: (command) => thread?.send(command),
    get thread() {
      return thread;
    },
    need: () => thread ?? start(),
    look() {
      const nowMs = monotonicMs();
      for (const id of aside.takeOver(nowMs)) {
        const known = watched.get(id);
        if (known !== undefined) set(known.session, [known.monitor]);
      }
      if (restartMs !== null && nowMs >= restartMs) start();
      if (thread === null || !stall.hangs(thread.beats())) return;
      const hanging = thread;
      options.warn({ err: null }, 'a thread that runs checks hangs; it is started anew');
      thread = null;
      setAside(hanging.mark());
      start();
      void hanging.end();
    },
    async end() {
      const last = thread;
      [thread, restartMs] = [null, null];
      watched.clear();
      await last?.end();
    },
  };
}

/** Monitors that are not checked for a while. */
function createAside() {
  const untilMs = new Map<string, number>();
  return {
    has: (id: string): boolean => untilMs.has(id),
    add: (id: string, ms: number): void => void untilMs.set(id, ms),
    takeOver(nowMs: number): readonly string[] {
      const over = [...untilMs].filter(([, ms]) => nowMs >= ms).map(([id]) => id);
      for (const id of over) untilMs.delete(id);
      return over;
    },
  };
}

function asideResult(monitorId: string): ProbeResult {
  const message = `its check stopped the checks of others; it is not checked for ${ASIDE_MS / 60_000} minutes`;
  return {
    monitorId,
    beganMs: monotonicMs(),
    durationMs: 0,
    outcome: 'unknown',
    problem: 'other',
    status: null,
    message,
  };
}
