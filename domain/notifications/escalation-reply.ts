import { z } from 'zod';
import type { EscalationPolicies, EscalationPolicy } from './escalation.ts';
import { CHANNEL_STATES, type Channel } from './notification.ts';
import { channelView } from './reply-schema.ts';

/** Policies of escalation as replies show them. */

const text = z.string();

/** A channel that is named; `where` is for the admins of its org. */
export const namedChannelSchema = z.object({
  id: text,
  kind: text.nullable().describe('`mail`, `webhook`, or the name of the chat; null once it is removed'),
  where: text.nullable().describe('For admins: the address, or the host of a chat'),
  state: z.enum([...CHANNEL_STATES, 'removed']).describe('Those that are not `active` are passed over'),
});
export type NamedChannel = z.input<typeof namedChannelSchema>;

const policySchema = z.object({
  steps: z.array(z.object({ waitMinutes: z.int(), channels: z.array(namedChannelSchema) })),
  repeat: z.object({ times: z.int(), waitMinutes: z.int() }).nullable(),
});

export const escalationViewSchema = z.object({
  org: text.nullable(),
  critical: policySchema
    .nullable()
    .describe('Of outages of prod, and of incidents that people write; null: every channel is told at once'),
  warning: policySchema.nullable().describe('Of outages of other environments'),
});
export type EscalationView = z.input<typeof escalationViewSchema>;

export interface EscalationFacts {
  readonly org: string | null;
  readonly policies: EscalationPolicies;
  readonly nameOf: (id: string) => NamedChannel;
}

export function escalationView({ org, policies, nameOf }: EscalationFacts): EscalationView {
  const shown = (policy: EscalationPolicy | null): EscalationView['critical'] => {
    if (policy === null) return null;
    const steps = policy.steps.map(({ waitMinutes, channelIds }) => ({
      waitMinutes,
      channels: channelIds.map(nameOf),
    }));
    return { steps, repeat: policy.repeat };
  };
  return { org, critical: shown(policies.critical), warning: shown(policies.warning) };
}

/** Names channels of an org by their ids. @param isAdmin whether it is shown where they are */
export function nameChannels(channels: readonly Channel[], isAdmin: boolean): EscalationFacts['nameOf'] {
  const byId = new Map(channels.map((channel) => [channel.id, channelView(channel)]));
  return (id) => {
    const channel = byId.get(id);
    if (channel === undefined) return { id, kind: null, where: null, state: 'removed' };
    const { target, state } = channel;
    return { id, kind: kindOf(target), where: isAdmin ? whereOf(target) : null, state };
  };
}

type Target = ReturnType<typeof channelView>['target'];

function kindOf(target: Target): string {
  return target.kind === 'chat' ? target.service : target.kind;
}

function whereOf(target: Target): string {
  switch (target.kind) {
    case 'mail':
      return target.to;
    case 'webhook':
      return target.url;
    case 'chat':
      return target.host;
  }
}
