import type { ChannelStore, EscalationStore } from '../notifications/ports.ts';
import { beginEscalation } from './escalation.ts';
import type { IncidentView } from './incident-view.ts';

export interface EscalationSources {
  readonly escalations: Pick<EscalationStore, 'find'>;
  readonly channels: Pick<ChannelStore, 'list'>;
}

/**
 * Incidents that begin, each with the escalation that its org has for it now; without a policy as they are.
 * @param at when they are told, ISO
 * @throws UNAVAILABLE (retryable)
 */
export async function planEscalations(
  sources: EscalationSources,
  incidents: readonly IncidentView[],
  at: string,
): Promise<readonly IncidentView[]> {
  const planned: IncidentView[] = [];
  const orgs = new Map<string | null, ReturnType<typeof planOf>>();
  for (const incident of incidents) {
    const { org } = incident;
    const plan = orgs.get(org) ?? planOf(sources, org);
    orgs.set(org, plan);
    const { policies, active } = await plan;
    const policy = policies[incident.severity ?? 'critical'];
    planned.push(policy === null ? incident : { ...incident, escalation: beginEscalation(policy, active, at) });
  }
  return planned;
}

async function planOf({ escalations, channels }: EscalationSources, org: string | null) {
  const policies = await escalations.find(org);
  const hasAny = Object.values(policies).some((policy) => policy !== null);
  return { policies, active: hasAny ? await activeChannels({ channels }, org) : [] };
}

/** The ids of the channels of an org that are told anything now. */
export async function activeChannels(
  { channels }: Pick<EscalationSources, 'channels'>,
  org: string | null,
): Promise<readonly string[]> {
  return (await channels.list(org)).filter(({ state }) => state === 'active').map(({ id }) => id);
}
