import { setTimeout as delay } from 'node:timers/promises';
import { isRetryable } from '../../domain/errors.ts';
import { applyResult, emptyCondition, isPast, stopWatching } from '../../domain/monitors/apply-result.ts';
import type { MonitorResult } from '../../domain/monitors/check-result.ts';
import { CONDITION_REFRESH_MS, type Condition, type Transition } from '../../domain/monitors/condition.ts';
import { isWatched, type Monitor } from '../../domain/monitors/monitor.ts';
import type {
  ConditionStore,
  MonitorStore,
  ResultStore,
  ShardRecorder,
  TransitionListener,
} from '../../domain/monitors/ports.ts';
import { createMutex } from '../../domain/mutex.ts';

export interface RecorderDeps {
  readonly monitors: Pick<MonitorStore, 'listShard'>;
  readonly conditions: Pick<ConditionStore, 'claim' | 'write'>;
  readonly results: Pick<ResultStore, 'claim' | 'append'>;
  readonly listener: TransitionListener;
  readonly now: () => Date;
  /** What kept a transition from being told: it is told again with the next results. */
  readonly onFailure: (error: unknown) => void;
}

export interface OpenedShard {
  readonly recorder: ShardRecorder;
  /** All of the shard, those that are not checked now as well. */
  readonly monitors: readonly Monitor[];
}

const PAGE = 200;
/** Results wait so long for what was decided to be told. */
const TOLD_WITHIN_MS = 1_000;

/**
 * Takes over a shard: older holders can write nothing of it from now on. What they decided and had not told is told now, and
 * nothing else: a restart says nothing.
 * @throws CONFLICT when another holder came meanwhile; UNAVAILABLE (retryable)
 */
export async function openShardRecorder(deps: RecorderDeps, shard: number): Promise<OpenedShard> {
  const fence = await deps.results.claim(shard);
  const monitors = await allOf(deps, shard);
  const ids = monitors.map(({ id }) => id);
  const held: Held = {
    ...{ shard, fence },
    monitors: new Map(monitors.map((monitor) => [monitor.id, monitor])),
    conditions: new Map(await deps.conditions.claim(ids, fence)),
    writtenAt: new Map(),
    toldUpTo: new Map(),
    announcedUpTo: new Map(),
    telling: null,
    announcing: null,
  };
  const exclusively = createMutex();
  await stopUnwatched(deps, held, monitors);
  await tellUntold(deps, held);
  const recorder: ShardRecorder = {
    fence,
    conditions: () => held.conditions,
    record: (results, from) => exclusively('shard', () => record(deps, held, results, from)),
    follow: (changed) => exclusively('shard', () => follow(deps, held, changed)),
  };
  return { recorder, monitors };
}

/** What the holder knows; changed only once it is stored, so that whatever failed may be done again. */
interface Held {
  readonly shard: number;
  readonly fence: number;
  readonly monitors: Map<string, Monitor>;
  readonly conditions: Map<string, Condition>;
  /** When each condition was stored last, ms. */
  readonly writtenAt: Map<string, number>;
  /** The last transition of each monitor that was told, since there is news to tell of some only. */
  readonly toldUpTo: Map<string, number>;
  /** The last transition of each monitor that was announced. */
  readonly announcedUpTo: Map<string, number>;
  telling: Promise<void> | null;
  announcing: Promise<void> | null;
}

async function record(
  deps: RecorderDeps,
  held: Held,
  ...[results, from]: Parameters<ShardRecorder['record']>
): Promise<void> {
  const now = deps.now().getTime();
  const next = new Map<string, Condition>();
  const fresh: (MonitorResult & Pick<Monitor, 'number'>)[] = [];
  for (const result of results) {
    const monitor = held.monitors.get(result.monitorId);
    // One that was removed while it was checked.
    if (monitor === undefined || !isWatched(monitor)) continue;
    const condition = next.get(monitor.id) ?? held.conditions.get(monitor.id) ?? emptyCondition(monitor.id);
    fresh.push({ ...result, number: monitor.number });
    // Another prober has recorded later ones meanwhile, or it is a batch that is given again.
    if (from === 'disk' && isPast(condition, result)) continue;
    next.set(monitor.id, applyResult(condition, result, monitor, now));
  }
  if (fresh.length > 0) await deps.results.append({ shard: held.shard, fence: held.fence, results: fresh });
  const due = [...next.values()].filter((condition) => isDue(held, condition, now));
  await write(deps, held, due, now);
  for (const condition of next.values()) keep(held, condition);
  await tellUntold(deps, held);
}

/** Whether a condition is stored now: what people or the next holder must know, at once; a check like others, now and then. */
function isDue({ conditions, writtenAt }: Held, condition: Condition, now: number): boolean {
  const before = conditions.get(condition.monitorId);
  const isNews = before?.verdict.verdict !== condition.verdict.verdict || before.sequence !== condition.sequence;
  const isToldNow = before?.untold.length !== condition.untold.length;
  return isNews || isToldNow || now - (writtenAt.get(condition.monitorId) ?? 0) >= CONDITION_REFRESH_MS;
}

async function follow(deps: RecorderDeps, held: Held, changed: readonly Monitor[]): Promise<void> {
  const unknown = changed.filter(({ id }) => !held.conditions.has(id)).map(({ id }) => id);
  if (unknown.length > 0) {
    const claimed = await deps.conditions.claim(unknown, held.fence);
    for (const [id, condition] of claimed) held.conditions.set(id, condition);
  }
  for (const monitor of changed) held.monitors.set(monitor.id, monitor);
  await stopUnwatched(deps, held, changed);
  await tellUntold(deps, held);
}

/** Of monitors that were paused or archived, what is open is closed. */
async function stopUnwatched(deps: RecorderDeps, held: Held, monitors: readonly Monitor[]): Promise<void> {
  const now = deps.now().getTime();
  const stopped = monitors.flatMap((monitor) => {
    const condition = held.conditions.get(monitor.id);
    if (isWatched(monitor) || condition === undefined || condition.verdict.verdict === 'pending') return [];
    return [stopWatching(condition, monitor.paused === null ? 'It was archived.' : 'It was paused.', now)];
  });
  await write(deps, held, stopped, now);
  for (const condition of stopped) keep(held, condition);
}

async function write(deps: RecorderDeps, held: Held, conditions: readonly Condition[], now: number): Promise<void> {
  if (conditions.length === 0) return;
  await deps.conditions.write(conditions, held.fence);
  for (const { monitorId } of conditions) held.writtenAt.set(monitorId, now);
}

/**
 * Tells what is stored and not told yet, without holding up the results behind it: while Temporal is away, or has thousands to begin,
 * it goes on in the background. One telling at a time, and beside it one announcement of all that is new, which does not wait for it.
 */
async function tellUntold(deps: RecorderDeps, held: Held): Promise<void> {
  const isNew = held.telling === null;
  held.telling ??= tellEach(deps, held).finally(() => {
    held.telling = null;
  });
  held.announcing ??= announceNew(deps, held).finally(() => {
    held.announcing = null;
  });
  const waiting = new AbortController();
  const enough = delay(TOLD_WITHIN_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
  // A telling that goes on for long is awaited once, and not with each batch of results.
  await Promise.race([Promise.all([isNew ? held.telling : null, held.announcing]), enough]);
  waiting.abort();
}

/**
 * In the order of each monitor, until nothing is left, and the orgs in turn: one with hundreds of outages, or whose people
 * pause and resume what is down, keeps no end of another's waiting. That a transition was told is stored with the next write
 * of the condition; whoever tells it again before is not heard twice.
 */
async function tellEach(deps: RecorderDeps, held: Held): Promise<void> {
  const turns: Turns = { failed: new Set(), ofOrgs: new Map() };
  for (let next = nextUntold(held, turns); next !== null; next = nextUntold(held, turns)) {
    const { monitor, transition } = next;
    turns.ofOrgs.set(monitor.org, turnsOf(turns, monitor) + 1);
    try {
      await deps.listener.tell(monitor, transition);
      forget(held, monitor.id, transition.sequence);
    } catch (error) {
      deps.onFailure(error);
      // While Temporal is away every further one would wait for it as well.
      if (isRetryable(error)) return;
      turns.failed.add(monitor.id);
    }
  }
}

/** What this holder has not announced yet. What could not be is told with its incident. */
async function announceNew({ listener, onFailure }: RecorderDeps, held: Held): Promise<void> {
  const fresh: (readonly [Monitor, Transition])[] = [];
  for (const [id, { untold }] of held.conditions) {
    const monitor = held.monitors.get(id);
    const last = untold.at(-1);
    const before = held.announcedUpTo.get(id) ?? 0;
    if (monitor === undefined || last === undefined || last.sequence <= before) continue;
    held.announcedUpTo.set(id, last.sequence);
    for (const each of untold) if (each.sequence > before && each.kind === 'down') fresh.push([monitor, each]);
  }
  if (fresh.length === 0) return;
  await listener.announce(fresh).catch(onFailure);
}

interface Turns {
  /** Ids of monitors whose telling failed for good. */
  readonly failed: Set<string>;
  /** How many transitions of each org were told. */
  readonly ofOrgs: Map<string | null, number>;
}

function turnsOf({ ofOrgs }: Turns, { org }: Pick<Monitor, 'org'>): number {
  return ofOrgs.get(org) ?? 0;
}

/** Of the org that had the fewest turns. */
function nextUntold({ conditions, monitors }: Held, turns: Turns) {
  let next: { readonly monitor: Monitor; readonly transition: Transition } | null = null;
  for (const [id, { untold }] of conditions) {
    const [transition] = untold;
    const monitor = monitors.get(id);
    if (transition === undefined || monitor === undefined || turns.failed.has(id)) continue;
    if (next === null || turnsOf(turns, monitor) < turnsOf(turns, next.monitor)) next = { monitor, transition };
  }
  return next;
}

function forget(held: Held, id: string, told: number): void {
  held.toldUpTo.set(id, told);
  const condition = held.conditions.get(id);
  if (condition !== undefined) keep(held, condition);
  held.writtenAt.delete(id);
}

/** What was told while it was stored is not told again. */
function keep({ conditions, toldUpTo }: Held, condition: Condition): void {
  const told = toldUpTo.get(condition.monitorId) ?? 0;
  const untold = condition.untold.filter(({ sequence }) => sequence > told);
  conditions.set(condition.monitorId, untold.length === condition.untold.length ? condition : { ...condition, untold });
}

async function allOf({ monitors }: RecorderDeps, shard: number): Promise<readonly Monitor[]> {
  const all: Monitor[] = [];
  let cursor: string | null = null;
  do {
    const page = await monitors.listShard(shard, null, { cursor, limit: PAGE });
    all.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return all;
}
