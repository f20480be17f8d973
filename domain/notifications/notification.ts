import type { SealedSecret } from '../config/sealed-secret.ts';

/** The kinds of what is told, for all modules that tell something: one table. */
export const NOTIFICATION_KINDS = {
  'incident.opened': { severity: 'critical', title: 'Down' },
  'incident.acknowledged': { severity: 'info', title: 'Acknowledged' },
  'incident.updated': { severity: 'info', title: 'Update' },
  'incident.resolved': { severity: 'info', title: 'Up again' },
  'monitor.flapping': { severity: 'warning', title: 'Flapping' },
  'monitor.steady': { severity: 'info', title: 'No longer flapping' },
  'prober.fault': { severity: 'warning', title: 'The prober has no network' },
  'roll-up.failed': { severity: 'warning', title: 'History of monitors was not rolled up' },
  'reconcile.refused': { severity: 'warning', title: 'Monitors were not reconciled' },
  'alerts.test': { severity: 'info', title: 'Test alert' },
} as const;
export type NotificationKind = keyof typeof NOTIFICATION_KINDS;

export function isNotificationKind(text: string): text is NotificationKind {
  return Object.hasOwn(NOTIFICATION_KINDS, text);
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
  /** Facts for programs: strings, numbers, booleans, null. */
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
  readonly at: Date;
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
    | { readonly kind: 'webhook'; readonly url: string; readonly secrets: readonly SealedSecret[] };
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
