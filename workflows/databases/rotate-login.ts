import {
  ActivityCancellationType,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  sleep,
} from '@temporalio/workflow';
import type { DatabasesActivities } from '../../activities/databases/index.ts';
import type { RunningRotation } from '../../activities/databases/rotate-login.ts';
import type { RotationOutcome, RotationRequest } from '../../domain/databases/messages.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';
import { reasonOf } from './reason-of.ts';

const taskQueue = moduleTaskQueue('databases');
const retry = { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '1m' } as const;

/**
 * The first database of an embedded stack may have to start its server. Who cancels waits for none of them: each is short, and
 * repeated by the next rotation.
 */
const { prepareLogin, acceptLogin, promoteLogin, replaceWorkload } = proxyActivities<
  Pick<DatabasesActivities, 'prepareLogin' | 'acceptLogin' | 'promoteLogin' | 'replaceWorkload'>
>({
  taskQueue,
  startToCloseTimeout: '5m',
  scheduleToCloseTimeout: '1h',
  heartbeatTimeout: '10s',
  cancellationType: ActivityCancellationType.ABANDON,
  retry,
});

const { tellWaiting } = proxyActivities<Pick<DatabasesActivities, 'tellWaiting'>>({
  taskQueue,
  startToCloseTimeout: '1m',
  scheduleToCloseTimeout: '1d',
  retry,
});

/** How long a workload is waited for that is being replaced, and a deploy of people; then the next night goes on. */
const WAIT_FOR_WORKLOAD_MS = 60 * 60_000;
const LOOK_EVERY = { replacing: '15s', busy: '5m' } as const;

const FAILED =
  'the build that was to restart it has failed, was cancelled or was replaced; its record says more, and what served before serves still';
const TOO_LONG = 'people deployed it for an hour';

/**
 * Gives a database a new login; id `rotate/<engine>/<service>/<environment>`, so that there is one such workflow of a
 * database. The next user is made valid beside the current one, becomes the current one, and has the workload replaced;
 * the old one ends once nothing has it. What is broken off anywhere is gone on with by the next rotation, by the record.
 * @throws the cancellation; then both logins may be valid until the next rotation
 */
export async function rotateLogin(request: RotationRequest): Promise<RotationOutcome> {
  setCurrentDetails(`a new login of **${request.id}**`);
  let buildId = '';
  try {
    const begun = await prepareLogin(request);
    if (begun.kind === 'not due') return begun;
    buildId = begun.buildId;
    await acceptLogin(request.id);
    const mark = await promoteLogin(request.id);
    if (mark === null) return { kind: 'not due' };
    const reason = await awaitReplacement({ ...request, buildId, mark });
    if (reason === null) return { kind: 'rotated' };
    return await wait(request, buildId, reason);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return await wait(request, buildId, reasonOf(error));
  }
}

/** @returns null once the old login has ended; else why it has not */
async function awaitReplacement(rotation: RunningRotation): Promise<string | null> {
  const until = Date.now() + WAIT_FOR_WORKLOAD_MS;
  for (;;) {
    const state = await replaceWorkload(rotation);
    if (state === 'rotated') return null;
    if (state === 'failed') return FAILED;
    if (Date.now() >= until) return TOO_LONG;
    setCurrentDetails(`**${rotation.id}**: ${state === 'busy' ? 'people deploy the service' : rotation.buildId}`);
    await sleep(LOOK_EVERY[state]);
  }
}

async function wait({ id }: RotationRequest, buildId: string, reason: string): Promise<RotationOutcome> {
  setCurrentDetails(`**${id}** waits for the next night: ${reason}`);
  await tellWaiting({ id, reason, buildId });
  return { kind: 'waiting', reason };
}
