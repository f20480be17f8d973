import { NOTIFICATION_KIND_NAMES, type Notification, type NotificationKind } from './notification.ts';
import { orgOfPage } from './page-audience.ts';

/** A notice that names more than one thing lists so many, and counts the rest. */
export const MOST_LISTED = 20;

/** Notices of one kind that are told together. */
export interface NoticeGroup {
  readonly kind: NotificationKind;
  /** How many there are. */
  readonly count: number;
  /** The first of them, at most {@link MOST_LISTED}, and at least one. */
  readonly listed: readonly Notification[];
}

/** By kind, in the order of the table: what is down is told before what is up again. */
export function groupByKind<T extends { readonly kind: NotificationKind }>(
  notices: readonly T[],
): readonly (readonly T[])[] {
  return NOTIFICATION_KIND_NAMES.map((kind) => notices.filter((notice) => notice.kind === kind)).filter(
    (group) => group.length > 0,
  );
}

/**
 * One notice for a group. Of a group of one it is that one, under its own id.
 * @param roundId makes its id: the same for each attempt
 */
export function groupedNotice(roundId: string, { kind, count, listed }: NoticeGroup): Notification | null {
  const [first] = listed;
  if (first === undefined) return null;
  if (count === 1) return first;
  const left = count - listed.length;
  const lines = listed.map(({ text }) => `- ${text.split('\n', 1)[0]}`);
  const rest = left === 0 ? [] : [`and ${left} more`];
  const incidentIds = listed.flatMap(({ data: { incidentId } }) =>
    typeof incidentId === 'string' ? [incidentId] : [],
  );
  return {
    ...{ id: `group/${roundId}/${kind}`, kind, org: first.org, at: first.at },
    subject: `${first.subject} and ${count - 1} more`,
    text: [...lines, ...rest, '', whereMore(first)].join('\n'),
    data: { count, incidentIds },
  };
}

/** Readers of a status page have no command line. */
function whereMore({ org, data: { pageUrl } }: Notification): string {
  if (orgOfPage(org) !== null && typeof pageUrl === 'string') return `All of it: ${pageUrl}`;
  return 'All that is open: fairlead incidents --open';
}
