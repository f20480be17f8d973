import type { z } from 'zod';
import type { Uptime } from './history.ts';
import type { Monitor } from './monitor.ts';
import type { reportRowSchema } from './reply-schema.ts';

export type ReportRow = z.input<typeof reportRowSchema>;

/** A calendar month in UTC: its beginning, and that of the next one. @param month `2026-11` */
export function rangeOfMonth(month: string): { readonly from: Date; readonly to: Date } {
  const from = new Date(`${month}-01T00:00:00Z`);
  return { from, to: new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1)) };
}

/** The month that a moment is in. */
export function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7);
}

/** How one monitor was in a month. */
export function reportRow(monitor: Monitor, { ratio, coverage, downMs, maintenanceMs }: Uptime): ReportRow {
  const { id, serviceName: name, environment, org, objective } = monitor;
  const targetPercent = objective?.targetPercent ?? null;
  return {
    ...{ id, name, environment, org, targetPercent, uptime: ratio, coverage },
    ...{ downMs: Math.round(downMs), maintenanceMs: Math.round(maintenanceMs) },
    met: targetPercent === null || ratio === null ? null : ratio * 100 >= targetPercent,
  };
}
