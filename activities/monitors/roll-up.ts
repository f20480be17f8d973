import { FairleadError } from '../../domain/errors.ts';
import type { CheckResult } from '../../domain/monitors/check-result.ts';
import { RAW_KEPT_HOURS, type RollUp } from '../../domain/monitors/history.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { inOrder } from '../../domain/monitors/packed-results.ts';
import type { HourEnd, MonitorStore, ResultStore, RollUpStore } from '../../domain/monitors/ports.ts';
import { HOUR_MS, lookAheadMs, type RolledUpHour, rollUpHour } from '../../domain/monitors/roll-up-hour.ts';
import { NOTHING_REPLAYED } from '../../domain/monitors/timeline.ts';
import { type DaysDeps, rollUpDay, rollUpMissingDays } from './roll-up-days.ts';

export interface RollUpDeps extends Omit<DaysDeps, 'rollUps'> {
  readonly monitors: Pick<MonitorStore, 'listShard'>;
  readonly results: Omit<ResultStore, 'claim' | 'append' | 'read'>;
  readonly rollUps: RollUpStore;
}

/** Results of an hour may come so late before it is packed; later ones are added to it. */
const LATE_MS = 10 * 60_000;
const PAGE = 200;

/**
 * Rolls up the hours of a shard that have results which are not packed by monitor yet. The current hour is rolled up as far
 * as it is known, each time anew. An hour that is over is packed, and what it was read from dropped, once its roll-ups
 * were read back; days are made once they are over. Idempotent: of the same results it makes the same.
 * @returns how many hours there were
 */
export async function rollUpShard(deps: RollUpDeps, shard: number, signal: AbortSignal): Promise<number> {
  const monitors = await monitorsOf(deps, shard);
  const hours = await deps.results.looseHours(shard);
  for (const hour of hours) {
    signal.throwIfAborted();
    await rollUpLoose(deps, { shard, hour, monitors });
  }
  await rollUpMissingDays(deps, shard, [...monitors.values()], signal);
  const { now } = deps;
  await deps.results.dropPackedBefore(new Date(hourOf(now().getTime()) - RAW_KEPT_HOURS * HOUR_MS));
  return hours.length;
}

interface ShardHour {
  readonly shard: number;
  readonly hour: Date;
  /** By their numbers. */
  readonly monitors: ReadonlyMap<number, Monitor>;
}

async function rollUpLoose(deps: RollUpDeps, at: ShardHour): Promise<void> {
  const { shard, hour, monitors } = at;
  const loose = await deps.results.readLoose(shard, hour);
  const own = [...loose.results.keys()].flatMap((number) => monitors.get(number) ?? []);
  const rolled = await rollUpOf(deps, at, own);
  const isOver = deps.now().getTime() >= hour.getTime() + HOUR_MS + LATE_MS;
  if (!isOver) return;
  await rollUpAfterwards(deps, at, own);
  await rollUpDay(deps, hour, own);
  await requireStored(deps, rolled);
  await deps.results.pack(hour, loose.results);
  await requirePacked(deps, hour, loose.results);
  await deps.results.dropLoose(loose.parts);
}

/** Rolls up an hour of these monitors from all of its results, and stores what comes of it. */
async function rollUpOf(deps: RollUpDeps, at: ShardHour, own: readonly Monitor[]): Promise<readonly RolledUpHour[]> {
  const { hour } = at;
  const openings = await deps.rollUps.endsBefore(
    own.map(({ id }) => id),
    hour,
  );
  const results = await resultsFrom(deps, at, own);
  const rolled = own.map((monitor) => {
    const to = hour.getTime() + HOUR_MS + lookAheadMs(monitor);
    const read = (results.get(monitor.number) ?? []).filter((result) => result.at < to);
    return rollUpHour(monitor, hour.getTime(), read, openings.get(monitor.id)?.closing ?? NOTHING_REPLAYED);
  });
  await deps.rollUps.write(rolled.flatMap(({ slices, hour: whole }) => (whole === null ? slices : [...slices, whole])));
  const ends = own.flatMap((monitor, index): HourEnd[] => {
    const closing = rolled[index]?.closing;
    return closing === undefined ? [] : [{ monitorId: monitor.id, hour, closing }];
  });
  await deps.rollUps.writeEnds(ends);
  return rolled;
}

/** The last result of an hour holds on into the next one, which may have no results, or was rolled up before these came. */
async function rollUpAfterwards(deps: RollUpDeps, { hour, ...at }: ShardHour, own: readonly Monitor[]): Promise<void> {
  const next = new Date(hour.getTime() + HOUR_MS);
  const loose = await deps.results.readLoose(at.shard, next);
  // Those that have loose results there are rolled up after this hour anyway.
  const others = own.filter(({ number }) => !loose.results.has(number));
  await rollUpOf(deps, { ...at, hour: next }, others);
  await rollUpDay(deps, next, others);
}

/** Packed and loose results from an hour on, as far as any of the monitors needs them. */
async function resultsFrom(
  deps: RollUpDeps,
  { shard, hour }: ShardHour,
  own: readonly Monitor[],
): Promise<ReadonlyMap<number, readonly CheckResult[]>> {
  const found = new Map<number, CheckResult[]>();
  const numbers = own.map(({ number }) => number);
  const end = hour.getTime() + HOUR_MS + Math.max(0, ...own.map(lookAheadMs));
  for (let start = hour.getTime(); start < end; start += HOUR_MS) {
    const packed = await deps.results.readPacked(new Date(start), numbers);
    const { results: loose } = await deps.results.readLoose(shard, new Date(start));
    for (const number of numbers) {
      const results = found.get(number) ?? [];
      results.push(...(packed.get(number) ?? []), ...(loose.get(number) ?? []));
      found.set(number, results);
    }
  }
  return new Map([...found].map(([number, results]) => [number, inOrder(results)]));
}

/** @throws UNAVAILABLE (retryable) when a roll-up is not what was written: its results stay */
async function requireStored({ rollUps }: RollUpDeps, rolled: readonly RolledUpHour[]): Promise<void> {
  for (const { hour } of rolled) {
    if (hour === null) continue;
    const { monitorId, startsAt } = hour;
    const [stored] = await rollUps.read(monitorId, '1h', startsAt, new Date(startsAt.getTime() + HOUR_MS));
    if (stored === undefined || !isSame(stored, hour)) throw notStored('roll-up');
  }
}

async function requirePacked(
  { results }: RollUpDeps,
  hour: Date,
  written: ReadonlyMap<number, readonly CheckResult[]>,
): Promise<void> {
  const packed = await results.readPacked(hour, [...written.keys()]);
  for (const [number, expected] of written) {
    const times = new Set(packed.get(number)?.map(({ at }) => at));
    if (!expected.every(({ at }) => times.has(at))) throw notStored('list of results');
  }
}

function isSame(a: RollUp, b: RollUp): boolean {
  const facts = (of: RollUp) => [of.upMs, of.degradedMs, of.downMs, of.maintenanceMs, of.checks, of.failed];
  return facts(a).join() === facts(b).join();
}

function notStored(what: string): FairleadError {
  const message = `A ${what} of the uptime monitor was written and is not there; its results are kept`;
  return new FairleadError('UNAVAILABLE', message, { retryable: true });
}

async function monitorsOf({ monitors }: RollUpDeps, shard: number): Promise<ReadonlyMap<number, Monitor>> {
  const found = new Map<number, Monitor>();
  let cursor: string | null = null;
  do {
    const page = await monitors.listShard(shard, null, { cursor, limit: PAGE });
    for (const monitor of page.items) found.set(monitor.number, monitor);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

function hourOf(at: number): number {
  return Math.floor(at / HOUR_MS) * HOUR_MS;
}
