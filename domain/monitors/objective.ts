import { ROLL_UPS, type RollUp, type RollUpLength, type TimeByState } from './history.ts';

/** How much of the time a monitor has to be up, over the last so many days. */
export interface Objective {
  /** In percent, {@link TARGET_PERCENT}. */
  readonly targetPercent: number;
  readonly windowDays: (typeof OBJECTIVE_DAYS)[number];
}

export const TARGET_PERCENT = { min: 50, max: 99.999 } as const;
export const OBJECTIVE_DAYS = [7, 28, 30, 90] as const;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long a monitor may be down in its window, and how much of that is left. */
export interface ErrorBudget {
  readonly allowedMs: number;
  readonly usedMs: number;
  /** 1 while nothing is used, 0 when all is; below 0 the objective is missed. */
  readonly left: number;
}

/** Time in maintenance asks for nothing, and allows nothing. What nothing is known of counts as time that was up. */
export function budgetOf(objective: Objective, time: Pick<TimeByState, 'downMs' | 'maintenanceMs'>): ErrorBudget {
  const allowedMs = errorShare(objective) * Math.max(0, objective.windowDays * DAY_MS - time.maintenanceMs);
  const left = allowedMs === 0 ? (time.downMs === 0 ? 1 : 0) : 1 - time.downMs / allowedMs;
  return { allowedMs, usedMs: time.downMs, left };
}

/**
 * Alerts on how fast the budget goes, each on a long and a short period: the long one says that it matters, the short one that
 * it goes on ("The Site Reliability Workbook", chapter 5, multiwindow, multi-burn-rate alerts). `share` is what of the whole
 * budget would be used in the long period.
 */
export const BURN_ALERTS = [
  { name: 'fast', longMs: HOUR_MS, shortMs: 5 * MINUTE_MS, share: 0.02, urgency: 'critical' },
  { name: 'medium', longMs: 6 * HOUR_MS, shortMs: 30 * MINUTE_MS, share: 0.05, urgency: 'critical' },
  { name: 'slow', longMs: 3 * DAY_MS, shortMs: 6 * HOUR_MS, share: 0.1, urgency: 'warning' },
] as const satisfies readonly {
  readonly name: string;
  readonly longMs: number;
  readonly shortMs: number;
  readonly share: number;
  readonly urgency: BurnUrgency;
}[];
type BurnUrgency = 'critical' | 'warning';
export const BURN_ALERT_NAMES = BURN_ALERTS.map(({ name }) => name);
export type BurnAlertName = (typeof BURN_ALERTS)[number]['name'];

/** What burn rates are read from: slices of five minutes of the last six hours, and before that hours. */
const SLICES_MS = 6 * HOUR_MS;
const HOURS_MS = 3 * DAY_MS;

/** The roll-ups that {@link burnsNow} reads, in the order of its parameter. */
export function rangesOfBurns(now: Date) {
  return [
    { length: '5m', from: beginOf(now, '5m', SLICES_MS), to: now },
    { length: '1h', from: beginOf(now, '1h', HOURS_MS), to: now },
  ] as const;
}

/** Of a period of roll-ups until now. The one that runs is not whole, and may have nothing yet: the one before counts as well. */
function beginOf(now: Date, length: RollUpLength, periodMs: number): Date {
  return new Date(now.getTime() - periodMs - ROLL_UPS[length].lengthMs);
}

/** An alert that was raised and is not over. */
export interface ActiveBurn {
  readonly alert: BurnAlertName;
  readonly since: Date;
}

/** Roll-ups by five minutes, and by hours, of {@link rangesOfBurns}. */
export interface RecentRollUps {
  readonly slices: readonly RollUp[];
  readonly hours: readonly RollUp[];
}

/**
 * The alerts that are active now. One begins when both of its periods use the budget too fast, and ends when the long one does
 * no more: a service that is down again within the hour is not told of twice. One of whose long period nothing is known, for the prober
 * was away, say, goes on: nobody has seen its end.
 */
export function burnsNow(
  objective: Objective,
  recent: RecentRollUps,
  before: readonly ActiveBurn[],
  now: Date,
): readonly ActiveBurn[] {
  const active: ActiveBurn[] = [];
  for (const { name, longMs, shortMs, share } of BURN_ALERTS) {
    const limit = (share * objective.windowDays * DAY_MS) / longMs;
    const isFast = (periodMs: number): boolean | null => {
      const rate = burnRate(objective, recent, periodMs, now);
      return rate === null ? null : rate >= limit;
    };
    const known = before.find(({ alert }) => alert === name);
    if (known !== undefined ? isFast(longMs) !== false : isFast(longMs) === true && isFast(shortMs) === true)
      active.push(known ?? { alert: name, since: now });
  }
  return active;
}

/** How many times faster than the objective allows the budget went in the last time; null where nothing is known. */
export function burnRate(
  objective: Objective,
  { slices, hours }: RecentRollUps,
  periodMs: number,
  now: Date,
): number | null {
  const [rollUps, length] = periodMs <= SLICES_MS ? ([slices, '5m'] as const) : ([hours, '1h'] as const);
  const from = beginOf(now, length, periodMs);
  const [up, down] = rollUps
    .filter(({ startsAt }) => startsAt > from)
    .reduce<readonly [number, number]>(([u, d], { upMs, downMs }) => [u + upMs, d + downMs], [0, 0]);
  return up + down === 0 ? null : down / (up + down) / errorShare(objective);
}

/** Of a time that counts whole: what may be down of it. */
function errorShare({ targetPercent }: Objective): number {
  // 100 - 99.9 is 0.09999999999999432.
  return Number(((100 - targetPercent) / 100).toFixed(8));
}

/** What is told when the active alerts change: one more began, or all are over. Null: nothing. */
export function burnEventOf(before: readonly ActiveBurn[], active: readonly ActiveBurn[]): 'burning' | 'steady' | null {
  if (before.length > 0 && active.length === 0) return 'steady';
  const isNew = ({ alert }: ActiveBurn): boolean => before.every((each) => each.alert !== alert);
  return active.some(isNew) ? 'burning' : null;
}

/** The most urgent of the alerts that are active; null for none. */
export function mostUrgentBurn(active: readonly ActiveBurn[]): (typeof BURN_ALERTS)[number] | null {
  return BURN_ALERTS.find(({ name }) => active.some(({ alert }) => alert === name)) ?? null;
}

export interface UntoldBurn {
  readonly event: 'burning' | 'steady';
  readonly at: Date;
  /** Of `steady`, as of {@link BurnState}. Those of earlier versions do not say. */
  readonly since?: Date | undefined;
}

/** When the first of some alerts began; undefined of none. */
export function beginOfBurns(active: readonly ActiveBurn[]): Date | undefined {
  return active.map(({ since }) => since).sort((one, other) => one.getTime() - other.getTime())[0];
}

/** What is known of the alerts of one monitor. */
export interface BurnState {
  readonly monitorId: string;
  readonly active: readonly ActiveBurn[];
  /** While some are active, when the first of them began, though that may be over by now. Records of earlier versions do not say. */
  readonly since?: Date | undefined;
  /** What has to be told, until it was. */
  readonly untold: UntoldBurn | null;
  /** One more with each change. */
  readonly revision: number;
}
