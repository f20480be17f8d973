import { proxyActivities } from '@temporalio/workflow';
import type { IdentityActivities } from '../../activities/identity/index.ts';
import type { KeyRotationOutcome } from '../../domain/identity/messages.ts';
import { moduleTaskQueue } from '../../domain/task-queue.ts';

/** Tried for less than the hour after which the schedule starts it anew: the provider may be away that long. */
const { rotateDueKeys } = proxyActivities<IdentityActivities>({
  taskQueue: moduleTaskQueue('identity'),
  startToCloseTimeout: '30s',
  scheduleToCloseTimeout: '25m',
  retry: { initialInterval: '5s', backoffCoefficient: 2, maximumInterval: '1m' },
  summary: 'Have the identity provider do what is due for its signing keys',
});

/**
 * Looks at the signing keys every hour (`schedules.ts`). When each step is due is decided by the provider
 * (domain/identity/plan-key-rotation.ts), so a run that came late, twice, or not at all does no harm.
 */
export async function rotateSigningKeys(): Promise<KeyRotationOutcome> {
  return await rotateDueKeys();
}
