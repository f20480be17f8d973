import type { Uptime } from '../../domain/monitors/history.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { type BurnState, budgetOf, mostUrgentBurn, type Objective } from '../../domain/monitors/objective.ts';
import type { Notification } from '../../domain/notifications/notification.ts';

const MINUTE_MS = 60_000;

export interface BurnFacts {
  readonly objective: Objective;
  /** Of the window of the objective. */
  readonly uptime: Uptime;
}

/** What is told of an error budget. Told twice, it counts once. Null while there is nothing to tell. */
export function burnNotice(
  { id, org, serviceName, environment }: Pick<Monitor, 'id' | 'org' | 'serviceName' | 'environment'>,
  { active, untold }: BurnState,
  { objective, uptime }: BurnFacts,
): Notification | null {
  if (untold === null) return null;
  const { event, at, since } = untold;
  const burn = event === 'burning' ? mostUrgentBurn(active) : null;
  const { targetPercent, windowDays } = objective;
  const { allowedMs, usedMs, left } = budgetOf(objective, uptime);
  const name = `${serviceName} (${environment})`;
  const leftText = `Left of ${minutes(allowedMs)} in ${windowDays} days: ${minutes(Math.max(0, allowedMs - usedMs))}.`;
  return {
    ...{ id: `${id}/objective/${at.toISOString()}`, kind: `objective.${event}`, org, at },
    subject: `${burn === null ? 'Error budget no longer burns' : 'Error budget burns'}: ${name}`,
    text:
      burn !== null
        ? `${name} was down so long that its objective of ${targetPercent} % will be missed: ${Math.round(burn.share * 100)} % of the error budget went in ${hours(burn.longMs)}, or faster. ${leftText}`
        : `${name} is down no more, or less than its objective of ${targetPercent} % allows.${burntText(since, at)} ${leftText}`,
    ...(burn !== null && environment === 'prod' && { urgency: burn.urgency }),
    data: {
      ...{ monitorId: id, targetPercent, windowDays, left, alerts: active.map(({ alert }) => alert) },
      ...(since !== undefined && { since: since.toISOString() }),
    },
  };
}

/** What was held back for quiet hours is told by its end alone: it says from when to when it was. */
function burntText(since: Date | undefined, at: Date): string {
  return since === undefined ? '' : ` Its error budget burnt from ${since.toISOString()} to ${at.toISOString()}.`;
}

function minutes(milliseconds: number): string {
  return `${Math.round(milliseconds / MINUTE_MS)} min`;
}

function hours(milliseconds: number): string {
  const count = milliseconds / (60 * MINUTE_MS);
  return count === 1 ? 'an hour' : count < 48 ? `${count} hours` : `${count / 24} days`;
}
