import { FairleadError } from '../../domain/errors.ts';
import type { Delivery } from '../../domain/notifications/notification.ts';
import { isMailingKnown, MAILED_KNOWN_DAYS, orgOfPage, SUBSCRIBERS } from '../../domain/notifications/page-audience.ts';
import { createTakePlace } from '../org-places.ts';
import { askSubscriber } from './ask-subscriber.ts';
import { takeAll } from './delivery-places.ts';
import { type MailBatchDeps, mailBatch } from './mail-batch.ts';
import type { PageDeliveryDeps } from './page-delivery-deps.ts';
import { planMailing } from './plan-mailing.ts';
import { inTime, isWaiting, problemOf } from './retry-times.ts';
import { createTakeMail } from './take-mail.ts';

/** Makes one attempt of a delivery to the subscribers of a page, or to one of them. @throws UNAVAILABLE (retryable) */
export type SendToPage = (delivery: Delivery, signal: AbortSignal) => Promise<void>;

/**
 * Of a worker, so many batches are mailed at once, and so many addresses asked: of its slots and of the connections to the mail server the
 * others are for alerts.
 */
const MOST_AT_ONCE = { batch: 2, other: 4 } as const;
/** Of these: a page with thousands of subscribers delays itself alone. */
const MOST_OF_ONE_PAGE = { batch: 1, other: 3 } as const;

/** @param attemptOf the number of this attempt, the first is 1 */
export function createSendToPage(parts: PageDeliveryDeps, attemptOf: () => number): SendToPage {
  const deps = { ...parts, takeMail: createTakeMail(parts.mailCounts, parts.now, 'page-mails') };
  const places = {
    batch: placesOf('Mails to subscribers', MOST_AT_ONCE.batch, MOST_OF_ONE_PAGE.batch),
    other: placesOf('Mails to new subscribers', MOST_AT_ONCE.other, MOST_OF_ONE_PAGE.other),
  };
  return async (delivery, signal) => {
    const { ofPage, inAll } = places[isBatch(delivery) ? 'batch' : 'other'];
    const leave = takeAll([() => ofPage(delivery.org ?? ''), () => inAll('all pages')], attemptOf);
    const attempts = delivery.attempts + 1;
    try {
      await attempt(deps, delivery, { signal, attempts });
    } catch (error) {
      signal.throwIfAborted();
      const isTurn = isWaiting(error);
      const counted = isTurn ? delivery.attempts : attempts;
      await deps.deliveries.note(delivery.id, { attempts: counted, lastProblem: problemOf(error) });
      throw isTurn ? error : inTime(error, attempts);
    } finally {
      leave();
    }
    await deps.deliveries.note(delivery.id, { state: 'delivered', attempts, lastProblem: null, endedAt: deps.now() });
  };
}

const isBatch = ({ channelId }: Delivery): boolean => channelId.startsWith(`${SUBSCRIBERS}/`);

/** @param what is waited for */
function placesOf(what: string, mostInAll: number, mostOfPage: number) {
  return {
    ofPage: createTakePlace((page) => `${what} of ${page}`, mostOfPage),
    inAll: createTakePlace(() => what, mostInAll),
  };
}

function attempt(
  deps: PageDeliveryDeps & MailBatchDeps,
  delivery: Delivery,
  options: { readonly signal: AbortSignal; readonly attempts: number },
): Promise<void> {
  const org = orgOfPage(delivery.org);
  if (org === null) throw new FairleadError('INTERNAL', `The delivery ${delivery.id} is to no status page`);
  if (!isMailingKnown(delivery, deps.now())) {
    throw new FairleadError('CONFLICT', `Whom it has mailed is known for ${MAILED_KNOWN_DAYS} days, and no more`);
  }
  if (delivery.notification.kind === 'subscriber.confirm') return askSubscriber(deps, delivery, options.signal);
  return isBatch(delivery) ? mailBatch(deps, delivery, { ...options, org }) : planMailing(deps, delivery, org);
}
