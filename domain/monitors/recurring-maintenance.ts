import { FairleadError } from '../errors.ts';
import { dayAt, momentOf, nextDay } from '../wall-clock.ts';
import { type Cron, isCronDay, parseCron } from './cron.ts';
import { isInMaintenance, type MaintenanceWindow } from './maintenance.ts';

/** Times in which a monitor may fail, again and again. */
export interface RecurringMaintenance {
  /** `mnt_…` */
  readonly id: string;
  /** As {@link parseCron} reads it. */
  readonly cron: string;
  /** Of the IANA database. */
  readonly timeZone: string;
  /** How long each of them is. */
  readonly minutes: number;
  readonly note: string | null;
  /** Those that begin from then on: what has happened is not made maintenance afterwards. */
  readonly since: Date;
  /** Null while it goes on. */
  readonly until: Date | null;
  /** The one that began then was ended early. */
  readonly cut: { readonly from: Date; readonly at: Date } | null;
}

export const MOST_RECURRING = 10;
export const MOST_RECURRING_MINUTES = 24 * 60;
const DAY_MS = 86_400_000;
const YEAR_MS = 366 * DAY_MS;
/** For as long, results of a time may be rolled up again. */
const KEPT_MS = 3 * DAY_MS;

/** A monitor, as far as it may fail at times. */
interface Maintained {
  readonly maintenance: readonly MaintenanceWindow[];
  readonly recurring?: readonly RecurringMaintenance[] | undefined;
}

/** The time of maintenance that runs; null for none. */
export function maintenanceAt(monitor: Maintained, at: Date): MaintenanceWindow | null {
  const next = new Date(at.getTime() + 1);
  return maintenanceWithin(monitor, at, next).find((window) => isInMaintenance([window], at)) ?? null;
}

/** All times of maintenance, single ones and recurring ones, that have a part in [from, to). */
export function maintenanceWithin(
  { maintenance, recurring = [] }: Maintained,
  from: Date,
  to: Date,
): readonly MaintenanceWindow[] {
  const all = [...maintenance, ...recurring.flatMap((each) => occurrences(each, from, to))];
  return all.filter((window) => window.from < to && from < window.to);
}

/** When it is next, or runs; null where it ended. */
export function nextOccurrence(recurring: RecurringMaintenance, at: Date): Date | null {
  const [next] = occurrences(recurring, at, new Date(at.getTime() + YEAR_MS), 1);
  return next?.from ?? null;
}

/** Those of one that have a part in [from, to), by time. @param most so many at most */
function occurrences(
  recurring: RecurringMaintenance,
  from: Date,
  to: Date,
  most = Number.POSITIVE_INFINITY,
): readonly MaintenanceWindow[] {
  const { timeZone, minutes } = recurring;
  const cron = cronOf(recurring);
  const found: MaintenanceWindow[] = [];
  const lengthMs = minutes * 60_000;
  // No clock is further from UTC than a day.
  const last = to.getTime() + DAY_MS;
  let day = dayAt(from.getTime() - lengthMs - DAY_MS, timeZone);
  for (; found.length < most && Date.UTC(day.year, day.month - 1, day.day) <= last; day = nextDay(day)) {
    if (!isCronDay(cron, day)) continue;
    const beginsAt = momentOf(day, cron.minutes, timeZone);
    const window = windowOf(recurring, new Date(beginsAt), new Date(beginsAt + lengthMs));
    if (window !== null && window.from < to && from < window.to) found.push(window);
  }
  return found;
}

function windowOf({ since, until, cut, note }: RecurringMaintenance, from: Date, end: Date): MaintenanceWindow | null {
  const isCut = cut !== null && cut.from.getTime() === from.getTime();
  const ends = [end, ...(until === null ? [] : [until]), ...(isCut ? [cut.at] : [])];
  const to = new Date(Math.min(...ends.map(Number)));
  return since <= from && from < to ? { from, to, note } : null;
}

const parsed = new WeakMap<RecurringMaintenance, Cron>();

function cronOf(recurring: RecurringMaintenance): Cron {
  const cron = parsed.get(recurring) ?? parseCron(recurring.cron);
  if (cron === null) throw new FairleadError('INTERNAL', `A time of maintenance is no cron line: ${recurring.cron}`);
  parsed.set(recurring, cron);
  return cron;
}

/** The one that goes on by the same clock, if any: whoever was not answered asks again. */
export function sameRecurring(
  known: readonly RecurringMaintenance[],
  asked: Pick<RecurringMaintenance, 'cron' | 'timeZone' | 'minutes' | 'note'>,
): RecurringMaintenance | undefined {
  return known.find(
    ({ cron, timeZone, minutes, note, until }) =>
      until === null &&
      cron === asked.cron &&
      timeZone === asked.timeZone &&
      minutes === asked.minutes &&
      note === asked.note,
  );
}

/**
 * The recurring times with one more, and without those that ended days ago. One that is there already is not added again: the
 * same list.
 * @throws VALIDATION_FAILED for one that never comes within a year; CONFLICT when there are as many as there may be
 */
export function withRecurring(
  known: readonly RecurringMaintenance[],
  added: RecurringMaintenance,
): readonly RecurringMaintenance[] {
  if (sameRecurring(known, added) !== undefined) return known;
  const at = added.since;
  if (nextOccurrence(added, at) === null) throw new FairleadError('VALIDATION_FAILED', 'cron: a time within a year');
  const kept = known.filter(({ until }) => until === null || until.getTime() > at.getTime() - KEPT_MS);
  if (kept.filter(({ until }) => until === null).length >= MOST_RECURRING) {
    throw new FairleadError('CONFLICT', `A monitor has at most ${MOST_RECURRING} recurring times of maintenance`);
  }
  return [...kept, added];
}

/** One of them ended for good; what runs of it ends now. The same list where there is none of that id. */
export function withoutRecurring(
  known: readonly RecurringMaintenance[],
  id: string,
  at: Date,
): readonly RecurringMaintenance[] {
  return known.map((each) => (each.id === id && each.until === null ? { ...each, until: at } : each));
}

/** Those that run are ended early, this once. */
export function cutShort(known: readonly RecurringMaintenance[], at: Date): readonly RecurringMaintenance[] {
  return known.map((each) => {
    const running = maintenanceAt({ maintenance: [], recurring: [each] }, at);
    return running === null ? each : { ...each, cut: { from: running.from, at } };
  });
}
