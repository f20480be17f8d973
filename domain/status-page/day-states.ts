import type { RollUp, TimeByState } from '../monitors/history.ts';
import type { DayBar, DayState } from './status-view.ts';

const DAY_MS = 86_400_000;

/** How a day was: a day with any time down is one, however short that was. */
export function dayState({ upMs, degradedMs, downMs, maintenanceMs }: TimeByState): DayState {
  if (downMs > 0) return 'down';
  if (degradedMs > 0) return 'degraded';
  if (maintenanceMs > 0 && maintenanceMs >= upMs) return 'maintenance';
  return upMs > 0 ? 'up' : 'none';
}

/** One bar for each UTC day up to today, the oldest first; a day without a roll-up has no data. */
export function dayBarsOf(rollUps: readonly RollUp[], days: number, now: Date): readonly DayBar[] {
  const byDay = new Map(rollUps.map((rollUp) => [dayOf(rollUp.startsAt), rollUp]));
  const today = Math.floor(now.getTime() / DAY_MS);
  return Array.from({ length: days }, (_, index) => {
    const day = dayOf(new Date((today - days + 1 + index) * DAY_MS));
    const rollUp = byDay.get(day);
    return { day, state: rollUp === undefined ? 'none' : dayState(rollUp) };
  });
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
