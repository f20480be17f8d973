import { FairleadError } from '../../domain/errors.ts';
import { groupedNotice, MOST_LISTED } from '../../domain/notifications/group-notices.ts';
import type { Notification } from '../../domain/notifications/notification.ts';
import type { NoticeStore } from '../../domain/notifications/ports.ts';

export interface ShownNoticeDeps {
  readonly notices: Pick<NoticeStore, 'read' | 'findRound'>;
  /** Whether the status page of an org shows a monitor now. */
  readonly showsMonitor: (org: string, monitorId: string) => Promise<boolean>;
}

/**
 * A notice as the readers of the page of an org may be told it now: hours may lie between what happened and its mails, and somebody may
 * have hidden a monitor meanwhile. Of a group what is hidden is left out, and others of it are listed in its place; of those that are only
 * counted then nothing is known. It keeps its id, by which receivers know a repeat.
 * @throws CONFLICT where the page shows nothing of it any more; UNAVAILABLE (retryable)
 */
export async function shownNotice(deps: ShownNoticeDeps, notice: Notification, org: string): Promise<Notification> {
  const { noticeIds, count } = notice.data;
  const isGroup = typeof count === 'number' && isList(noticeIds);
  const isShown = createIsShown(deps, org);
  const shown: Notification[] = [];
  let hidden = 0;
  const look = async (notices: readonly Notification[]): Promise<void> => {
    for (const each of notices) {
      if (await isShown(each)) shown.push(each);
      else hidden += 1;
    }
  };
  await look(isGroup ? await deps.notices.read(noticeIds) : [notice]);
  if (hidden === 0 && shown.length > 0) return notice;
  const others = isGroup ? await othersOf(deps, notice, noticeIds) : [];
  for (let first = 0; first < others.length && shown.length < MOST_LISTED; first += MOST_LISTED) {
    const read = await deps.notices.read(others.slice(first, first + MOST_LISTED));
    await look(read.filter(({ kind }) => kind === notice.kind));
  }
  const left = (isGroup ? count : 1) - hidden;
  const listed = shown.slice(0, MOST_LISTED);
  const told = groupedNotice(notice.id, { kind: notice.kind, count: left, listed });
  if (told !== null) return { ...told, id: notice.id };
  throw new FairleadError('CONFLICT', 'The status page does not show this any more: nobody was mailed');
}

/** The notices of a group that it only counts, with those of other kinds that were told with it. Groups of before name no round. */
async function othersOf(
  { notices }: Pick<ShownNoticeDeps, 'notices'>,
  { data: { roundId } }: Notification,
  listed: readonly string[],
): Promise<readonly string[]> {
  const round = typeof roundId === 'string' ? await notices.findRound(roundId) : null;
  return (round?.noticeIds ?? []).filter((id) => !listed.includes(id));
}

/** Each monitor is asked for once. */
function createIsShown({ showsMonitor }: Pick<ShownNoticeDeps, 'showsMonitor'>, org: string) {
  const known = new Map<string, Promise<boolean>>();
  return async ({ data: { monitorId } }: Notification): Promise<boolean> => {
    if (typeof monitorId !== 'string') return true;
    const asked = known.get(monitorId) ?? showsMonitor(org, monitorId);
    known.set(monitorId, asked);
    return await asked;
  };
}

function isList(value: Notification['data'][string] | undefined): value is readonly string[] {
  return Array.isArray(value);
}
