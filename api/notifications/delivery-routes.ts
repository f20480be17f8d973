import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { DELIVERY_STATES } from '../../domain/notifications/notification.ts';
import { isMailingKnown, MAILED_KNOWN_DAYS, ownerOf, pageAudience } from '../../domain/notifications/page-audience.ts';
import { deliveryView, deliveryViewSchema } from '../../domain/notifications/reply-schema.ts';
import { pageQueryShape, pageSchema } from '../../domain/page-schema.ts';
import { isPlatform } from '../http/caller.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { createOrgLimit } from '../http/org-limit.ts';
import { CHANNEL_ADMINS, orgQuery, toldOrg } from './channel-routes.ts';
import type { NotificationsDeps } from './deps.ts';

const tag = 'alerts';

/** What became of notices. */
export function deliveryRoutes(deps: NotificationsDeps): readonly Route[] {
  return [testRoute(deps), listRoute(deps), replayRoute(deps)];
}

/** Tests of one org in a minute: each is a mail to whomever its admins named. */
const MOST_TESTS = 5;

function testRoute({ outbox, newId, now }: NotificationsDeps): Route {
  const count = createOrgLimit(MOST_TESTS, 'tests');
  return defineRoute({
    method: 'post',
    path: '/api/alerts/test',
    summary: 'Sends a test to every channel of the org',
    tag,
    callers: CHANNEL_ADMINS,
    query: orgQuery,
    responses: { 202: { description: 'It is on its way', schema: z.object({ id: z.string() }) } },
    handle: async ({ query }, { caller }) => {
      const org = toldOrg(caller, query.org);
      count(org);
      const id = `test/${newId('event')}`;
      await outbox.tell({
        ...{ id, kind: 'alerts.test', org, at: now(), data: { askedBy: caller.name } },
        subject: 'A test of the alerts',
        text: 'Somebody has asked for a test: outages are told here.',
      });
      return { status: 202, data: { id } };
    },
  });
}

function listRoute({ deliveries, platformOrg }: NotificationsDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/alerts/deliveries',
    summary:
      'Notices by what became of them, the newest first; `held` wait for the end of quiet hours, `dead` were given up after 24 hours',
    description: 'To the channels of the org, and to the subscribers of its status page.',
    tag,
    callers: CHANNEL_ADMINS,
    query: orgQuery.extend({ state: z.enum(DELIVERY_STATES).default('dead'), ...pageQueryShape }),
    responses: { 200: { description: 'A page of deliveries', schema: pageSchema(deliveryViewSchema) } },
    handle: async ({ query: { org, state, cursor = null, limit } }, { caller }) => {
      const told = toldOrg(caller, org);
      const filter = { org: told, page: pageAudience(told ?? platformOrg), state };
      const { items, nextCursor } = await deliveries.list(filter, { cursor, limit });
      return { status: 200, data: { items: items.map(deliveryView), nextCursor } };
    },
  });
}

function replayRoute(deps: NotificationsDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/api/alerts/deliveries/replay',
    summary: 'Tries a notice once more that was given up',
    description: `The receiver gets it under the same id as before. Whoever reads a status page and was mailed already gets nothing: that is known for \
${MAILED_KNOWN_DAYS} days, and later the answer is CONFLICT.`,
    tag,
    callers: CHANNEL_ADMINS,
    body: z.strictObject({ id: z.string().min(1).max(300) }),
    responses: { 202: { description: 'It is on its way', schema: z.object({ id: z.string() }) } },
    errors: ['DELIVERY_NOT_FOUND', 'CONFLICT'],
    resource: async ({ body: { id } }, { caller }) => {
      const delivery = await deps.deliveries.find(id);
      const isListed = delivery !== null && delivery.notification.kind !== 'subscriber.confirm';
      if (isListed && (isPlatform(caller) || ownerOf(delivery) === caller.org)) return delivery;
      throw new FairleadError(
        'DELIVERY_NOT_FOUND',
        `There is no delivery ${id}; GET /api/alerts/deliveries lists yours`,
      );
    },
    handle: async ({ resource: delivery }, context) => {
      const { id, state } = delivery;
      if (!isMailingKnown(delivery, deps.now())) {
        throw new FairleadError(
          'CONFLICT',
          `Whom ${id} has mailed is known for ${MAILED_KNOWN_DAYS} days, and no more`,
        );
      }
      if (state !== 'dead') throw new FairleadError('CONFLICT', `The delivery ${id} is ${state}: it needs no replay`);
      const facts = { type: 'monitor.delivery_replayed', subject: id, orgSlug: ownerOf(delivery), data: {} };
      await deps.recordChange(context, context.caller, facts);
      await deps.deliveryCommands.deliver(id, true);
      return { status: 202, data: { id } };
    },
  });
}
