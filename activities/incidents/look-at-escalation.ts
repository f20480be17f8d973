import { type ReachedStep, reachStep } from '../../domain/incidents/escalation.ts';
import { activeChannels, type EscalationSources } from '../../domain/incidents/plan-escalations.ts';
import type { MonitorStore } from '../../domain/monitors/ports.ts';
import { maintenanceAt } from '../../domain/monitors/recurring-maintenance.ts';
import type { EscalationPolicy } from '../../domain/notifications/escalation.ts';

export interface LookAtEscalationDeps extends Pick<EscalationSources, 'channels'> {
  readonly monitors: Pick<MonitorStore, 'find'>;
}

export interface EscalationLook {
  readonly org: string | null;
  readonly monitorId: string | null;
  readonly policy: EscalationPolicy;
  /** The step whose time has come. */
  readonly step: number;
  /** When it is looked, ISO. */
  readonly at: string;
}

/** Who is to be told; or, while a time of maintenance runs, when it is to be looked again, ISO. */
export type EscalationAnswer = { readonly told: ReachedStep } | { readonly again: string };

/** A time of maintenance may be ended early. */
const LOOK_EVERY_MS = 5 * 60_000;

/** Finds who is told of a step now. @throws UNAVAILABLE (retryable) */
export async function lookAtEscalation(
  deps: LookAtEscalationDeps,
  { org, monitorId, policy, step, at }: EscalationLook,
): Promise<EscalationAnswer> {
  const time = new Date(at);
  const monitor = monitorId === null ? null : await deps.monitors.find(monitorId);
  const maintenance = monitor === null ? null : maintenanceAt(monitor, time);
  if (maintenance !== null) {
    const againAt = Math.min(maintenance.to.getTime(), time.getTime() + LOOK_EVERY_MS);
    return { again: new Date(againAt).toISOString() };
  }
  return { told: reachStep(policy, step, await activeChannels(deps, org)) };
}
