import { FairleadError } from '../../domain/errors.ts';
import {
  type EscalationPolicy,
  MOST_REPEATS,
  MOST_STEPS,
  type OutageSeverity,
} from '../../domain/notifications/escalation.ts';
import {
  type EscalationView,
  escalationView,
  escalationViewSchema,
  nameChannels,
} from '../../domain/notifications/escalation-reply.ts';
import { escalationPolicySchema, severityParams } from '../../domain/notifications/schema.ts';
import { admits, PLATFORM } from '../http/allowed-callers.ts';
import type { Caller } from '../http/caller.ts';
import { defineRoute, type Route, type RouteContext } from '../http/define-route.ts';
import { CHANNEL_ADMINS, orgQuery, toldOrg } from './channel-routes.ts';
import type { NotificationsDeps } from './deps.ts';

const PATH = '/api/alerts/escalation';
const row = {
  tag: 'alerts',
  query: orgQuery,
  responses: { 200: { description: 'The policies of the org', schema: escalationViewSchema } },
} as const;

type Deps = Pick<NotificationsDeps, 'channels' | 'escalations' | 'recordChange'>;

/** Whom an org has told of an outage that nobody acknowledges. */
export function escalationRoutes(deps: Deps): readonly Route[] {
  return [showRoute(deps), setRoute(deps), removeRoute(deps)];
}

function showRoute(deps: Deps): Route {
  return defineRoute({
    ...row,
    ...{ method: 'get', path: PATH, callers: { ...PLATFORM, user: 'member' } },
    summary: 'Whom the org has told of an outage, step by step, while nobody acknowledges it',
    handle: async ({ query }, { caller }) => ({
      status: 200,
      data: await readEscalation(deps, caller, toldOrg(caller, query.org)),
    }),
  });
}

function setRoute(deps: Deps): Route {
  return defineRoute({
    ...row,
    ...{ method: 'put', path: `${PATH}/:severity`, callers: CHANNEL_ADMINS, params: severityParams },
    summary: 'Sets the policy for outages of a severity',
    description: `The first step is told at once, each other one that long after the one before, unless the incident is acknowledged or \
resolved by then; in a time of maintenance it waits for its end. All steps may be repeated. A policy has at most ${MOST_STEPS} steps and \
${MOST_REPEATS} repeats. What else is told of an incident, its end as well, goes to the channels that were told of it, and to no others. \
Incidents that are open keep the policy that they began with. A step whose channels are all removed or stopped is passed over at once, and \
told to the channels of the org that no later step names.`,
    body: escalationPolicySchema,
    handle: async ({ params: { severity }, query, body }, context) => {
      const { caller } = context;
      const org = toldOrg(caller, query.org);
      await setEscalation(deps, context, caller, { org, severity, policy: body });
      return { status: 200, data: await readEscalation(deps, caller, org) };
    },
  });
}

function removeRoute(deps: Deps): Route {
  return defineRoute({
    ...row,
    ...{ method: 'delete', path: `${PATH}/:severity`, callers: CHANNEL_ADMINS, params: severityParams },
    summary: 'Removes the policy for outages of a severity: every channel is told of the next ones at once',
    handle: async ({ params: { severity }, query }, context) => {
      const { caller } = context;
      const org = toldOrg(caller, query.org);
      await setEscalation(deps, context, caller, { org, severity, policy: null });
      return { status: 200, data: await readEscalation(deps, caller, org) };
    },
  });
}

/**
 * Sets a policy, or removes it, and records that first.
 * @throws VALIDATION_FAILED for a channel that the org has not, or that its reader has stopped; UNAVAILABLE
 */
export async function setEscalation(
  deps: Deps,
  context: Pick<RouteContext, 'requestId' | 'address'>,
  caller: Caller,
  { org, severity, policy }: { org: string | null; severity: OutageSeverity; policy: EscalationPolicy | null },
): Promise<void> {
  if (policy !== null) await requireOwn(deps, org, policy);
  const type = policy === null ? 'monitor.escalation_removed' : 'monitor.escalation_set';
  const counts = policy === null ? {} : { steps: policy.steps.length, repeats: policy.repeat?.times ?? 0 };
  const facts = { type, subject: org ?? 'operators', orgSlug: org, data: { severity, ...counts } };
  await deps.recordChange(context, caller, facts);
  await deps.escalations.set(org, severity, policy);
}

/** The policies of an org as this caller sees them. */
export async function readEscalation(
  { channels, escalations }: Pick<Deps, 'channels' | 'escalations'>,
  caller: Caller,
  org: string | null,
): Promise<EscalationView> {
  const [policies, named] = await Promise.all([escalations.find(org), channels.list(org)]);
  return escalationView({ org, policies, nameOf: nameChannels(named, admits(CHANNEL_ADMINS, caller)) });
}

/** @throws VALIDATION_FAILED for a channel that the org has not, or that its reader has stopped */
async function requireOwn(
  { channels }: Pick<Deps, 'channels'>,
  org: string | null,
  { steps }: EscalationPolicy,
): Promise<void> {
  const states = new Map((await channels.list(org)).map(({ id, state }) => [id, state]));
  for (const [index, { channelIds }] of steps.entries()) {
    for (const id of channelIds) {
      const state = states.get(id);
      if (state !== undefined && state !== 'stopped') continue;
      const why = state === undefined ? 'is no channel of the org; GET /api/alerts/channels lists them' : 'is stopped';
      throw new FairleadError('VALIDATION_FAILED', `steps.${index}.channelIds: ${id} ${why}`);
    }
  }
}
