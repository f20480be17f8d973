import { ApplicationFailure, isCancellation, proxyActivities, sleep } from '@temporalio/workflow';
import type { NotificationsActivities } from '../../activities/notifications/index.ts';
import { isErrorCode } from '../../domain/errors.ts';
import { DELIVERY_HOURS, type DeliveryJob } from '../../domain/notifications/messages.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const taskQueue = moduleTaskQueue('notifications');

const { sendNotice } = proxyActivities<Pick<NotificationsActivities, 'sendNotice'>>({
  taskQueue,
  startToCloseTimeout: '1m',
  heartbeatTimeout: '15s',
  scheduleToCloseTimeout: `${DELIVERY_HOURS}h`,
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '1h' },
});
const { reviveDelivery, buryDelivery, tellDigest } = proxyActivities<
  Pick<NotificationsActivities, 'reviveDelivery' | 'buryDelivery' | 'tellDigest'>
>({
  taskQueue,
  startToCloseTimeout: '30s',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' },
});

/**
 * One delivery of a notice to a channel; id `deliver/<id>`. In quiet hours of the channel it waits here for their end, and is
 * told in their digest. After a day of attempts it is given up, and waits for a person.
 */
export async function deliver({ id, again }: DeliveryJob): Promise<void> {
  if (again) await reviveDelivery(id);
  try {
    const until = await sendNotice(id, again);
    // Workers of earlier versions answer nothing.
    if (until == null) return;
    await sleep(Math.max(1, Date.parse(until) - Date.now()));
    if (await tellDigest({ id, until })) return;
    // It has waited.
    await sendNotice(id, true);
  } catch (error) {
    if (isCancellation(error)) throw error;
    await buryDelivery({ id, problem: problemOf(error) });
  }
}

/** Only messages of domain errors are written for people. */
function problemOf(error: unknown): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) return cause.message;
  }
  return `Not delivered within ${DELIVERY_HOURS} hours`;
}
