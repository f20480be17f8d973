import type { DeliveryCommands } from './messages.ts';
import type { Channel, Notification } from './notification.ts';
import type { DeliveryStore } from './ports.ts';

interface PutDeps {
  readonly deliveries: Pick<DeliveryStore, 'insert'>;
  readonly commands: Pick<DeliveryCommands, 'deliver'>;
  readonly now: () => Date;
}

/** Brings each notice to each channel. Idempotent: a delivery is found by the notice and the channel, its workflow by the delivery. */
export async function putDeliveries(
  { deliveries, commands, now }: PutDeps,
  channels: readonly Pick<Channel, 'id'>[],
  notices: readonly Notification[],
): Promise<void> {
  for (const notification of notices) {
    for (const { id: channelId } of channels) {
      const id = deliveryId(notification, { id: channelId });
      const facts = { id, notification, channelId, org: notification.org, createdAt: now() };
      await deliveries.insert({ ...facts, state: 'pending', attempts: 0, lastProblem: null, endedAt: null });
      await commands.deliver(id);
    }
  }
}

export function deliveryId(notification: Pick<Notification, 'id'>, channel: Pick<Channel, 'id'>): string {
  return `${notification.id}/${channel.id}`;
}
