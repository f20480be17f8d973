import { ROLL_UPS, type RollUp } from '../../domain/monitors/history.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import type { RollUpStore } from '../../domain/monitors/ports.ts';
import { mergeByDay, startOfDay } from '../../domain/monitors/roll-up-hour.ts';

export interface DaysDeps {
  readonly rollUps: Pick<RollUpStore, 'read' | 'write'>;
  readonly now: () => Date;
  /** By shard: the day before which this process has made every day. */
  readonly daysMade: Map<number, number>;
}

const DAY_MS = ROLL_UPS['1d'].lengthMs;
/** Today's hours are kept as well. */
const MOST_DAYS = ROLL_UPS['1h'].keptDays - 1;
/** Monitors whose roll-ups are read at once. */
const AT_ONCE = 10;

/** The day of an hour, once it is over: the sum of its hours. Idempotent. */
export async function rollUpDay(
  { rollUps, now }: Omit<DaysDeps, 'daysMade'>,
  hour: Date,
  own: readonly Pick<Monitor, 'id'>[],
): Promise<void> {
  const startsAt = startOfDay(hour);
  const endsAt = new Date(startsAt.getTime() + DAY_MS);
  if (now() < endsAt) return;
  const days: RollUp[] = [];
  for (const { id } of own) days.push(...mergeByDay(await rollUps.read(id, '1h', startsAt, endsAt)));
  await rollUps.write(days);
}

/**
 * Makes the days that are missing, of every monitor of a shard: also of those that nothing was checked of at the end of
 * the day, and of days that no worker saw the end of. Once a day in each process. Idempotent; results that come later
 * make their day anew.
 */
export async function rollUpMissingDays(
  deps: DaysDeps,
  shard: number,
  monitors: readonly Pick<Monitor, 'id'>[],
  signal: AbortSignal,
): Promise<void> {
  const today = startOfDay(deps.now());
  if ((deps.daysMade.get(shard) ?? 0) >= today.getTime()) return;
  for (let first = 0; first < monitors.length; first += AT_ONCE) {
    signal.throwIfAborted();
    const part = monitors.slice(first, first + AT_ONCE);
    const missing = await Promise.all(part.map(({ id }) => missingDays(deps, id, today)));
    await deps.rollUps.write(missing.flat());
  }
  deps.daysMade.set(shard, today.getTime());
}

async function missingDays({ rollUps }: DaysDeps, id: string, today: Date): Promise<readonly RollUp[]> {
  const from = new Date(today.getTime() - MOST_DAYS * DAY_MS);
  const known = new Set((await rollUps.read(id, '1d', from, today)).map(({ startsAt }) => startsAt.getTime()));
  let gap = from.getTime();
  while (known.has(gap)) gap += DAY_MS;
  const days = mergeByDay(await rollUps.read(id, '1h', new Date(gap), today));
  return days.filter(({ startsAt }) => !known.has(startsAt.getTime()));
}
