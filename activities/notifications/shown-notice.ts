import { FairleadError } from '../../domain/errors.ts';
import { groupedNotice } from '../../domain/notifications/group-notices.ts';
import type { Notification } from '../../domain/notifications/notification.ts';
import type { NoticeStore } from '../../domain/notifications/ports.ts';

export interface ShownNoticeDeps {
  readonly notices: Pick<NoticeStore, 'read'>;
  /** Whether the status page of an org shows a monitor now. */
  readonly showsMonitor: (org: string, monitorId: string) => Promise<boolean>;
}

/**
 * A notice as the readers of the page of an org may be told it now: hours may lie between what happened and its mails, and somebody may
 * have hidden a monitor meanwhile. Of a group what is hidden is left out; of those that it only counts nothing is known.
 * It keeps its id, by which receivers know a repeat.
 * @throws CONFLICT where the page shows nothing of it any more; UNAVAILABLE (retryable)
 */
export async function shownNotice(
  { notices, showsMonitor }: ShownNoticeDeps,
  notice: Notification,
  org: string,
): Promise<Notification> {
  const { noticeIds, count } = notice.data;
  const isGroup = typeof count === 'number' && isList(noticeIds);
  const listed = isGroup ? await notices.read(noticeIds) : [notice];
  const shown: Notification[] = [];
  for (const each of listed) {
    const { monitorId } = each.data;
    if (typeof monitorId !== 'string' || (await showsMonitor(org, monitorId))) shown.push(each);
  }
  if (shown.length > 0 && shown.length === listed.length) return notice;
  const left = (isGroup ? count : 1) - (listed.length - shown.length);
  const told = groupedNotice(notice.id, { kind: notice.kind, count: left, listed: shown });
  if (told !== null) return { ...told, id: notice.id };
  throw new FairleadError('CONFLICT', 'The status page does not show this any more: nobody was mailed');
}

function isList(value: Notification['data'][string] | undefined): value is readonly string[] {
  return Array.isArray(value);
}
