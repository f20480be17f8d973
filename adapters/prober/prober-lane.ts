import type { ProbedMonitor, ProbeResult } from '../../domain/monitors/prober-ports.ts';
import { keepThread } from './kept-thread.ts';
import { markOf, monotonicMs, type ProberCommand } from './prober-messages.ts';
import { type ProberThread, startThread, type ThreadOptions, type ThreadResults } from './start-thread.ts';

export interface LaneOptions extends Pick<ThreadOptions, 'url' | 'settings'> {
  readonly aheadMs: () => number;
  readonly onResults: (results: ThreadResults) => void;
  readonly warn: (problem: { readonly err: unknown; readonly monitorIds?: readonly string[] }, message: string) => void;
}

/** One thread and what it checks. A thread that takes the place of another has the same monitors. */
export interface ProberLane {
  set(session: number, monitors: readonly ProbedMonitor[]): void;
  /** Those of them that are this session's. */
  remove(session: number, monitorIds: Iterable<string>): void;
  close(session: number): void;
  /** For whoever needs no answer: nothing is sent to a thread that is not there. */
  send(command: ProberCommand): void;
  /** Null while there is nothing to check here. */
  readonly thread: ProberThread | null;
  /** The thread, started if need be. */
  need(): ProberThread;
  /** Once a second: is it well, and is the time of those over that were set aside? */
  look(): void;
  end(): Promise<void>;
}

/** A monitor whose check stopped a thread is not checked for so long. */
const ASIDE_MS = 600_000;

export function createProberLane(options: LaneOptions): ProberLane {
  const watched = createWatched();
  const aside = createAside();
  const isActive = ({ id }: ProbedMonitor): boolean => !aside.has(id);
  const kept = keepThread({
    open: (onEnd) => startThread({ ...options, onResults, onEnd }),
    onStart(thread) {
      thread.send({ type: 'anchor', aheadMs: options.aheadMs() });
      for (const [session, monitors] of watched.bySession(isActive)) thread.send({ type: 'set', session, monitors });
    },
    onLost({ mark, err, message }) {
      const lost = watched.markedBy(mark);
      options.warn({ err, monitorIds: lost.map(({ id }) => id) }, message);
      for (const { id, session } of lost) {
        aside.add(id, monotonicMs() + ASIDE_MS);
        onResults({ type: 'results', session, results: [asideResult(id)], due: [] });
      }
    },
  });

  function onResults(results: ThreadResults): void {
    watched.note(results.results);
    options.onResults(results);
  }

  function set(session: number, monitors: readonly ProbedMonitor[]): void {
    const active = monitors.filter(isActive);
    const before = kept.current;
    watched.add(session, monitors);
    if (active.length === 0) return;
    if (before === null) kept.startInTime();
    else before.send({ type: 'set', session, monitors: active });
  }

  function remove(session: number, monitorIds: Iterable<string> | null): void {
    const own = watched.remove(session, monitorIds);
    if (own.length > 0) kept.current?.send({ type: 'remove', session, monitorIds: own });
  }

  return {
    ...{ set, remove },
    close: (session) => remove(session, null),
    send: (command) => kept.current?.send(command),
    get thread() {
      return kept.current;
    },
    need: kept.need,
    look() {
      for (const { session, monitor } of watched.of(aside.takeOver(monotonicMs()))) set(session, [monitor]);
      kept.look();
    },
    async end() {
      watched.clear();
      await kept.end();
    },
  };
}

/** What is checked, for which session, and how it was: what the next thread starts from. */
function createWatched() {
  type Watched = { readonly session: number; readonly monitor: ProbedMonitor };
  const byId = new Map<string, Watched>();
  return {
    clear: () => byId.clear(),
    of: (ids: readonly string[]): readonly Watched[] => ids.flatMap((id) => byId.get(id) ?? []),
    add(session: number, monitors: readonly ProbedMonitor[]): void {
      for (const monitor of monitors) byId.set(monitor.id, { session, monitor });
    },
    /** @param ids null: all. @returns those that were this session's */
    remove(session: number, ids: Iterable<string> | null): readonly string[] {
      const own = [...(ids ?? byId.keys())].filter((id) => byId.get(id)?.session === session);
      for (const id of own) byId.delete(id);
      return own;
    },
    note(results: readonly ProbeResult[]): void {
      for (const { monitorId, outcome } of results) {
        const known = byId.get(monitorId);
        if (known === undefined || outcome === 'unknown') continue;
        byId.set(monitorId, { ...known, monitor: { ...known.monitor, lastOutcome: outcome } });
      }
    },
    bySession(isActive: (monitor: ProbedMonitor) => boolean): ReadonlyMap<number, readonly ProbedMonitor[]> {
      const active = [...byId.values()].filter(({ monitor }) => isActive(monitor));
      const groups = Map.groupBy(active, ({ session }) => session);
      return new Map([...groups].map(([session, all]) => [session, all.map(({ monitor }) => monitor)]));
    },
    markedBy: (mark: number) =>
      [...byId].flatMap(([id, { session }]) => (mark !== 0 && markOf(id) === mark ? [{ id, session }] : [])),
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
