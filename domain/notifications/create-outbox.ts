import type { DeliveryCommands } from './messages.ts';
import type { Notification } from './notification.ts';
import type { ChannelStore, DeliveryStore, Outbox } from './ports.ts';

export interface OutboxDeps {
  readonly channels: Pick<ChannelStore, 'list'>;
  readonly deliveries: Pick<DeliveryStore, 'insert'>;
  readonly commands: Pick<DeliveryCommands, 'deliver'>;
  readonly now: () => Date;
}

/**
 * An outbox that brings each notice to every channel of its org. Idempotent: a delivery is found by the notice and the
 * channel, and its workflow by the delivery.
 */
export function createOutbox({ channels, deliveries, commands, now }: OutboxDeps): Outbox {
  return {
    async tell(notification) {
      for (const { id: channelId } of await channels.list(notification.org)) {
        const id = deliveryId(notification, channelId);
        const facts = { id, notification, channelId, org: notification.org, createdAt: now() };
        await deliveries.insert({ ...facts, state: 'pending', attempts: 0, lastProblem: null, endedAt: null });
        await commands.deliver(id);
      }
    },
  };
}

function deliveryId({ id }: Pick<Notification, 'id'>, channelId: string): string {
  return `${id}/${channelId}`;
}
