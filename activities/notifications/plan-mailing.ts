import { eachItem } from '../../domain/each-item.ts';
import type { Delivery } from '../../domain/notifications/notification.ts';
import { MOST_IN_BATCH, MOST_TOLD_IN_HOUR, SUBSCRIBERS } from '../../domain/notifications/page-audience.ts';
import type { PageDeliveryDeps } from './page-delivery-deps.ts';
import { shownNotice } from './shown-notice.ts';
import { inMinutes } from './take-mail.ts';

export type PlanMailingDeps = Pick<
  PageDeliveryDeps,
  'subscribers' | 'mailings' | 'deliveries' | 'commands' | 'mailCounts' | 'notices' | 'showsMonitor' | 'now'
>;

/**
 * Makes a delivery of each batch of the subscribers that a page has. Idempotent: the first attempt that gets so far decides who is in
 * which batch, in one document; a batch is found by its number. It is as old as its plan: `isMailingKnown`.
 * @throws UNAVAILABLE (retryable, in some minutes) where the page has told as much in this hour as it may; CONFLICT where it does not show
 *   this any more
 */
export async function planMailing(deps: PlanMailingDeps, delivery: Delivery, org: string): Promise<void> {
  await shownNotice(deps, delivery.notification, org);
  const batches = (await deps.mailings.findPlan(delivery.id)) ?? (await makePlan(deps, delivery, org));
  for (const number of batches.keys()) {
    const { notification, org: told, createdAt } = delivery;
    const id = batchId(delivery.id, number);
    const facts = { id, notification, channelId: `${SUBSCRIBERS}/${number}`, org: told, createdAt };
    await deps.deliveries.insert({ ...facts, state: 'pending', attempts: 0, lastProblem: null, endedAt: null });
    await deps.commands.deliver(id);
  }
}

/** Of the delivery that plans. */
const batchId = (planId: string, number: number): string => `${planId}/${number}`;

/** Where a batch is planned. */
export function placeOfBatch(id: string): { readonly planId: string; readonly number: number } {
  const end = id.lastIndexOf('/');
  return { planId: id.slice(0, end), number: Number(id.slice(end + 1)) };
}

async function makePlan(deps: PlanMailingDeps, { id }: Delivery, org: string): Promise<readonly (readonly string[])[]> {
  await takeTelling(deps, org);
  const ids: string[] = [];
  for await (const subscriber of eachItem((page) => deps.subscribers.list(org, page))) ids.push(subscriber.id);
  const batches: string[][] = [];
  for (let from = 0; from < ids.length; from += MOST_IN_BATCH) batches.push(ids.slice(from, from + MOST_IN_BATCH));
  return await deps.mailings.keepPlan(id, batches, deps.now());
}

/** People who read a page are not to be mailed all day because a service of it goes down and up. */
async function takeTelling({ mailCounts, now }: PlanMailingDeps, org: string): Promise<void> {
  const hour = now().toISOString().slice(0, 13);
  if (await mailCounts.take(`page/${org}/${hour}`, hour.slice(0, 10), MOST_TOLD_IN_HOUR)) return;
  throw inMinutes(`The subscribers of ${org} have had their ${MOST_TOLD_IN_HOUR} mails in an hour: this one waits`);
}
