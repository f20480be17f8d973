import { isRetryable } from '../errors.ts';
import { NO_POLICIES } from '../notifications/escalation.ts';
import type { ChannelStore, EscalationStore } from '../notifications/ports.ts';
import { beginEscalation } from './escalation.ts';
import type { IncidentView } from './incident-view.ts';

/** What could not be done, and of what. */
export interface EscalationProblem {
  readonly err: unknown;
  readonly org: string | null;
  readonly incidentId?: string;
}

export interface EscalationSources {
  readonly escalations: Pick<EscalationStore, 'find'>;
  readonly channels: Pick<ChannelStore, 'list'>;
  readonly warn: (problem: EscalationProblem, message: string) => void;
}

/**
 * Incidents that begin, each with the escalation that its org has for it now; without a policy as they are, and so where that cannot be
 * read for good: every channel is told then, and the orgs beside are told as they say.
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

async function planOf({ escalations, channels, warn }: EscalationSources, org: string | null) {
  try {
    const policies = await escalations.find(org);
    const hasAny = Object.values(policies).some((policy) => policy !== null);
    return { policies, active: hasAny ? await activeChannels({ channels }, org) : [] };
  } catch (err) {
    if (isRetryable(err)) throw err;
    warn({ err, org }, 'the escalation of an org cannot be read: its channels are told at once');
    return { policies: NO_POLICIES, active: [] };
  }
}

/** The ids of the channels of an org that are told anything now. */
export async function activeChannels(
  { channels }: Pick<EscalationSources, 'channels'>,
  org: string | null,
): Promise<readonly string[]> {
  return (await channels.list(org)).filter(({ state }) => state === 'active').map(({ id }) => id);
}
