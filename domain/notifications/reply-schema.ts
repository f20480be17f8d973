import { z } from 'zod';
import { CHAT_SERVICES } from './chat-services.ts';
import { CHANNEL_STATES, type Channel, DELIVERY_STATES, type Delivery } from './notification.ts';
import { orgOfPage } from './page-audience.ts';
import { PASSING, WEEKDAYS } from './quiet-hours.ts';

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
  quiet: z
    .object({
      ...{ from: text, to: text, timeZone: text },
      weekdays: z.array(z.enum(WEEKDAYS)).nullable(),
      passes: z.enum(PASSING),
    })
    .nullable()
    .describe('When what is less urgent than `passes` waits; null: never'),
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
  channelId: text.describe('Of a status page, `subscribers`, or the number of a batch of them'),
  audience: z.enum(['channel', 'subscribers']),
  kind: text,
  subject: text,
  state: z.enum(DELIVERY_STATES),
  attempts: z.int(),
  lastProblem: text.nullable(),
  heldUntil: moment.nullable().describe('The end of the quiet hours that it waits for, or waited for'),
  createdAt: moment,
  endedAt: moment.nullable(),
});

export function channelView({
  id,
  org,
  target,
  state,
  quiet,
  createdAt,
  createdBy,
}: Channel): z.input<typeof channelViewSchema> {
  const shown = shownTarget(target);
  return { id, org, target: shown, state, quiet: shownQuiet(quiet), createdAt: createdAt.toISOString(), createdBy };
}

function shownQuiet(quiet: Channel['quiet']): z.input<typeof channelViewSchema>['quiet'] {
  if (quiet == null) return null;
  return { ...quiet, weekdays: quiet.weekdays === null ? null : [...quiet.weekdays] };
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

function audienceOf({ org }: Delivery): 'channel' | 'subscribers' {
  return orgOfPage(org) === null ? 'channel' : 'subscribers';
}

export function deliveryView(delivery: Delivery): z.input<typeof deliveryViewSchema> {
  const { id, channelId, notification, state, attempts, lastProblem, heldUntil, createdAt, endedAt } = delivery;
  return {
    ...{ id, channelId, audience: audienceOf(delivery), kind: notification.kind, subject: notification.subject },
    ...{ state, attempts, lastProblem },
    heldUntil: heldUntil?.toISOString() ?? null,
    ...{ createdAt: createdAt.toISOString(), endedAt: endedAt?.toISOString() ?? null },
  };
}
