/**
 * The module `notifications`: an outbox that other modules put notices into, and their delivery.
 *
 * Keying: one delivery a (notification, channel): the workflow `deliver/<id>` runs once for it.
 * Retries: for 24 hours, at longer and longer intervals; then the delivery is dead, and a person may replay it. A receiver
 * gets the same id each time: the Message-ID of a mail, `webhook-id` of a webhook.
 * Compensation: none.
 */

import type { Page, PageRequest } from '../page.ts';
import type { Channel, Delivery, Notification } from './notification.ts';

/** @throws UNAVAILABLE (retryable) from every method */
export interface ChannelStore {
  find(id: string): Promise<Channel | null>;
  /** Of an org, or of the operators with null; at most {@link MOST_CHANNELS}. */
  list(org: string | null): Promise<readonly Channel[]>;
  /** @throws CONFLICT when the org has {@link MOST_CHANNELS} */
  insert(channel: Channel): Promise<void>;
  /** Nothing happens when there is none. */
  remove(id: string): Promise<void>;
}

export const MOST_CHANNELS = 20;

/** @throws UNAVAILABLE (retryable) from every method */
export interface DeliveryStore {
  find(id: string): Promise<Delivery | null>;
  /** Nothing happens when there is one of that id. */
  insert(delivery: Delivery): Promise<void>;
  /** Notes an attempt that failed, or the end. */
  note(id: string, change: Partial<Pick<Delivery, 'state' | 'attempts' | 'lastProblem' | 'endedAt'>>): Promise<void>;
  /** Newest first. */
  list(
    filter: { readonly org: string | null; readonly state: Delivery['state'] },
    page: PageRequest,
  ): Promise<Page<Delivery>>;
}

/** Brings one notice to one channel, once. */
export interface NoticeSender {
  /** @throws UNAVAILABLE (retryable) when the receiver did not take it; another error when it never will */
  send(channel: Channel, delivery: Delivery, signal: AbortSignal): Promise<void>;
}

/** Where other modules put what is to be told. Idempotent by the notification's id. @throws UNAVAILABLE (retryable) */
export interface Outbox {
  tell(notification: Notification): Promise<void>;
}
