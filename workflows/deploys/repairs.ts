import { CancellationScope, isCancellation, log, rootCause, setCurrentDetails } from '@temporalio/workflow';
import type { DeployTarget } from '../../domain/deploys/build-store.ts';
import type { createMutex } from '../mutex.ts';
import { local, repairTarget } from './activity-proxies.ts';

/** Repairs of what serves of one service and environment. */
export interface Repairs {
  /** Repairs once nothing else acts, unless that is asked for already, or `isWanted` says no by then. */
  request(isWanted: () => boolean): Promise<void>;
  /** Ends the repair that is at work. */
  cancel(): void;
}

export function createRepairs(target: DeployTarget, oneAtATime: ReturnType<typeof createMutex>): Repairs {
  let isAsked = false;
  let scope: CancellationScope | null = null;

  async function repair(): Promise<void> {
    const epoch = await local.takeEpoch(target);
    setCurrentDetails('repairing what serves');
    await repairTarget({ ...target, epoch });
  }

  return {
    async request(isWanted) {
      if (isAsked) return;
      isAsked = true;
      await oneAtATime(async () => {
        isAsked = false;
        if (!isWanted()) return;
        scope = new CancellationScope();
        try {
          await scope.run(repair);
          setCurrentDetails('idle');
        } catch (error) {
          // The next comparison asks again; what stands in the way is told here and in the worker's log.
          const why = isCancellation(error) ? 'a request came' : (rootCause(error) ?? 'no reason is known');
          setCurrentDetails(`not repaired: ${why}`);
          log.warn(`${target.service} in ${target.environment} was not repaired: ${why}`);
        } finally {
          scope = null;
        }
      });
    },
    cancel() {
      scope?.cancel();
    },
  };
}
