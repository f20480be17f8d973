import { isRetryable } from '../../domain/errors.ts';
import { isWatched, type Monitor } from '../../domain/monitors/monitor.ts';
import {
  type BurnState,
  beginOfBurns,
  burnEventOf,
  burnsNow,
  type Objective,
  rangesOfBurns,
} from '../../domain/monitors/objective.ts';
import type { BurnStore, MonitorHistory, MonitorStore, RollUpStore } from '../../domain/monitors/ports.ts';
import type { Outbox } from '../../domain/notifications/ports.ts';
import { burnNotice } from './burn-notice.ts';

export interface WatchObjectivesDeps {
  readonly monitors: Pick<MonitorStore, 'listShard'>;
  readonly rollUps: Pick<RollUpStore, 'readRanges'>;
  readonly burns: Pick<BurnStore, 'find' | 'write'>;
  readonly history: Pick<MonitorHistory, 'uptime'>;
  readonly outbox: Pick<Outbox, 'tell'>;
  readonly now: () => Date;
}

const PAGE = 200;
/** Monitors whose roll-ups are read at once. */
const AT_ONCE = 10;

/**
 * Looks how fast the error budgets of a shard go, and tells their orgs what began and what is over. What is to be told is
 * stored before it is told, and forgotten afterwards: an attempt that breaks off is made again, under the same id. A monitor that cannot
 * be looked at for good holds up no other one.
 * @throws UNAVAILABLE (retryable); at the end, the first failure that is for good
 */
export async function watchObjectives(deps: WatchObjectivesDeps, shard: number, signal: AbortSignal): Promise<void> {
  let cursor: string | null = null;
  const failures: unknown[] = [];
  do {
    signal.throwIfAborted();
    const page = await deps.monitors.listShard(shard, null, { cursor, limit: PAGE });
    failures.push(...(await watchPage(deps, page.items, signal)));
    cursor = page.nextCursor;
  } while (cursor !== null);
  if (failures.length > 0) throw failures[0];
}

/** @returns what failed for good, one for each monitor */
async function watchPage(deps: WatchObjectivesDeps, page: readonly Monitor[], signal: AbortSignal): Promise<unknown[]> {
  const known = await deps.burns.find(page.map(({ id }) => id));
  const asked = page.filter(({ id, objective }) => objective != null || known.has(id));
  const failures: unknown[] = [];
  for (let first = 0; first < asked.length; first += AT_ONCE) {
    signal.throwIfAborted();
    const part = asked.slice(first, first + AT_ONCE);
    const ends = await Promise.allSettled(part.map((monitor) => watchOne(deps, monitor, known.get(monitor.id))));
    const failed = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    const away = failed.find(isRetryable);
    if (away !== undefined) throw away;
    failures.push(...failed);
  }
  return failures;
}

async function watchOne(deps: WatchObjectivesDeps, monitor: Monitor, known: BurnState | undefined): Promise<void> {
  const before: BurnState = known ?? { monitorId: monitor.id, active: [], untold: null, revision: 0 };
  const objective = isWatched(monitor) ? (monitor.objective ?? null) : null;
  const state = await looked(deps, monitor, objective, before);
  // Another attempt looks at it as well, and tells.
  if (state !== before && !(await deps.burns.write(state))) return;
  if (state.untold === null || objective === null) return;
  const uptime = (await deps.history.uptime([monitor.id], objective.windowDays, deps.now())).get(monitor.id);
  const notice = uptime === undefined ? null : burnNotice(monitor, state, { objective, uptime });
  if (notice !== null) await deps.outbox.tell(notice);
  await deps.burns.write({ ...state, untold: null, revision: state.revision + 1 });
}

/** The next state; the same one where nothing changed. Whose objective is gone, or who is not watched, is told nothing. */
async function looked(
  { rollUps, now }: WatchObjectivesDeps,
  { id }: Monitor,
  objective: Objective | null,
  before: BurnState,
): Promise<BurnState> {
  if (objective === null) {
    if (before.active.length === 0 && before.untold === null) return before;
    return { monitorId: id, active: [], untold: null, revision: before.revision + 1 };
  }
  const at = now();
  const [slices = [], hours = []] = await rollUps.readRanges(id, rangesOfBurns(at));
  const active = burnsNow(objective, { slices, hours }, before.active, at);
  const event = burnEventOf(before.active, active);
  if (event === null && active.length === before.active.length) return before;
  // What was not told yet is told with what is new.
  const since = before.since ?? beginOfBurns(before.active) ?? at;
  const untold = event === null ? before.untold : { event, at, ...(event === 'steady' && { since }) };
  return { monitorId: id, active, untold, ...(active.length > 0 && { since }), revision: before.revision + 1 };
}
