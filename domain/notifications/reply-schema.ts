import { z } from 'zod';
import { CHAT_SERVICES } from './chat-services.ts';
import { CHANNEL_STATES, type Channel, DELIVERY_STATES, type Delivery } from './notification.ts';

/** Channels and deliveries as replies show them: never a secret. */

const moment = z.iso.datetime();
const text = z.string();

export const channelViewSchema = z.object({
  id: text,
  org: text.nullable(),
  target: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('mail'), to: text }),
    z.object({ kind: z.literal('webhook'), url: text }),
    z.object({ kind: z.literal('chat'), service: z.enum(CHAT_SERVICES), host: text }),
  ]),
  state: z
    .enum(CHANNEL_STATES)
    .describe(
      '`unconfirmed`: nobody has said yet that the address wants mail; `stopped`: its reader wants no more. Neither is told anything',
    ),
  createdAt: moment,
  createdBy: text,
});

export const listedChannelSchema = channelViewSchema.extend({
  lastProblem: text.nullable().describe('Why the newest notice did not arrive of those that wait or were given up'),
});

/** The secret of a webhook is shown once. */
export const createdChannelSchema = channelViewSchema.extend({
  secret: text.nullable().describe('Of a webhook, what its receiver checks signatures with; shown this once'),
});

export const deliveryViewSchema = z.object({
  id: text,
  channelId: text,
  kind: text,
  subject: text,
  state: z.enum(DELIVERY_STATES),
  attempts: z.int(),
  lastProblem: text.nullable(),
  createdAt: moment,
  endedAt: moment.nullable(),
});

export function channelView({
  id,
  org,
  target,
  state,
  createdAt,
  createdBy,
}: Channel): z.input<typeof channelViewSchema> {
  const shown = shownTarget(target);
  return { id, org, target: shown, state, createdAt: createdAt.toISOString(), createdBy };
}

function shownTarget(target: Channel['target']): z.input<typeof channelViewSchema>['target'] {
  switch (target.kind) {
    case 'mail':
      return { kind: 'mail', to: target.to };
    case 'webhook':
      return { kind: 'webhook', url: target.url };
    case 'chat':
      return { kind: 'chat', service: target.service, host: target.host };
  }
}

export function deliveryView(delivery: Delivery): z.input<typeof deliveryViewSchema> {
  const { id, channelId, notification, state, attempts, lastProblem, createdAt, endedAt } = delivery;
  return {
    ...{ id, channelId, kind: notification.kind, subject: notification.subject, state, attempts, lastProblem },
    ...{ createdAt: createdAt.toISOString(), endedAt: endedAt?.toISOString() ?? null },
  };
}
