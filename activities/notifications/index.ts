import { Context } from '@temporalio/activity';
import { MOST_IN_GROUP } from '../../domain/notifications/gather.ts';
import type { DeliveryCommands, HeldJob, NoticeRoundJob } from '../../domain/notifications/messages.ts';
import type {
  ChannelStore,
  DeliveryStore,
  MailCounts,
  NoticeSender,
  NoticeStore,
} from '../../domain/notifications/ports.ts';
import { withSubscribers } from '../../domain/notifications/with-subscribers.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';
import { createDeliveryPlaces } from './delivery-places.ts';
import type { PageDeliveryDeps } from './page-delivery-deps.ts';
import { sendNotice } from './send-notice.ts';
import { createSendToPage } from './send-to-page.ts';
import { createTakeMail } from './take-mail.ts';
import { tellDigest } from './tell-digest.ts';
import { tellWaiting } from './tell-waiting.ts';

export interface NotificationsActivityDeps extends PageDeliveryDeps {
  readonly channels: Pick<ChannelStore, 'find' | 'list'>;
  readonly deliveries: Omit<DeliveryStore, 'list'>;
  readonly notices: NoticeStore;
  readonly commands: Pick<DeliveryCommands, 'deliver'>;
  readonly sender: NoticeSender;
  readonly mailCounts: MailCounts;
  readonly now: () => Date;
}

/** What deliveries do, and what gathers notices for them. */
export function createNotificationsActivities(deps: NotificationsActivityDeps) {
  const { deliveries, notices, now } = deps;
  const attemptOf = (): number => Context.current().info.attempt;
  const inPlace = createDeliveryPlaces(attemptOf);
  const takeMail = createTakeMail(deps.mailCounts, now, 'alerts');
  const sendToPage = createSendToPage(deps, attemptOf);
  const audiences = withSubscribers(deps.channels, deps.subscribers);
  return {
    /** Idempotent by the delivery. @returns until when it waits for the end of quiet hours, ISO; null for one that was sent */
    sendNotice: (id: string, again = false): Promise<string | null> =>
      whileHeartbeating((signal) =>
        sendNotice({ ...deps, inPlace, takeMail, sendToPage, attemptOf }, { id, again }, signal),
      ),
    /** Idempotent by the channel and the end of the quiet hours. @returns false for one that is to be told alone */
    tellDigest: (job: HeldJob): Promise<boolean> => tellDigest(deps, job),
    /** Idempotent: of one that was delivered meanwhile nothing changes. */
    async reviveDelivery(id: string): Promise<void> {
      const delivery = await deliveries.find(id);
      if (delivery?.state === 'dead') await deliveries.note(id, { state: 'pending', endedAt: null });
    },
    /** Idempotent. What was told in a digest is given up with it. */
    async buryDelivery({ id, problem }: { readonly id: string; readonly problem: string }): Promise<void> {
      const end = { state: 'dead', lastProblem: problem, endedAt: now() } as const;
      const covers = (await deliveries.find(id))?.covers ?? [];
      await deliveries.endHeld(covers, end);
      await deliveries.note(id, end);
    },
    /** It changes nothing. */
    countWaitingNotices: (org: string | null): Promise<number> => notices.countWaiting(org, MOST_IN_GROUP),
    /** Idempotent by the round. */
    tellWaitingNotices: (job: NoticeRoundJob): Promise<number> =>
      whileHeartbeating((signal) => tellWaiting({ ...deps, channels: audiences }, job, signal)),
  };
}

export type NotificationsActivities = ReturnType<typeof createNotificationsActivities>;
