import { createHash } from 'node:crypto';
import { FairleadError } from '../../domain/errors.ts';
import { networkOf } from '../../domain/identity/lockout.ts';
import { MOST_REQUESTS, MOST_SUBSCRIBERS, pageAudience } from '../../domain/notifications/page-audience.ts';
import { putDeliveries } from '../../domain/notifications/put-deliveries.ts';
import { subscribeNotice } from '../../domain/notifications/subscribe-notice.ts';
import { titleOf } from '../../domain/status-page/status-place.ts';
import type { SubscriberDeps } from './subscriber-deps.ts';

/**
 * Takes a request to subscribe: it is on record and under way when this is done. Nothing of it depends on the address, neither what is
 * done nor how long it takes: what is known of the address is looked up by the worker.
 * @param client network address of who asks
 * @throws RATE_LIMITED, CONFLICT where the page has as many subscribers as it may, UNAVAILABLE
 */
export async function takeSubscribeRequest(
  deps: SubscriberDeps,
  { org, address, client }: { readonly org: string; readonly address: string; readonly client: string },
): Promise<void> {
  await countRequest(deps, org, client);
  await requireRoom(deps, org);
  const request = { id: deps.newId('subscribeRequest'), org, address, at: deps.now() };
  await deps.subscribers.keepRequest(request);
  const audience = { id: request.id, org: pageAudience(org) };
  const notice = subscribeNotice(request, titleOf(deps, org));
  await putDeliveries({ ...deps, commands: deps.deliveryCommands }, [audience], [notice]);
}

/** @throws CONFLICT */
export async function requireRoom({ subscribers }: Pick<SubscriberDeps, 'subscribers'>, org: string): Promise<void> {
  if ((await subscribers.count(org, MOST_SUBSCRIBERS)) < MOST_SUBSCRIBERS) return;
  throw new FairleadError('CONFLICT', 'This page has as many subscribers as it may have: its feed is for everybody');
}

/** Whoever asks too much is stopped before anybody else is, and a page before the others. @throws RATE_LIMITED */
async function countRequest({ mailCounts, now }: SubscriberDeps, org: string, client: string): Promise<void> {
  const hour = now().toISOString().slice(0, 13);
  const network = createHash('sha256').update(networkOf(client)).digest('hex');
  const limits = [
    { key: `subscribe/client/${network}/${hour}`, most: MOST_REQUESTS.client },
    { key: `subscribe/page/${org}/${hour}`, most: MOST_REQUESTS.page },
    { key: `subscribe/all/${hour}`, most: MOST_REQUESTS.all },
  ];
  for (const { key, most } of limits) {
    if (await mailCounts.take(key, hour.slice(0, 10), most)) continue;
    throw new FairleadError('RATE_LIMITED', 'Too many have asked for updates: try again in an hour');
  }
}
