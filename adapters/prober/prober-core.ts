import { CHECK_TIMEOUT_MS } from '../../domain/monitors/check-kinds.ts';
import type { Outcome } from '../../domain/monitors/check-result.ts';
import { createCheckSchedule } from '../../domain/monitors/check-schedule.ts';
import type { ProbedMonitor, ProbeResult } from '../../domain/monitors/prober-ports.ts';
import type { StartedCheck } from '../../domain/monitors/scheduled-monitor.ts';
import { hostOfCheck } from './host-of-check.ts';
import { createLatenessRecord } from './lateness.ts';
import type { ProberCommand, ProberEvent } from './prober-messages.ts';
import type { ActiveCheck, TimedFinding } from './run-check.ts';

export interface ProberCoreDeps {
  readonly nowMs: () => number;
  readonly run: (check: ActiveCheck, facts: RunFacts) => Promise<TimedFinding>;
  /** Whether orgs have shares. */
  readonly isShared: boolean;
  readonly askControls: () => Promise<{ readonly controls: number; readonly answering: number }>;
  readonly post: (event: ProberEvent) => void;
}

export interface RunFacts extends Pick<ProbedMonitor, 'id' | 'org' | 'headers'> {
  readonly limitMs: number;
  /** Told what the host was resolved to. */
  readonly located: (address: string) => void;
}

/** Results go to the other thread together. */
const FLUSH_EVERY_MS = 200;

interface Watched extends ProbedMonitor {
  readonly session: number;
}

type Outgoing = Pick<Extract<ProberEvent, { readonly type: 'results' }>, 'due'> & { readonly results: ProbeResult[] };

/** Runs checks at their times: the loop of the prober's thread. @returns what takes its commands */
export function createProberCore(deps: ProberCoreDeps): (command: ProberCommand) => void {
  const { nowMs, post } = deps;
  const watched = new Map<string, Watched>();
  /** Heartbeats that a session was asked about and has not settled: each has a place among the running checks. */
  const asked = new Map<string, number>();
  const schedule = createCheckSchedule({ aheadMs: 0, nowMs: nowMs() });
  const lateness = createLatenessRecord();
  const outgoing = createOutgoing(post);
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    clearTimeout(timer);
    const { start, wakeAtMs } = schedule.take(nowMs());
    for (const check of start) begin(check);
    if (wakeAtMs !== null) timer = setTimeout(look, Math.max(1, wakeAtMs - nowMs()));
  }

  function begin({ id, lateMs }: StartedCheck): void {
    const monitor = watched.get(id);
    if (monitor === undefined) return;
    const beganMs = nowMs();
    lateness.add(lateMs, beganMs);
    const { session, check, headers, org, intervalSeconds } = monitor;
    if (check.kind === 'heartbeat') {
      asked.set(id, session);
      outgoing.due(session, { monitorId: id, beganMs });
      return;
    }
    const limitMs = Math.min(CHECK_TIMEOUT_MS, intervalSeconds * 1_000);
    const located = (address: string): void => {
      if (watched.has(id)) schedule.located(id, address);
    };
    void deps.run(check, { id, org, headers, limitMs, located }).then((found) => {
      ended(id, found.outcome);
      // Somebody else's by now, or nobody's: its result is of no use.
      if (watched.get(id)?.session === session) outgoing.result(session, { monitorId: id, beganMs, ...found });
    });
  }

  function ended(id: string, outcome: Outcome): void {
    schedule.ended(id, outcome, nowMs());
    look();
  }

  function settle(id: string, session: number, outcome: Outcome): void {
    if (asked.get(id) !== session) return;
    asked.delete(id);
    ended(id, outcome);
  }

  function set(session: number, monitors: readonly ProbedMonitor[]): void {
    for (const monitor of monitors) {
      const before = watched.get(monitor.id)?.session ?? session;
      watched.set(monitor.id, { ...monitor, session });
      // Whoever was asked before need not answer any more.
      if (before !== session) settle(monitor.id, before, 'unknown');
    }
    schedule.set(
      monitors.map((monitor) => scheduled(monitor, deps.isShared)),
      nowMs(),
    );
    look();
  }

  function remove(session: number, ids: Iterable<string>): void {
    const own = [...ids].filter((id) => watched.get(id)?.session === session);
    for (const id of own) watched.delete(id);
    schedule.remove(own);
    for (const id of own) settle(id, session, 'unknown');
  }

  return (command) => {
    switch (command.type) {
      case 'set':
        return set(command.session, command.monitors);
      case 'remove':
        return remove(command.session, command.monitorIds);
      case 'close':
        return remove(command.session, watched.keys());
      case 'settle':
        for (const { monitorId, outcome } of command.found) settle(monitorId, command.session, outcome);
        return;
      case 'anchor':
        schedule.anchor(command.aheadMs, nowMs());
        return look();
      case 'controls':
        void deps.askControls().then((found) => post({ type: 'controls', ask: command.ask, ...found }));
        return;
      case 'status': {
        const status = { ...lateness.read(nowMs()), skipped: schedule.skipped() };
        return post({ type: 'status', ask: command.ask, status });
      }
    }
  };
}

/** Monitors without an org are the operators': they have one share together. */
function scheduled({ id, check, intervalSeconds, lastOutcome, org }: ProbedMonitor, isShared: boolean) {
  const facts = { id, intervalMs: intervalSeconds * 1_000, host: hostOfCheck(id, check), lastOutcome };
  return { ...facts, org: isShared ? (org ?? '') : null };
}

function createOutgoing(post: ProberCoreDeps['post']) {
  const bySession = new Map<number, Outgoing & { readonly due: { monitorId: string; beganMs: number }[] }>();
  const flush = (): void => {
    for (const [session, { results, due }] of bySession) post({ type: 'results', session, results, due });
    bySession.clear();
  };
  const of = (session: number) => {
    if (bySession.size === 0) setTimeout(flush, FLUSH_EVERY_MS);
    const found = bySession.get(session) ?? { results: [], due: [] };
    bySession.set(session, found);
    return found;
  };
  return {
    result: (session: number, result: ProbeResult) => of(session).results.push(result),
    due: (session: number, heartbeat: { monitorId: string; beganMs: number }) => of(session).due.push(heartbeat),
  };
}
