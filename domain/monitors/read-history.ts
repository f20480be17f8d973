import { ROLL_UPS, type RollUp, type Uptime } from './history.ts';
import type { MonitorHistory, RollUpStore } from './ports.ts';
import { mergeByDay, startOfDay } from './roll-up-hour.ts';

const { '1d': DAY, '1h': HOUR, '5m': SLICE } = ROLL_UPS;
/** The most points of a chart: more are taken from the next longer roll-ups. */
const MOST_POINTS = 300;
/**
 * A day that is over may not be rolled up yet: it is then read of its hours, as far back. Before that a missing day is one
 * without data.
 */
const DAYS_OF_HOURS = 7;
/** Monitors whose roll-ups are read at once. */
const AT_ONCE = 10;

/** What pages show of the past, read from roll-ups alone: single results are never needed. */
export function createMonitorHistory({
  rollUps,
}: {
  readonly rollUps: Pick<RollUpStore, 'read' | 'readRanges'>;
}): MonitorHistory {
  /** From the beginning of a day to the beginning of another one, or until now. */
  const daysFrom = async (monitorId: string, from: Date, to: Date, now: Date): Promise<readonly RollUp[]> => {
    const today = startOfDay(now);
    const over = to < today ? to : today;
    const [whole = [], hours = []] = await rollUps.readRanges(monitorId, [
      { length: '1d', from, to: over },
      ...(to > today ? [{ length: '1h', from: today, to: now } as const] : []),
    ]);
    const known = new Set(whole.map(({ startsAt }) => startsAt.getTime()));
    const gap = firstGap(known, Math.max(from.getTime(), today.getTime() - DAYS_OF_HOURS * DAY.lengthMs));
    if (gap >= over.getTime()) return [...whole, ...mergeByDay(hours)];
    const before = mergeByDay(await rollUps.read(monitorId, '1h', new Date(gap), over));
    const made = before.filter(({ startsAt }) => !known.has(startsAt.getTime()));
    const past = [...whole, ...made].sort((a, b) => a.startsAt.getTime() - b.startsAt.getTime());
    return [...past, ...mergeByDay(hours)];
  };
  const days: MonitorHistory['days'] = (monitorId, count, now) => daysFrom(monitorId, firstOf(count, now), now, now);
  return {
    days,
    async between(monitorId, from, to, now) {
      const read = from < now ? await daysFrom(monitorId, from, to, now) : [];
      return uptimeIn(read, from, new Date(Math.min(to.getTime(), now.getTime())));
    },
    async uptime(monitorIds, count, now) {
      const figures = new Map<string, Uptime>();
      for (let first = 0; first < monitorIds.length; first += AT_ONCE) {
        const part = monitorIds.slice(first, first + AT_ONCE);
        const read = await Promise.all(part.map((id) => days(id, count, now)));
        for (const [index, id] of part.entries()) figures.set(id, uptimeOf(read[index] ?? [], count, now));
      }
      return figures;
    },
    async series(monitorId, hours, now) {
      const from = new Date(now.getTime() - hours * HOUR.lengthMs);
      const length = hours * HOUR.lengthMs > MOST_POINTS * SLICE.lengthMs ? '1h' : '5m';
      const aligned = new Date(Math.floor(from.getTime() / ROLL_UPS[length].lengthMs) * ROLL_UPS[length].lengthMs);
      return await rollUps.read(monitorId, length, aligned, now);
    },
  };
}

/** Adds days up to one figure, from the beginning of the first of so many days until now. */
export function uptimeOf(days: readonly RollUp[], count: number, now: Date): Uptime {
  return uptimeIn(days, firstOf(count, now), now);
}

/** The beginning of the first of so many days, of which today is the last. */
function firstOf(count: number, now: Date): Date {
  return new Date(startOfDay(now).getTime() - (count - 1) * DAY.lengthMs);
}

function uptimeIn(days: readonly RollUp[], from: Date, to: Date): Uptime {
  const sum = (of: (day: RollUp) => number): number => days.reduce((total, day) => total + of(day), 0);
  const upMs = sum((day) => day.upMs);
  const downMs = sum((day) => day.downMs);
  const maintenanceMs = sum((day) => day.maintenanceMs);
  const known = upMs + downMs;
  const asked = to.getTime() - from.getTime() - maintenanceMs;
  return {
    ...{ from, to, upMs, downMs, maintenanceMs, degradedMs: sum((day) => day.degradedMs) },
    ratio: known === 0 ? null : upMs / known,
    coverage: asked <= 0 ? 0 : Math.min(1, known / asked),
  };
}

/** The first day without a roll-up. */
function firstGap(known: ReadonlySet<number>, from: number): number {
  let day = from;
  while (known.has(day)) day += DAY.lengthMs;
  return day;
}
