import type { SealedSecret } from '../config/sealed-secret.ts';
import type { ChatService } from './chat-services.ts';
import type { QuietHours } from './quiet-hours.ts';

/**
 * The kinds of what is told, for all modules that tell something: one table. Those that are gathered may come by thousands
 * at once, and are told in groups, the kinds in this order; what a person wrote is told in its whole length, at once. Those
 * that `mayWait` wait for the end of the quiet hours of a channel where they are not urgent enough for it.
 */
export const NOTIFICATION_KINDS = {
  'incident.opened': { severity: 'critical', title: 'Down', isGathered: true, mayWait: true },
  /** Nobody has acknowledged it: to the channels of the next step. */
  'incident.escalated': { severity: 'critical', title: 'Not acknowledged', isGathered: true, mayWait: true },
  'monitor.flapping': { severity: 'warning', title: 'Flapping', isGathered: true, mayWait: true },
  'objective.burning': { severity: 'warning', title: 'Error budget burns', isGathered: true, mayWait: true },
  'incident.acknowledged': { severity: 'info', title: 'Acknowledged', isGathered: true, mayWait: true },
  'incident.updated': { severity: 'info', title: 'Update', isGathered: false, mayWait: true },
  'monitor.steady': { severity: 'info', title: 'No longer flapping', isGathered: true, mayWait: true },
  'objective.steady': { severity: 'info', title: 'Error budget no longer burns', isGathered: true, mayWait: true },
  'incident.resolved': { severity: 'info', title: 'Up again', isGathered: true, mayWait: true },
  'prober.fault': { severity: 'warning', title: 'The prober has no network', isGathered: false, mayWait: false },
  'roll-up.failed': {
    severity: 'warning',
    title: 'History of monitors was not rolled up',
    isGathered: false,
    mayWait: true,
  },
  'reconcile.refused': { severity: 'warning', title: 'Monitors were not reconciled', isGathered: false, mayWait: true },
  'alerts.test': { severity: 'info', title: 'Test alert', isGathered: false, mayWait: false },
  /** To the other channels of its org. */
  'channel.stopped': { severity: 'warning', title: 'A channel was stopped', isGathered: false, mayWait: false },
  /** To the address of a channel alone: whoever reads there says whether it is to be mailed. */
  'channel.confirm': { severity: 'info', title: 'Confirmation', isGathered: false, mayWait: false },
  /** What waited for the end of the quiet hours of a channel, to that channel alone. */
  'alerts.digest': { severity: 'info', title: 'Alerts of the quiet hours', isGathered: false, mayWait: false },
  /** To the subscribers of a status page: what it shows, and nothing else. */
  'page.opened': { severity: 'info', title: 'Incident', isGathered: true, mayWait: false },
  'page.updated': { severity: 'info', title: 'Update of an incident', isGathered: false, mayWait: false },
  'page.resolved': { severity: 'info', title: 'Incident resolved', isGathered: true, mayWait: false },
  'page.maintenance': { severity: 'info', title: 'Maintenance', isGathered: true, mayWait: false },
  /** To one address that somebody has named on a status page. */
  'subscriber.confirm': { severity: 'info', title: 'Confirmation', isGathered: false, mayWait: false },
} as const;
export type NotificationKind = keyof typeof NOTIFICATION_KINDS;

/** The most urgent first. */
export const URGENCIES = ['critical', 'warning', 'info'] as const;
export type Urgency = (typeof URGENCIES)[number];

export const NOTIFICATION_KIND_NAMES = Object.keys(NOTIFICATION_KINDS).filter(isNotificationKind);

export function isNotificationKind(text: string): text is NotificationKind {
  return Object.hasOwn(NOTIFICATION_KINDS, text);
}

/** Whether it is told with others, and not at once. */
export function isGathered({ kind, isWritten = false }: Pick<Notification, 'kind' | 'isWritten'>): boolean {
  return NOTIFICATION_KINDS[kind].isGathered && !isWritten;
}

export function urgencyOf({ kind, urgency }: Pick<Notification, 'kind' | 'urgency'>): Urgency {
  return urgency ?? NOTIFICATION_KINDS[kind].severity;
}

/** Whether it waits while it is quiet. */
export function waitsInQuiet(notice: Pick<Notification, 'kind' | 'urgency'>, { passes }: QuietHours): boolean {
  const isUrgent = URGENCIES.indexOf(urgencyOf(notice)) <= URGENCIES.indexOf(passes);
  return NOTIFICATION_KINDS[notice.kind].mayWait && !isUrgent;
}

/** Whether a notice is for a channel, of those of its org. */
export function isFor({ only }: Pick<Notification, 'only'>, { id }: Pick<Channel, 'id'>): boolean {
  return only === undefined || only.includes(id);
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
  /** The ids of the channels that are told, and no others; without it every channel of the org. */
  readonly only?: readonly string[] | undefined;
  /** What a person writes of a thing, such as a note: told at once and alone, for a group has no place for it. */
  readonly isWritten?: boolean | undefined;
  /** Of what it is about, where that is not the severity of its kind: all that is told of an outage is as urgent as the outage. */
  readonly urgency?: Urgency | undefined;
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
  /** When it is told what is urgent alone; none in the records of earlier versions. */
  readonly quiet?: QuietHours | null | undefined;
  readonly createdAt: Date;
  readonly createdBy: string;
}

/**
 * What became of a notification on one channel. `held`: it waits for the end of the quiet hours, and for the digest that it is
 * told in. `dead`: given up after 24 hours, and waiting for a person.
 */
export const DELIVERY_STATES = ['pending', 'held', 'delivered', 'dead'] as const;
export interface Delivery {
  /** Made of the notification's and the channel's. */
  readonly id: string;
  readonly notification: Notification;
  readonly channelId: string;
  readonly org: string | null;
  readonly state: (typeof DELIVERY_STATES)[number];
  readonly attempts: number;
  readonly lastProblem: string | null;
  /** The end of the quiet hours that it waits for, or waited for: once, whatever came then. */
  readonly heldUntil?: Date | undefined;
  /** Of a digest: the ids of the deliveries that are told in it, and end with it. */
  readonly covers?: readonly string[] | undefined;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}
