import type { Delivery } from '../../domain/notifications/notification.ts';
import { isOpen, linkExpiry, subscribing } from '../../domain/notifications/subscriber.ts';
import type { PageDeliveryDeps } from './page-delivery-deps.ts';

export type AskSubscriberDeps = Pick<PageDeliveryDeps, 'subscribers' | 'mailer' | 'links' | 'newId' | 'now'>;

/** By which a delivery finds the request that it answers, in the place of a channel. */
export const requestIdOf = ({ channelId }: Pick<Delivery, 'channelId'>): string => channelId;

/**
 * Asks the address of a request whether it wants updates, unless it has them, or was asked as often as it may be. Idempotent by the
 * request: each attempt of it finds its question counted, and its link made, and sends the same mail.
 * @throws UNAVAILABLE (retryable) when the mail server did not take it; LINK_INVALID for an attempt that comes a day late
 */
export async function askSubscriber(deps: AskSubscriberDeps, delivery: Delivery, signal: AbortSignal): Promise<void> {
  const { subscribers, links, now } = deps;
  const request = await subscribers.findRequest(requestIdOf(delivery));
  if (request === null) return;
  const { id: askedBy, org, address } = request;
  const known = await subscribers.findByAddress(org, address);
  const next = subscribing(known, askedBy);
  if (next === 'pass' || !(await subscribers.countQuestion(request))) return;
  if (next === 'ask') {
    const id = known?.id ?? deps.newId('subscriber');
    const confirmation = { ...links.newConfirmation(id), expiresAt: linkExpiry(now()) };
    await subscribers.ask({ id, org, address, askedBy, confirmation });
  }
  const asked = await subscribers.findByAddress(org, address);
  if (asked === null || subscribing(asked, askedBy) !== 'askAgain' || !isOpen(asked.confirmation, now())) return;
  await deps.mailer.ask(asked, delivery, signal);
}
