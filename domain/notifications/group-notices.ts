import {
  NOTIFICATION_KIND_NAMES,
  type Notification,
  type NotificationKind,
  URGENCIES,
  type Urgency,
  urgencyOf,
} from './notification.ts';
import { orgOfPage } from './page-audience.ts';

/** A notice that names more than one thing lists so many, and counts the rest. */
export const MOST_LISTED = 20;

/** Notices of one kind, for the same channels, that are told together. */
export interface NoticeGroup {
  readonly kind: NotificationKind;
  /** Which group of its kind it is, from 0. */
  readonly number?: number;
  /** How many there are. */
  readonly count: number;
  /** The most urgent of them first, at most {@link MOST_LISTED}, and at least one. */
  readonly listed: readonly Notification[];
}

/**
 * By kind, in the order of the table: what is down is told before what is up again. In a group the most urgent are the first:
 * they are listed, and it is as urgent as they are.
 */
export function groupByKind<T extends { readonly kind: NotificationKind; readonly urgency?: Urgency | undefined }>(
  notices: readonly T[],
): readonly (readonly T[])[] {
  const rankOf = (notice: T): number => URGENCIES.indexOf(urgencyOf(notice));
  const ofKind = (kind: NotificationKind): readonly T[] => notices.filter((notice) => notice.kind === kind);
  return NOTIFICATION_KIND_NAMES.map((kind) =>
    ofKind(kind).toSorted((one, other) => rankOf(one) - rankOf(other)),
  ).filter((group) => group.length > 0);
}

/** A group in parts that are for the same channels each; what is for every channel is the first. */
export function groupByAudience<T extends Pick<Notification, 'only'>>(group: readonly T[]): readonly (readonly T[])[] {
  const keyOf = ({ only }: T): string => (only === undefined ? '' : JSON.stringify(only.toSorted()));
  const parts = Map.groupBy(group, keyOf);
  return [...parts.keys()].sort().map((key) => parts.get(key) ?? []);
}

/**
 * One notice for a group. Of a group of one it is that one, under its own id.
 * @param roundId makes its id: the same for each attempt
 */
export function groupedNotice(roundId: string, { kind, number = 0, count, listed }: NoticeGroup): Notification | null {
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
    ...{ id: `group/${roundId}/${kind}${number === 0 ? '' : `/${number}`}`, kind, org: first.org, at: first.at },
    ...(first.only !== undefined && { only: first.only }),
    ...(first.urgency !== undefined && { urgency: first.urgency }),
    subject: `${first.subject} and ${count - 1} more`,
    text: [...lines, ...rest, '', whereMore(first)].join('\n'),
    data: {
      count,
      incidentIds,
      ...(orgOfPage(first.org) !== null && { roundId, noticeIds: listed.map(({ id }) => id) }),
    },
  };
}

/** Readers of a status page have no command line. */
function whereMore({ kind, org, data: { pageUrl } }: Notification): string {
  if (orgOfPage(org) !== null && typeof pageUrl === 'string') return `All of it: ${pageUrl}`;
  if (kind === 'objective.burning' || kind === 'objective.steady') return 'All of the month: fairlead monitors report';
  return 'All that is open: fairlead incidents --open';
}
