import type { Page, PageRequest } from '../page.ts';
import type { Confirmation, Delivery } from './notification.ts';
import type { SubscribeRequest, Subscriber } from './subscriber.ts';

/**
 * Subscribers of status pages.
 *
 * Keying: one a page and address; a request to subscribe is a delivery of its own, which asks the address; a notice is one plan, made
 * once, of batches, and each batch a delivery: a subscriber is in one batch of a notice.
 * Retries: as of other deliveries; what waits for its hour, and a batch that has mailed somebody, is no failed attempt. A batch notes
 * whom it has mailed; a mail that may have been taken before is sent once more under the same Message-ID.
 * Compensation: none.
 */

/** @throws UNAVAILABLE (retryable) from every method */
export interface SubscriberStore {
  keepRequest(request: SubscribeRequest): Promise<void>;
  /** Null for one that is days old. */
  findRequest(id: string): Promise<SubscribeRequest | null>;
  /** Counts the question of a request by `nextQuestion`; of many at once for one address, one. @returns whether it may be asked */
  countQuestion(request: SubscribeRequest): Promise<boolean>;
  find(id: string): Promise<Subscriber | null>;
  findByAddress(org: string, address: string): Promise<Subscriber | null>;
  /** Puts one there that is pending, or gives the one that is a new link. A confirmed one stays as it is. */
  ask(
    subscriber: Pick<Subscriber, 'id' | 'org' | 'address' | 'askedBy'> & { readonly confirmation: Confirmation },
  ): Promise<void>;
  /** Takes the link, at once. @returns false where there is no such link at that time */
  confirm(id: string, hash: string, now: Date): Promise<boolean>;
  /** Nothing happens when there is none. */
  remove(id: string): Promise<void>;
  /** All of a page, pending ones as well. @returns how many */
  removeAll(org: string): Promise<number>;
  /** Confirmed ones of a page, up to `most`. */
  count(org: string, most?: number): Promise<number>;
  /** Confirmed ones of a page, by their ids. */
  list(org: string, page: PageRequest): Promise<Page<Subscriber>>;
  /** Those of them that are confirmed, by their ids. */
  findConfirmed(ids: readonly string[]): Promise<readonly Subscriber[]>;
}

/** Who is mailed a notice, decided once. @throws UNAVAILABLE (retryable) from every method */
export interface MailingStore {
  findPlan(id: string): Promise<readonly (readonly string[])[] | null>;
  /** Ids of subscribers by batch. @returns what is on record: of an id, what came first */
  keepPlan(id: string, batches: readonly (readonly string[])[], at: Date): Promise<readonly (readonly string[])[]>;
  /** Ids of subscribers that a batch has mailed. */
  mailed(batchId: string): Promise<ReadonlySet<string>>;
  noteMailed(batchId: string, subscriberId: string, at: Date): Promise<void>;
}

/** Mails one subscriber; nothing more of it is sent once the signal aborts. @throws UNAVAILABLE (retryable) when the mail server did not take it; another error when it never will */
export interface SubscriberMailer {
  /** With the link that confirms the address. @throws LINK_INVALID where it works no more */
  ask(subscriber: Subscriber, delivery: Delivery, signal: AbortSignal): Promise<void>;
  /** With the link that ends it. */
  tell(subscriber: Subscriber, delivery: Delivery, signal: AbortSignal): Promise<void>;
}
