import type { SealedSecret } from '../config/sealed-secret.ts';
import type { ChatService } from './chat-services.ts';

/**
 * The kinds of what is told, for all modules that tell something: one table. Those that are gathered may come by thousands
 * at once, and are told in groups, the kinds in this order; what a person wrote is told in its whole length, at once.
 */
export const NOTIFICATION_KINDS = {
  'incident.opened': { severity: 'critical', title: 'Down', isGathered: true },
  'monitor.flapping': { severity: 'warning', title: 'Flapping', isGathered: true },
  'incident.acknowledged': { severity: 'info', title: 'Acknowledged', isGathered: true },
  'incident.updated': { severity: 'info', title: 'Update', isGathered: false },
  'monitor.steady': { severity: 'info', title: 'No longer flapping', isGathered: true },
  'incident.resolved': { severity: 'info', title: 'Up again', isGathered: true },
  'prober.fault': { severity: 'warning', title: 'The prober has no network', isGathered: false },
  'roll-up.failed': { severity: 'warning', title: 'History of monitors was not rolled up', isGathered: false },
  'reconcile.refused': { severity: 'warning', title: 'Monitors were not reconciled', isGathered: false },
  'alerts.test': { severity: 'info', title: 'Test alert', isGathered: false },
  /** To the other channels of its org. */
  'channel.stopped': { severity: 'warning', title: 'A channel was stopped', isGathered: false },
  /** To the address of a channel alone: whoever reads there says whether it is to be mailed. */
  'channel.confirm': { severity: 'info', title: 'Confirmation', isGathered: false },
  /** To the subscribers of a status page: what it shows, and nothing else. */
  'page.opened': { severity: 'info', title: 'Incident', isGathered: true },
  'page.updated': { severity: 'info', title: 'Update of an incident', isGathered: false },
  'page.resolved': { severity: 'info', title: 'Incident resolved', isGathered: true },
  'page.maintenance': { severity: 'info', title: 'Maintenance', isGathered: true },
  /** To one address that somebody has named on a status page. */
  'subscriber.confirm': { severity: 'info', title: 'Confirmation', isGathered: false },
} as const;
export type NotificationKind = keyof typeof NOTIFICATION_KINDS;

export const NOTIFICATION_KIND_NAMES = Object.keys(NOTIFICATION_KINDS).filter(isNotificationKind);

export function isNotificationKind(text: string): text is NotificationKind {
  return Object.hasOwn(NOTIFICATION_KINDS, text);
}

/** Whether it is told with others, and not at once. */
export function isGathered({ kind, isWritten = false }: Pick<Notification, 'kind' | 'isWritten'>): boolean {
  return NOTIFICATION_KINDS[kind].isGathered && !isWritten;
}

/** Something to tell an org. */
export interface Notification {
  /** Made of what it is about, such as `<incident>/opened`: told twice, it counts once. */
  readonly id: string;
  readonly kind: NotificationKind;
  /** Null: the operators of the installation. */
  readonly org: string | null;
  /** One line. */
  readonly subject: string;
  /** Plain text, some lines. */
  readonly text: string;
  /** What a person writes of a thing, such as a note: told at once and alone, for a group has no place for it. */
  readonly isWritten?: boolean | undefined;
  /** Facts for programs: strings, numbers, booleans, null, short lists of strings. */
  readonly data: Readonly<Record<string, string | number | boolean | null | readonly string[]>>;
  readonly at: Date;
}

/**
 * `unconfirmed`: a mail address of which nobody has said yet that it wants mail. `stopped`: whoever reads there has said that
 * it wants no more. Neither is told anything.
 */
export const CHANNEL_STATES = ['unconfirmed', 'active', 'stopped'] as const;
export type ChannelState = (typeof CHANNEL_STATES)[number];

/** The link by which an address is confirmed, once. */
export interface Confirmation {
  /** Makes the token of the link, with a key that the database does not have. */
  readonly nonce: string;
  /** Of the token: SHA-256, hex. */
  readonly hash: string;
  readonly expiresAt: Date;
}

/** Where an org is told. */
export interface Channel {
  /** `chn_…` */
  readonly id: string;
  /** Null: the operators. */
  readonly org: string | null;
  readonly target:
    | { readonly kind: 'mail'; readonly to: string }
    /** Signed as Standard Webhooks says, by each of the secrets: the newest first, two while one is replaced. */
    | { readonly kind: 'webhook'; readonly url: string; readonly secrets: readonly SealedSecret[] }
    /** Its `ChatSettings` as JSON, sealed; the host is shown. */
    | { readonly kind: 'chat'; readonly service: ChatService; readonly host: string; readonly settings: SealedSecret };
  readonly state: ChannelState;
  /** Null once it was used, and where none is needed. */
  readonly confirmation: Confirmation | null;
  readonly createdAt: Date;
  readonly createdBy: string;
}

/** What became of a notification on one channel. `dead`: given up after 24 hours, and waiting for a person. */
export const DELIVERY_STATES = ['pending', 'delivered', 'dead'] as const;
export interface Delivery {
  /** Made of the notification's and the channel's. */
  readonly id: string;
  readonly notification: Notification;
  readonly channelId: string;
  readonly org: string | null;
  readonly state: (typeof DELIVERY_STATES)[number];
  readonly attempts: number;
  readonly lastProblem: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}
