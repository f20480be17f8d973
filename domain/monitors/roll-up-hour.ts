import { type CheckResult, isFailure } from './check-result.ts';
import { GAP_INTERVALS } from './condition.ts';
import { ROLL_UPS, type RollUp, type RollUpLength } from './history.ts';
import { histogramOf, mergeHistograms } from './latency-histogram.ts';
import type { Monitor } from './monitor.ts';
import { maintenanceWithin } from './recurring-maintenance.ts';
import { type ReplayState, replay, type Segment, timeByState } from './timeline.ts';

export const HOUR_MS = ROLL_UPS['1h'].lengthMs;

/** What one hour of a monitor comes to. */
export interface RolledUpHour {
  /** Of 5 minutes each; those without any data are left out. */
  readonly slices: readonly RollUp[];
  /** Null without any data. */
  readonly hour: RollUp | null;
  /** After all results before its end. */
  readonly closing: ReplayState;
}

/** How far behind the end of an hour its results are read: a failure there is confirmed by the next result. */
export function lookAheadMs({ intervalSeconds }: Pick<Monitor, 'intervalSeconds'>): number {
  return Math.ceil(GAP_INTERVALS * intervalSeconds * 1_000) + 1;
}

/**
 * Rolls up an hour. Idempotent: of the same results and opening it makes the same.
 * @param results from the beginning of the hour to its end and {@link lookAheadMs}, by time
 */
export function rollUpHour(
  monitor: Pick<Monitor, 'id' | 'intervalSeconds' | 'maintenance' | 'recurring'>,
  startsAt: number,
  results: readonly CheckResult[],
  opening: ReplayState,
): RolledUpHour {
  const endsAt = startsAt + HOUR_MS;
  const within = results.filter(({ at }) => at < endsAt);
  const intervalMs = monitor.intervalSeconds * 1_000;
  const { segments } = replay(opening, results, intervalMs);
  const { closing } = replay(opening, within, intervalMs);
  const { lengthMs } = ROLL_UPS['5m'];
  const maintained = {
    id: monitor.id,
    maintenance: maintenanceWithin(monitor, new Date(startsAt), new Date(endsAt)),
  };
  const slices = Array.from({ length: HOUR_MS / lengthMs }, (_, index) =>
    slice(maintained, { length: '5m', startsAt: startsAt + index * lengthMs, results: within, segments }),
  ).filter(hasData);
  const hour = slice(maintained, { length: '1h', startsAt, results: within, segments });
  return { slices, hour: hasData(hour) ? hour : null, closing };
}

interface Slice {
  readonly length: RollUpLength;
  readonly startsAt: number;
  readonly results: readonly CheckResult[];
  readonly segments: readonly Segment[];
}

function slice(
  { id, maintenance }: Pick<Monitor, 'id' | 'maintenance'>,
  { length, startsAt, results, segments }: Slice,
): RollUp {
  const endsAt = startsAt + ROLL_UPS[length].lengthMs;
  const own = results.filter(({ at, outcome }) => startsAt <= at && at < endsAt && outcome !== 'unknown');
  const answered = own.filter((result) => !isFailure(result));
  const latency = histogramOf(answered.map(({ durationMs }) => durationMs));
  return {
    ...{ monitorId: id, length, startsAt: new Date(startsAt) },
    ...timeByState(segments, maintenance, startsAt, endsAt),
    ...{ checks: own.length, failed: own.length - answered.length, latency },
  };
}

function hasData({ upMs, downMs, maintenanceMs, checks }: RollUp): boolean {
  return upMs + downMs + maintenanceMs + checks > 0;
}

/** One roll-up of those of its parts, such as a day of its hours. Time and counts add up exactly. Null without parts. */
export function mergeRollUps(parts: readonly RollUp[], length: RollUpLength): RollUp | null {
  const [first] = parts;
  if (first === undefined) return null;
  const { lengthMs } = ROLL_UPS[length];
  const sum = (of: (part: RollUp) => number): number => parts.reduce((total, part) => total + of(part), 0);
  return {
    monitorId: first.monitorId,
    length,
    startsAt: new Date(Math.floor(first.startsAt.getTime() / lengthMs) * lengthMs),
    upMs: sum(({ upMs }) => upMs),
    degradedMs: sum(({ degradedMs }) => degradedMs),
    downMs: sum(({ downMs }) => downMs),
    maintenanceMs: sum(({ maintenanceMs }) => maintenanceMs),
    checks: sum(({ checks }) => checks),
    failed: sum(({ failed }) => failed),
    latency: mergeHistograms(parts.map(({ latency }) => latency)),
  };
}

/** Days of hours, the oldest first: those without hours have none. @param hours of one monitor, by time */
export function mergeByDay(hours: readonly RollUp[]): readonly RollUp[] {
  const byDay = Map.groupBy(hours, ({ startsAt }) => startOfDay(startsAt).getTime());
  return [...byDay.values()].flatMap((parts) => mergeRollUps(parts, '1d') ?? []);
}

/** UTC */
export function startOfDay(at: Date): Date {
  const { lengthMs } = ROLL_UPS['1d'];
  return new Date(Math.floor(at.getTime() / lengthMs) * lengthMs);
}
