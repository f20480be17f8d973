import { FairleadError, isRetryable } from '../../domain/errors.ts';
import type { Delivery } from '../../domain/notifications/notification.ts';
import type { Subscriber } from '../../domain/notifications/subscriber.ts';
import type { PageDeliveryDeps } from './page-delivery-deps.ts';
import { placeOfBatch } from './plan-mailing.ts';
import { againIn } from './retry-times.ts';
import { shownNotice } from './shown-notice.ts';
import type { TakeMail } from './take-mail.ts';

export interface MailBatchDeps
  extends Pick<PageDeliveryDeps, 'subscribers' | 'mailings' | 'mailer' | 'notices' | 'showsMonitor' | 'now'> {
  readonly takeMail: TakeMail;
  /** Shortened in tests. */
  readonly longestMs?: { readonly begin: number; readonly mail: number };
}

/** After so many failures one after the other an attempt ends: the mail server is away, or takes none for now. */
const MOST_FAILURES = 3;
/**
 * An attempt goes on with no further mail after the first of these; the next one has the rest. A mail that it has in hand then is cut off
 * at the second: an attempt has a minute, and the next one is not to send the same mail beside it.
 */
const LONGEST_MS = { begin: 40_000, mail: 55_000 } as const;
/** Of an attempt that mailed somebody, the next one comes so soon: what is slow is not away. */
const SOON_SECONDS = 5;

export interface BatchOptions {
  /** Whose page it is. */
  readonly org: string;
  readonly signal: AbortSignal;
  /** Those before that mailed nobody, and this one. */
  readonly attempts: number;
}

/**
 * Mails a notice to each subscriber of its batch who still is one, one after the other. Idempotent: who was mailed is noted right after,
 * and passed over later. A mail that was refused for good counts as sent. Attempts begin at different ones, so that a few whose mail is
 * put off hold up no others.
 * @throws UNAVAILABLE (retryable; soon, where somebody was mailed) while some are left, or the page has had its mails of this hour;
 *   CONFLICT where the page does not show this any more, or its plan is not on record any more
 */
export async function mailBatch(
  deps: MailBatchDeps,
  delivery: Delivery,
  { org, signal, attempts }: BatchOptions,
): Promise<void> {
  const { mailings, mailer, takeMail, now, longestMs = LONGEST_MS } = deps;
  const cut = AbortSignal.any([signal, AbortSignal.timeout(longestMs.mail)]);
  const deadline = performance.now() + longestMs.begin;
  const shown = { ...delivery, notification: await shownNotice(deps, delivery.notification, org) };
  let failures = 0;
  let mailed = 0;
  let problem: FairleadError | null = null;
  for (const subscriber of await unmailed(deps, delivery, attempts)) {
    signal.throwIfAborted();
    if (failures === MOST_FAILURES) break;
    if (performance.now() > deadline) {
      problem ??= outOfTime();
      break;
    }
    const giveBack = await takeMail(org);
    const failure = await failureOf(() => mailer.tell(subscriber, shown, cut));
    if (failure === null) {
      await mailings.noteMailed(delivery.id, subscriber.id, now());
      mailed += 1;
    } else await giveBack();
    failures = failure === null ? 0 : failures + 1;
    problem = failure ?? problem;
  }
  if (problem !== null) throw mailed === 0 ? problem : againIn(problem, SOON_SECONDS);
}

/** Null for a mail that was taken, or refused for good; a failure after which it is sent once more. */
async function failureOf(send: () => Promise<void>): Promise<FairleadError | null> {
  try {
    await send();
    return null;
  } catch (error) {
    if (isRetryable(error)) return error;
    if (error instanceof FairleadError) return null;
    throw error;
  }
}

function outOfTime(): FairleadError {
  return new FairleadError('UNAVAILABLE', 'The mail server is slow: the rest follows', { retryable: true });
}

async function unmailed(
  { subscribers, mailings }: MailBatchDeps,
  { id }: Delivery,
  attempts: number,
): Promise<readonly Subscriber[]> {
  const { planId, number } = placeOfBatch(id);
  const planned = (await mailings.findPlan(planId))?.[number];
  if (planned === undefined) throw new FairleadError('CONFLICT', 'Who was to be mailed is not on record any more');
  const mailed = await mailings.mailed(id);
  const left = await subscribers.findConfirmed(planned.filter((each) => !mailed.has(each)));
  const from = left.length === 0 ? 0 : ((attempts - 1) * 7) % left.length;
  return [...left.slice(from), ...left.slice(0, from)];
}
