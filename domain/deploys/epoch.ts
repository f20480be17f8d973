import { FairleadError } from '../errors.ts';
import type { DeployTarget } from './build-store.ts';

/**
 * Epochs order all that acts on one service in one environment: each build that installs, each repair and each removal
 * takes the next one when it begins. The coordinator lets them act one after the other, and what they write carries their
 * epoch: a write with an older epoch than the stored one is refused. So a worker that was paused while others went on
 * changes nothing when it wakes up (a fencing token).
 */

/** The numbers between an epoch and the next one belong to the attempts of its work and, the last one, to its undo. */
export const EPOCH_STEP = 1_000;

/** An attempt of a build's installation: newer than earlier attempts, which may have started another workload. */
export function attemptEpoch(epoch: number, attempt: number): number {
  return epoch + Math.min(attempt, EPOCH_STEP - 2);
}

/** The undo of a build's installation: newer than all attempts of the work, older than whatever comes next. */
export function undoEpoch(epoch: number): number {
  return epoch + EPOCH_STEP - 1;
}

/** What a writer gets whose epoch is over. */
export function epochIsOver({ service, environment }: DeployTarget, epoch: number): FairleadError {
  const message = `Something newer acts on ${service} in ${environment}: what began before it (epoch ${epoch}) changes nothing more.`;
  return new FairleadError('CONFLICT', message);
}
