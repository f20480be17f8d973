import type { Escalation } from './escalation.ts';
import type { Incident, IncidentUpdate } from './incident.ts';

/** An incident with its times in ISO, as workflows and replies carry it. */
export interface IncidentView
  extends Omit<Incident, 'startedAt' | 'resolvedAt' | 'acknowledged' | 'escalation' | 'updates'> {
  readonly startedAt: string;
  readonly resolvedAt: string | null;
  readonly acknowledged: { readonly at: string; readonly by: string } | null;
  readonly escalation?: Escalation<string> | undefined;
  readonly updates: readonly (Omit<IncidentUpdate, 'at'> & { readonly at: string })[];
}

export function toIncidentView(incident: Incident): IncidentView {
  const { startedAt, resolvedAt, acknowledged, escalation, updates, ...facts } = incident;
  return {
    ...facts,
    startedAt: startedAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
    acknowledged: acknowledged === null ? null : { ...acknowledged, at: acknowledged.at.toISOString() },
    ...(escalation !== undefined && { escalation: withTimes(escalation, (at) => at.toISOString()) }),
    updates: updates.map((update) => ({ ...update, at: update.at.toISOString() })),
  };
}

export function fromIncidentView(view: IncidentView): Incident {
  const { startedAt, resolvedAt, acknowledged, escalation, updates, ...facts } = view;
  return {
    ...facts,
    startedAt: new Date(startedAt),
    resolvedAt: resolvedAt === null ? null : new Date(resolvedAt),
    acknowledged: acknowledged === null ? null : { ...acknowledged, at: new Date(acknowledged.at) },
    ...(escalation !== undefined && { escalation: withTimes(escalation, (at) => new Date(at)) }),
    updates: updates.map((update) => ({ ...update, at: new Date(update.at) })),
  };
}

function withTimes<From, To>({ policy, told }: Escalation<From>, timeOf: (at: From) => To): Escalation<To> {
  return { policy, told: told.map((step) => ({ ...step, at: timeOf(step.at) })) };
}
