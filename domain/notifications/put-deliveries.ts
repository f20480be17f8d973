import { DELIVERY_HOURS, type DeliveryCommands } from './messages.ts';
import { type Channel, type Delivery, isFor, type Notification } from './notification.ts';
import type { DeliveryStore } from './ports.ts';

interface PutDeps {
  readonly deliveries: Pick<DeliveryStore, 'insert' | 'find' | 'countPending'>;
  readonly commands: Pick<DeliveryCommands, 'deliver'>;
  readonly now: () => Date;
}

/** Deliveries that wait of one channel: each is a workflow, and a receiver may take none for a day. */
export const MOST_PENDING = 200;

/** One that is older has no workflow any more, or never had one: it waits for nothing, and takes no place of others. */
const PENDING_MS = (DELIVERY_HOURS + 1) * 3_600_000;

/**
 * Brings each notice to each channel that it is for. A channel of which as many wait as may gets it on record as one that was given up.
 * Idempotent: a delivery is found by the notice and the channel, its workflow by the delivery.
 */
export async function putDeliveries(
  deps: PutDeps,
  channels: readonly Pick<Channel, 'id' | 'org'>[],
  notices: readonly Notification[],
): Promise<void> {
  for (const notification of notices) {
    const told = channels.filter((channel) => isFor(notification, channel));
    for (const channel of told) await putDelivery(deps, channel, notification);
  }
}

async function putDelivery(
  { deliveries, commands, now }: PutDeps,
  channel: Pick<Channel, 'id' | 'org'>,
  notification: Notification,
): Promise<void> {
  const id = deliveryId(notification, channel);
  const at = now();
  const since = new Date(at.getTime() - PENDING_MS);
  const isFull = (await deliveries.countPending(channel, since, MOST_PENDING)) >= MOST_PENDING;
  const lastProblem = `${MOST_PENDING} notices wait for this channel already`;
  const end: Pick<Delivery, 'state' | 'lastProblem' | 'endedAt'> = isFull
    ? { state: 'dead', lastProblem, endedAt: at }
    : { state: 'pending', lastProblem: null, endedAt: null };
  const facts = { id, notification, channelId: channel.id, org: notification.org, createdAt: at };
  await deliveries.insert({ ...facts, ...end, attempts: 0 });
  // One that an attempt before this one put there is among those that wait.
  if (isFull && (await deliveries.find(id))?.state !== 'pending') return;
  await commands.deliver(id);
}

export function deliveryId(notification: Pick<Notification, 'id'>, channel: Pick<Channel, 'id'>): string {
  return `${notification.id}/${channel.id}`;
}
