/**
 * The module `notifications`: an outbox that other modules put notices into, and their delivery.
 *
 * A notice is for every channel of its org, or for those that it names.
 *
 * Keying: a notice waits once, by its id; of an org one workflow `gather-notices/<org>` tells what waits, a round at a time,
 * and the record of a round says which notices are in it. One delivery a (notification, channel): the workflow
 * `deliver/<id>` runs once for it. In quiet hours of the channel that workflow waits for their end; the first one that wakes
 * makes one digest of all that waited, by the channel and the end, and that one is delivered as any other notice.
 * Retries: for 24 hours, at longer and longer intervals; then the delivery is dead, and a person may replay it. A receiver
 * gets the same id each time: the Message-ID of a mail, `webhook-id` of a webhook.
 * Compensation: none.
 */

import type { Page, PageRequest } from '../page.ts';
import type { EscalationPolicies, EscalationPolicy, OutageSeverity } from './escalation.ts';
import type { Channel, Delivery, Notification, NotificationKind, Urgency } from './notification.ts';
import type { QuietHours } from './quiet-hours.ts';

/** @throws UNAVAILABLE (retryable) from every method */
export interface ChannelStore {
  find(id: string): Promise<Channel | null>;
  /** Of an org, or of the operators with null; at most {@link MOST_CHANNELS}. */
  list(org: string | null): Promise<readonly Channel[]>;
  /** Of many at once, as many get in as there is room for. @throws CONFLICT when the org has {@link MOST_CHANNELS} */
  insert(channel: Channel): Promise<void>;
  /** Makes a channel active that has nothing to confirm. Nothing happens when it is stopped, or gone. */
  activate(id: string): Promise<void>;
  /** Takes the link and makes the channel active, at once. @returns false where there is no such link at that time */
  confirm(id: string, hash: string, now: Date): Promise<boolean>;
  /** Nothing happens when there is none. */
  stop(id: string): Promise<void>;
  /** @param quiet null: it is told at once, at any time. Nothing happens when there is no such channel */
  setQuiet(id: string, quiet: QuietHours | null): Promise<void>;
  /** Nothing happens when there is none. */
  remove(id: string): Promise<void>;
}

export const MOST_CHANNELS = 20;

/** Policies of orgs; of the operators with null. @throws UNAVAILABLE (retryable) from every method */
export interface EscalationStore {
  find(org: string | null): Promise<EscalationPolicies>;
  /** @param policy null: none any more */
  set(org: string | null, severity: OutageSeverity, policy: EscalationPolicy | null): Promise<void>;
}

/** Where an org is told, or who reads a status page: see `page-audience.ts`. @throws UNAVAILABLE (retryable) */
export interface AudienceList {
  list(org: string | null): Promise<readonly Pick<Channel, 'id' | 'org' | 'state'>[]>;
}

/** A notice that waits to be told with others. */
export interface WaitingNotice {
  readonly id: string;
  readonly kind: NotificationKind;
  readonly urgency?: Urgency | undefined;
  /** As of {@link Notification}. */
  readonly only?: readonly string[] | undefined;
}

/** What is told of an org at once, decided once. */
export interface NoticeRound {
  readonly id: string;
  readonly org: string | null;
  /** Of the notices in it; at most {@link MOST_IN_GROUP}. */
  readonly noticeIds: readonly string[];
  /** What is told: one a kind, and one for each set of channels that it is for. */
  readonly notifications: readonly Notification[];
  readonly at: Date;
}

/** Notices of kinds that are gathered. @throws UNAVAILABLE (retryable) from every method */
export interface NoticeStore {
  /** One of an id that is there, or was told, stays as it is. */
  insert(notices: readonly Notification[], at: Date): Promise<void>;
  isAnyWaiting(ids: readonly string[]): Promise<boolean>;
  /** The first one that waits, by their times, then ids, and when it came. */
  firstWaiting(org: string | null): Promise<{ readonly id: string; readonly createdAt: Date } | null>;
  countWaiting(org: string | null, most: number): Promise<number>;
  /** In that order. */
  listWaiting(org: string | null, most: number): Promise<readonly WaitingNotice[]>;
  read(ids: readonly string[]): Promise<readonly Notification[]>;
  /** @returns the round on record: of an id, the one that came first */
  keepRound(round: NoticeRound): Promise<NoticeRound>;
  findRound(id: string): Promise<NoticeRound | null>;
  /** They wait no longer. */
  markTold(ids: readonly string[], at: Date): Promise<void>;
}

/** How many mails of a kind there were. @throws UNAVAILABLE (retryable) */
export interface MailCounts {
  /** Counts one more of a day unless there were so many. @returns whether it was counted */
  take(key: string, day: string, most: number): Promise<boolean>;
  /** One that was counted was not sent. */
  giveBack(key: string, day: string): Promise<void>;
}

/** Tokens of the links in mails, made with a key that the database does not have. */
export interface ChannelLinks {
  /** A new link by which an address is confirmed. */
  newConfirmation(channelId: string): { readonly nonce: string; readonly hash: string };
  /** The token of that link; null where its key is listed no more. */
  confirmToken(channelId: string, confirmation: { readonly nonce: string; readonly hash: string }): string | null;
  hashOf(token: string): string;
  /** The token of the link that stops a channel: the same in each mail. */
  stopToken(channelId: string): string;
  isStopToken(channelId: string, token: string): boolean;
}

export interface DeliveryFilter {
  /** To the channels of an org; null: of the operators. */
  readonly org: string | null;
  /** And to the readers of a page, under the name that `pageAudience` gives; without the questions to addresses, which are nobody's business. */
  readonly page?: string;
  readonly state: Delivery['state'];
}

/** @throws UNAVAILABLE (retryable) from every method */
export interface DeliveryStore {
  find(id: string): Promise<Delivery | null>;
  /** Nothing happens when there is one of that id. */
  insert(delivery: Delivery): Promise<void>;
  /** How many wait of one channel that came at or after a time, up to `most`. */
  countPending(channel: Pick<Channel, 'id' | 'org'>, since: Date, most: number): Promise<number>;
  /** Notes an attempt that failed, or the end. */
  note(id: string, change: Partial<Pick<Delivery, 'state' | 'attempts' | 'lastProblem' | 'endedAt'>>): Promise<void>;
  /** Notes that it waits for the end of quiet hours. One that is held or has ended meanwhile stays as it is: this attempt came late. */
  hold(id: string, until: Date): Promise<void>;
  /** How many of a channel are held until a time, up to `most`. */
  countHeld(channel: Pick<Channel, 'id' | 'org'>, until: Date, most: number): Promise<number>;
  /** Those that are held until a time, the first `most`, by their times, then ids. */
  listHeld(channel: Pick<Channel, 'id' | 'org'>, until: Date, most: number): Promise<readonly Delivery[]>;
  /** Notes the end of those of them that are held, or given up. */
  endHeld(ids: readonly string[], end: Pick<Delivery, 'state' | 'lastProblem' | 'endedAt'>): Promise<void>;
  /** Newest first. */
  list(filter: DeliveryFilter, page: PageRequest): Promise<Page<Delivery>>;
}

/** Brings one notice to one channel, once. */
export interface NoticeSender {
  /** @throws UNAVAILABLE (retryable) when the receiver did not take it; another error when it never will */
  send(channel: Channel, delivery: Delivery, signal: AbortSignal): Promise<void>;
}

/** Where other modules put what is to be told. Idempotent by the notification's id. @throws UNAVAILABLE (retryable) */
export interface Outbox {
  tell(notification: Notification): Promise<void>;
  /** As each of them alone, in fewer calls. */
  tellAll(notifications: readonly Notification[]): Promise<void>;
}
