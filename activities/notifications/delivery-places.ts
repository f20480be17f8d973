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
    const ofOrg = () => takeOfOrg(org === null ? 'the operators' : `the org ${org}`);
    const leave = takeAll([ofOrg, () => takeAtReceiver(receiverOf(target))], attemptOf);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

/** All mail goes by one server. */
function receiverOf(target: Channel['target']): string {
  if (target.kind === 'mail') return 'the mail server';
  return target.kind === 'chat' ? target.host : (URL.parse(target.url)?.host ?? target.url);
}

/**
 * Takes each of the places, or none. @returns what gives them back
 * @throws UNAVAILABLE (retryable) while one of them is not to be had
 */
export function takeAll(takes: readonly (() => () => void)[], attemptOf: () => number): () => void {
  const taken: (() => void)[] = [];
  const leave = (): void => {
    for (const each of taken) each();
  };
  try {
    for (const take of takes) taken.push(orLater(take, attemptOf));
    return leave;
  } catch (error) {
    leave();
    throw error;
  }
}

/** At a moment of chance, or all that were refused would come again together. */
function orLater(take: () => () => void, attemptOf: () => number): () => void {
  try {
    return take();
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    const mostSeconds = Math.min(2 * attemptOf(), LONGEST_WAIT_SECONDS);
    const details = { retryAfterSeconds: 0.5 + Math.random() * mostSeconds };
    throw new FairleadError(error.code, error.message, { retryable: error.retryable, details });
  }
}
