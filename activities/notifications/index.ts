import { FairleadError } from '../../domain/errors.ts';
import type { ChannelStore, DeliveryStore, NoticeSender } from '../../domain/notifications/ports.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';

export interface NotificationsActivityDeps {
  readonly channels: Pick<ChannelStore, 'find'>;
  readonly deliveries: Pick<DeliveryStore, 'find' | 'note'>;
  readonly sender: NoticeSender;
  readonly now: () => Date;
}

/** What deliveries do. */
export function createNotificationsActivities(deps: NotificationsActivityDeps) {
  const { deliveries, now } = deps;
  return {
    /** Idempotent: one that was delivered is not sent again, and receivers know a repeat by its id. */
    sendNotice: (id: string): Promise<void> => whileHeartbeating((signal) => sendOnce(deps, id, signal)),
    /** Idempotent: of one that was delivered meanwhile nothing changes. */
    async reviveDelivery(id: string): Promise<void> {
      const delivery = await deliveries.find(id);
      if (delivery?.state === 'dead') await deliveries.note(id, { state: 'pending', endedAt: null });
    },
    buryDelivery: ({ id, problem }: { readonly id: string; readonly problem: string }): Promise<void> =>
      deliveries.note(id, { state: 'dead', lastProblem: problem, endedAt: now() }),
  };
}

export type NotificationsActivities = ReturnType<typeof createNotificationsActivities>;

async function sendOnce(deps: NotificationsActivityDeps, id: string, signal: AbortSignal): Promise<void> {
  const { channels, deliveries, sender, now } = deps;
  const delivery = await deliveries.find(id);
  if (delivery === null) throw new FairleadError('DELIVERY_NOT_FOUND', `There is no delivery ${id}`);
  if (delivery.state === 'delivered') return;
  const channel = await channels.find(delivery.channelId);
  if (channel === null) throw new FairleadError('CHANNEL_NOT_FOUND', 'The channel was removed meanwhile');
  const attempts = delivery.attempts + 1;
  try {
    await sender.send(channel, delivery, signal);
  } catch (error) {
    signal.throwIfAborted();
    const lastProblem = error instanceof FairleadError ? error.message : 'Unexpected error; see the log of the worker';
    await deliveries.note(id, { attempts, lastProblem });
    throw error;
  }
  await deliveries.note(id, { state: 'delivered', attempts, lastProblem: null, endedAt: now() });
}
