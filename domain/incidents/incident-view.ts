import type { Incident, IncidentUpdate } from './incident.ts';

/** An incident with its times in ISO, as workflows and replies carry it. */
export interface IncidentView extends Omit<Incident, 'startedAt' | 'resolvedAt' | 'acknowledged' | 'updates'> {
  readonly startedAt: string;
  readonly resolvedAt: string | null;
  readonly acknowledged: { readonly at: string; readonly by: string } | null;
  readonly updates: readonly (Omit<IncidentUpdate, 'at'> & { readonly at: string })[];
}

export function toIncidentView(incident: Incident): IncidentView {
  const { startedAt, resolvedAt, acknowledged, updates } = incident;
  return {
    ...incident,
    startedAt: startedAt.toISOString(),
    resolvedAt: resolvedAt?.toISOString() ?? null,
    acknowledged: acknowledged === null ? null : { ...acknowledged, at: acknowledged.at.toISOString() },
    updates: updates.map((update) => ({ ...update, at: update.at.toISOString() })),
  };
}

export function fromIncidentView(view: IncidentView): Incident {
  const { startedAt, resolvedAt, acknowledged, updates } = view;
  return {
    ...view,
    startedAt: new Date(startedAt),
    resolvedAt: resolvedAt === null ? null : new Date(resolvedAt),
    acknowledged: acknowledged === null ? null : { ...acknowledged, at: new Date(acknowledged.at) },
    updates: updates.map((update) => ({ ...update, at: new Date(update.at) })),
  };
}
