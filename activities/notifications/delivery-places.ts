import { FairleadError } from '../../domain/errors.ts';
import type { Channel } from '../../domain/notifications/notification.ts';
import { createTakePlace } from '../org-places.ts';

/** How many deliveries one worker has under way. Each waits for its receiver, and does nothing else meanwhile. */
export const DELIVERY_SLOTS = 64;
/** Of them. */
const MOST_OF_ONE_ORG = 8;
const MOST_TO_ONE_RECEIVER = 16;
const LONGEST_WAIT_SECONDS = 60;

/** Does the work of a delivery. @throws UNAVAILABLE (retryable) while as many of its org, or to its receiver, are under way as may be */
export type InDeliveryPlace = <T>(channel: Pick<Channel, 'org' | 'target'>, work: () => Promise<T>) => Promise<T>;

/**
 * A share of this worker for each org and for each receiver: one that answers slowly, or an org with many, delays itself alone.
 * @param attemptOf the number of this attempt, the first is 1: who waits long asks less often
 */
export function createDeliveryPlaces(attemptOf: () => number): InDeliveryPlace {
  const takeOfOrg = createTakePlace((org) => `Alerts of ${org}`, MOST_OF_ONE_ORG);
  const takeAtReceiver = createTakePlace((receiver) => `Alerts to ${receiver}`, MOST_TO_ONE_RECEIVER);
  return async ({ org, target }, work) => {
    const taken: (() => void)[] = [];
    try {
      taken.push(orLater(() => takeOfOrg(org === null ? 'the operators' : `the org ${org}`), attemptOf));
      taken.push(orLater(() => takeAtReceiver(receiverOf(target)), attemptOf));
      return await work();
    } finally {
      for (const leave of taken) leave();
    }
  };
}

/** All mail goes by one server. */
function receiverOf(target: Channel['target']): string {
  if (target.kind === 'mail') return 'the mail server';
  return target.kind === 'chat' ? target.host : (URL.parse(target.url)?.host ?? target.url);
}

/** At a moment of chance, or all that were refused would come again together. */
export function orLater(take: () => () => void, attemptOf: () => number): () => void {
  try {
    return take();
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    const mostSeconds = Math.min(2 * attemptOf(), LONGEST_WAIT_SECONDS);
    const details = { retryAfterSeconds: 0.5 + Math.random() * mostSeconds };
    throw new FairleadError(error.code, error.message, { retryable: error.retryable, details });
  }
}
