import { digestNotice } from '../../domain/notifications/digest-notice.ts';
import type { DeliveryCommands, HeldJob } from '../../domain/notifications/messages.ts';
import type { Delivery } from '../../domain/notifications/notification.ts';
import type { DeliveryStore } from '../../domain/notifications/ports.ts';
import { deliveryId } from '../../domain/notifications/put-deliveries.ts';

export interface TellDigestDeps {
  readonly deliveries: Pick<DeliveryStore, 'find' | 'insert' | 'listHeld'>;
  readonly commands: Pick<DeliveryCommands, 'deliver'>;
  readonly now: () => Date;
}

/** Notices of one channel that wait for the end of its quiet hours: each is a workflow. */
export const MOST_HELD = 1_000;

/**
 * Tells what waited on a channel for the end of its quiet hours, as one notice. Whoever is the first decides what is in it, in
 * one document, and each later one finds that. @returns false for a delivery that came too late for it: it is told alone
 */
export async function tellDigest(deps: TellDigestDeps, { id, until }: HeldJob): Promise<boolean> {
  const { deliveries, commands } = deps;
  const held = await deliveries.find(id);
  // Of one that has ended, and is on record no more, or that the digest has told, nothing is left to do.
  if (held?.state !== 'held') return true;
  const digest = await findOrMake(deps, held, until);
  if (digest.covers?.includes(id) !== true) return false;
  await commands.deliver(digest.id);
  return true;
}

async function findOrMake({ deliveries, now }: TellDigestDeps, held: Delivery, until: string): Promise<Delivery> {
  const { channelId, org } = held;
  const noticeId = `digest/${channelId}/${until}`;
  const id = deliveryId({ id: noticeId }, { id: channelId });
  const known = await deliveries.find(id);
  if (known !== null) return known;
  const covered = await deliveries.listHeld({ id: channelId, org }, new Date(until), MOST_HELD);
  const at = now();
  const notification =
    digestNotice(
      covered.map((each) => each.notification),
      { id: noticeId, at },
    ) ?? held.notification;
  const made: Delivery = {
    ...{ id, notification, channelId, org, covers: covered.map((each) => each.id) },
    ...{ state: 'pending', attempts: 0, lastProblem: null, createdAt: at, endedAt: null },
  };
  await deliveries.insert(made);
  return (await deliveries.find(id)) ?? made;
}
