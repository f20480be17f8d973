import { MOST_IN_GROUP } from '../../domain/notifications/gather.ts';
import { groupByAudience, groupByKind, groupedNotice, MOST_LISTED } from '../../domain/notifications/group-notices.ts';
import type { DeliveryCommands, NoticeRoundJob } from '../../domain/notifications/messages.ts';
import type { Notification } from '../../domain/notifications/notification.ts';
import type {
  AudienceList,
  DeliveryStore,
  NoticeRound,
  NoticeStore,
  WaitingNotice,
} from '../../domain/notifications/ports.ts';
import { putDeliveries } from '../../domain/notifications/put-deliveries.ts';

export interface TellWaitingDeps {
  readonly channels: AudienceList;
  readonly deliveries: Pick<DeliveryStore, 'insert' | 'find' | 'countPending'>;
  readonly notices: NoticeStore;
  readonly commands: Pick<DeliveryCommands, 'deliver'>;
  readonly now: () => Date;
}

/**
 * Tells the notices of an org that wait, one notice a kind and audience. Idempotent by the id of the round: the first attempt that gets so
 * far decides what is in it, in one document, and each later one ends what that one began. They wait until all is under way.
 * @returns how many were told
 */
export async function tellWaiting(deps: TellWaitingDeps, job: NoticeRoundJob, signal: AbortSignal): Promise<number> {
  const round = (await deps.notices.findRound(job.roundId)) ?? (await begin(deps, job));
  if (round === null) return 0;
  signal.throwIfAborted();
  const channels = (await deps.channels.list(job.org)).filter(({ state }) => state === 'active');
  await putDeliveries(deps, channels, round.notifications);
  await deps.notices.markTold(round.noticeIds, deps.now());
  return round.noticeIds.length;
}

async function begin({ notices, now }: TellWaitingDeps, { roundId, org }: NoticeRoundJob): Promise<NoticeRound | null> {
  const waiting = await notices.listWaiting(org, MOST_IN_GROUP);
  if (waiting.length === 0) return null;
  const notifications: Notification[] = [];
  for (const ofKind of groupByKind(waiting)) {
    for (const [number, group] of groupByAudience(ofKind).entries()) {
      const told = await grouped(notices, { roundId, number }, group);
      if (told !== null) notifications.push(told);
    }
  }
  return await notices.keepRound({
    id: roundId,
    org,
    noticeIds: waiting.map(({ id }) => id),
    notifications,
    at: now(),
  });
}

/** Of thousands, only those that are listed are read. */
async function grouped(
  notices: Pick<NoticeStore, 'read'>,
  { roundId, number }: { readonly roundId: string; readonly number: number },
  group: readonly WaitingNotice[],
): Promise<Notification | null> {
  const [first] = group;
  if (first === undefined) return null;
  const listed = await notices.read(group.slice(0, MOST_LISTED).map(({ id }) => id));
  return groupedNotice(roundId, { kind: first.kind, number, count: group.length, listed });
}
