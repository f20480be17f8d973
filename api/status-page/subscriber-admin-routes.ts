import { z } from 'zod';
import { eachItem } from '../../domain/each-item.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { Subscriber } from '../../domain/notifications/subscriber.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import type { Caller } from '../http/caller.ts';
import { csvLine, sendCsv } from '../http/csv.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { CHANNEL_ADMINS, orgQuery, toldOrg } from '../notifications/channel-routes.ts';
import type { SubscriberDeps } from './subscriber-deps.ts';

const row = { tag: 'status page', callers: CHANNEL_ADMINS } as const;
const PATH = '/api/status-page/subscribers';

const subscriberSchema = z.object({ id: z.string(), address: z.string(), confirmedAt: z.iso.datetime().nullable() });

function subscriberView({ id, address, confirmedAt }: Subscriber): z.input<typeof subscriberSchema> {
  return { id, address, confirmedAt: confirmedAt?.toISOString() ?? null };
}

/** Who gets updates of the status page of an org by mail: for its admins. Those who have not confirmed are nobody's business. */
export function subscriberAdminRoutes(deps: SubscriberDeps): readonly Route[] {
  return [listRoute(deps), csvRoute(deps), removeRoute(deps), removeAllRoute(deps)];
}

/** The page of the platform's own org where the platform names none. @throws FORBIDDEN */
function pageOrg({ platformOrg }: SubscriberDeps, caller: Caller, asked: string | undefined): string {
  return toldOrg(caller, asked) ?? platformOrg;
}

function listRoute(deps: SubscriberDeps): Route {
  return defineRoute({
    ...{ ...row, method: 'get', path: PATH },
    summary: 'Who gets updates of the status page of the org by mail, and how many',
    query: orgQuery.extend(pageQueryShape),
    responses: {
      200: { description: 'A page of them', schema: pageSchema(subscriberSchema).extend({ total: z.int() }) },
    },
    handle: async ({ query: { org: asked, cursor = null, limit } }, { caller }) => {
      const org = pageOrg(deps, caller, asked);
      const [{ items, nextCursor }, total] = await Promise.all([
        deps.subscribers.list(org, { cursor, limit }),
        deps.subscribers.count(org),
      ]);
      return { status: 200, data: { items: items.map(subscriberView), nextCursor, total } };
    },
  });
}

function csvRoute(deps: SubscriberDeps): Route {
  return defineRoute({
    ...{ ...row, method: 'get', path: `${PATH}.csv` },
    summary: 'All of them, as CSV (RFC 4180) that no spreadsheet runs',
    query: orgQuery,
    responses: {
      200: {
        description: 'The subscribers',
        schema: z.string(),
        alternative: { contentType: 'text/csv', description: 'A header, and a line each' },
      },
    },
    handle: async ({ query }, context) => {
      const org = pageOrg(deps, context.caller, query.org);
      await deps.recordChange(context, context.caller, {
        ...{ type: 'monitor.subscribers_exported', subject: org, orgSlug: org, data: {} },
      });
      const lines = [csvLine(['address', 'confirmedAt'])];
      for await (const subscriber of eachItem((page) => deps.subscribers.list(org, page))) {
        const { address, confirmedAt } = subscriberView(subscriber);
        lines.push(csvLine([address, confirmedAt ?? '']));
      }
      return async (response) => sendCsv(response, 'subscribers.csv', lines);
    },
  });
}

function removeRoute(deps: SubscriberDeps): Route {
  return defineRoute({
    ...{ ...row, method: 'delete', path: `${PATH}/:id` },
    summary: 'Removes a subscriber, whose address is forgotten',
    params: z.strictObject({ id: z.string().min(1).max(100) }),
    query: orgQuery,
    responses: { 200: { description: 'It is gone', schema: subscriberSchema } },
    errors: ['SUBSCRIBER_NOT_FOUND'],
    resource: async ({ params: { id }, query }, { caller }) => {
      const subscriber = await deps.subscribers.find(id);
      if (subscriber?.state === 'confirmed' && subscriber.org === pageOrg(deps, caller, query.org)) return subscriber;
      throw new FairleadError('SUBSCRIBER_NOT_FOUND', `There is no subscriber ${id}; GET ${PATH} lists yours`);
    },
    handle: async ({ resource: subscriber }, context) => {
      const { id, org } = subscriber;
      const facts = { type: 'monitor.subscriber_removed', subject: id, orgSlug: org, data: {} };
      await deps.recordChange(context, context.caller, facts);
      await deps.subscribers.remove(id);
      return { status: 200, data: subscriberView(subscriber) };
    },
  });
}

function removeAllRoute(deps: SubscriberDeps): Route {
  return defineRoute({
    ...{ ...row, method: 'delete', path: PATH },
    summary: 'Removes all subscribers of the page, those who have not confirmed as well',
    query: orgQuery,
    responses: { 200: { description: 'They are gone', schema: z.object({ removed: z.int() }) } },
    handle: async ({ query }, context) => {
      const org = pageOrg(deps, context.caller, query.org);
      const facts = { type: 'monitor.subscribers_removed', subject: org, orgSlug: org, data: {} };
      await deps.recordChange(context, context.caller, facts);
      return { status: 200, data: { removed: await deps.subscribers.removeAll(org) } };
    },
  });
}
