import { FairleadError } from '../../domain/errors.ts';
import { LANES, laneOf, PLATFORM_LANE } from '../../domain/monitors/check-lane.ts';
import type {
  ProbedMonitor,
  ProbeListener,
  Prober,
  ProberStatus,
  ProbeSession,
} from '../../domain/monitors/prober-ports.ts';
import { createProberLane, type LaneOptions, type ProberLane } from './prober-lane.ts';
import { monotonicMs, type ProberSettings } from './prober-messages.ts';
import type { ThreadResults } from './start-thread.ts';

export interface ProberOptions extends ProberSettings {
  readonly warn?: LaneOptions['warn'];
  /** Another program than the prober's own: in tests. */
  readonly thread?: URL;
}

const THREAD = new URL('./prober-thread.ts', import.meta.url);
const LOOK_EVERY_MS = 1_000;

/**
 * The prober of a process, for all shards that the process holds: a thread for the platform's own addresses, and some for
 * what people point elsewhere, by their org.
 */
export function createProber({ warn = () => undefined, thread: url = THREAD, ...settings }: ProberOptions): Prober {
  const listeners = new Map<number, ProbeListener>();
  let [lastSession, aheadMs] = [0, 0];
  let watchdog: NodeJS.Timeout | undefined;

  const onResults = ({ session, results, due }: ThreadResults): void => {
    const listener = listeners.get(session);
    if (results.length > 0) listener?.onResults(results);
    if (due.length > 0) listener?.onHeartbeatsDue(due);
  };
  const lanes = Array.from({ length: LANES }, (_, lane) =>
    createProberLane({ url, settings: { ...settings, lane }, aheadMs: () => aheadMs, onResults, warn }),
  );
  const [platform] = lanes as [ProberLane];
  const look = (): void => {
    for (const lane of lanes) lane.look();
  };
  const places = createPlaces(lanes);

  return {
    nowMs: monotonicMs,
    open(listener, ahead) {
      const session = ++lastSession;
      aheadMs = ahead;
      listeners.set(session, listener);
      watchdog ??= setInterval(look, LOOK_EVERY_MS).unref();
      const anchor = (ahead: number): void => {
        aheadMs = ahead;
        for (const lane of lanes) lane.send({ type: 'anchor', aheadMs });
      };
      anchor(ahead);
      const silence = (): void => void listeners.delete(session);
      return { ...sessionOn(lanes, session, { places, silence }), anchor };
    },
    askControls: async () => {
      if (settings.controls.length === 0) return { controls: 0, answering: 0 };
      const { controls, answering } = await platform.need().ask('controls');
      return { controls, answering };
    },
    status: async () => await statusOf(lanes),
    async close() {
      clearInterval(watchdog);
      watchdog = undefined;
      await Promise.all(lanes.map((lane) => lane.end()));
      const ended = new FairleadError('UNAVAILABLE', 'The prober was closed', { retryable: true });
      for (const listener of listeners.values()) listener.onEnd(ended);
      listeners.clear();
      places.clear();
    },
  };
}

interface SessionParts {
  readonly places: ReturnType<typeof createPlaces>;
  readonly silence: () => void;
}

function sessionOn(lanes: readonly ProberLane[], session: number, { places, silence }: SessionParts) {
  return {
    set(monitors) {
      for (const [lane, own] of places.take(session, monitors)) lane.set(session, own);
    },
    remove(monitorIds) {
      for (const lane of lanes) lane.remove(session, monitorIds);
      places.leave(session, monitorIds);
    },
    settle: (found) => lanes[PLATFORM_LANE]?.send({ type: 'settle', session, found }),
    close() {
      silence();
      for (const lane of lanes) lane.close(session);
      places.leave(session, null);
    },
  } satisfies Omit<ProbeSession, 'anchor'>;
}

/** Which lane and which session has each monitor: it is checked in one place, though its address moves. */
function createPlaces(lanes: readonly ProberLane[]) {
  const places = new Map<string, { readonly lane: ProberLane; readonly session: number }>();
  const leave = (session: number, ids: readonly string[] | null): void => {
    for (const id of ids ?? [...places.keys()]) if (places.get(id)?.session === session) places.delete(id);
  };
  return {
    leave,
    clear: () => places.clear(),
    /** Takes monitors from wherever they were checked. @returns where each of them is checked */
    take(session: number, monitors: readonly ProbedMonitor[]): ReadonlyMap<ProberLane, readonly ProbedMonitor[]> {
      const byLane = Map.groupBy(monitors, (monitor) => lanes[laneOf(monitor)] as ProberLane);
      for (const [lane, own] of byLane) {
        for (const { id } of own) {
          const before = places.get(id);
          if (before !== undefined && before.lane !== lane) before.lane.remove(before.session, [id]);
          places.set(id, { lane, session });
        }
      }
      return byLane;
    },
  };
}

/** Of all threads together; one that does not answer is left out. */
async function statusOf(lanes: readonly ProberLane[]): Promise<ProberStatus> {
  const asked = lanes.flatMap(({ thread }) => (thread === null ? [] : [thread.ask('status')]));
  const all = (await Promise.allSettled(asked)).flatMap((one) =>
    one.status === 'fulfilled' ? [one.value.status] : [],
  );
  const sum = (of: (status: ProberStatus) => number): number => all.reduce((total, each) => total + of(each), 0);
  const worst = (of: 'p50Ms' | 'p99Ms'): number => Math.max(...all.map(({ lateness }) => lateness?.[of] ?? 0));
  const isIdle = all.every(({ lateness }) => lateness === null);
  return {
    checks: sum(({ checks }) => checks),
    lateness: isIdle ? null : { p50Ms: worst('p50Ms'), p99Ms: worst('p99Ms') },
    skipped: {
      overdue: sum(({ skipped }) => skipped.overdue),
      crowded: sum(({ skipped }) => skipped.crowded),
      overlapping: sum(({ skipped }) => skipped.overlapping),
    },
  };
}
