import {
  CancellationScope,
  continueAsNew,
  defineSignal,
  isCancellation,
  patched,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { NotificationsActivities } from '../../activities/notifications/index.ts';
import { GATHER } from '../../domain/notifications/gather.ts';
import { type GatherJob, NOTIFICATION_SIGNALS } from '../../domain/notifications/messages.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

const taskQueue = moduleTaskQueue('notifications');
/** For as long as the database or Temporal may be away: no notice is lost. */
const retry = { initialInterval: '500ms', backoffCoefficient: 2, maximumInterval: '30s' } as const;

const { countWaitingNotices } = proxyActivities<Pick<NotificationsActivities, 'countWaitingNotices'>>({
  ...{ taskQueue, retry, startToCloseTimeout: '10s' },
});
const { tellWaitingNotices } = proxyActivities<Pick<NotificationsActivities, 'tellWaitingNotices'>>({
  ...{ taskQueue, retry, startToCloseTimeout: '2m', heartbeatTimeout: '10s' },
});

/** Looked as seldom as nothing has to come for it to be over: a group was told up to three seconds later than it could be. */
const LOOKS_OFTEN = 'gather-notices-looks-often';

const noticed = defineSignal(NOTIFICATION_SIGNALS.noticed);

/**
 * Tells the notices of an org that wait, in groups; id `gather-notices/<org>`, so that one of an org runs at a time. It ends
 * when nothing came since the last group. Once it is cancelled it waits for no more, and tells what is there.
 */
export async function gatherNotices({ org, follows }: GatherJob): Promise<void> {
  let isWoken = false;
  setHandler(noticed, () => {
    isWoken = true;
  });
  const { runId } = workflowInfo();
  let waitMs: number = follows ? GATHER.pauseMs : GATHER.firstMs;
  for (let round = 1; ; round += 1) {
    const cancellation = await unlessCancelled(() => untilOver(org, waitMs));
    isWoken = false;
    const told = await CancellationScope.nonCancellable(() =>
      tellWaitingNotices({ roundId: `${runId}-${round}`, org }),
    );
    if (told === 0 && !isWoken) {
      if (cancellation === null) return;
      throw cancellation;
    }
    waitMs = GATHER.pauseMs;
    if (workflowInfo().continueAsNewSuggested) return continueAsNew<typeof gatherNotices>({ org, follows: true });
  }
}

async function unlessCancelled(wait: () => Promise<void>): Promise<unknown> {
  try {
    await wait();
    return null;
  } catch (error) {
    if (isCancellation(error)) return error;
    throw error;
  }
}

/** Waits, and as long as more come where many came. */
async function untilOver(org: string | null, waitMs: number): Promise<void> {
  const began = Date.now();
  await sleep(waitMs);
  let before = await countWaitingNotices(org);
  let quietMs = 0;
  while (before >= GATHER.many && Date.now() - began < GATHER.mostMs) {
    const lookMs = patched(LOOKS_OFTEN) ? GATHER.lookMs : GATHER.quietMs;
    await sleep(lookMs);
    const count = await countWaitingNotices(org);
    quietMs = count === before ? quietMs + lookMs : 0;
    if (quietMs >= GATHER.quietMs) return;
    before = count;
  }
}
