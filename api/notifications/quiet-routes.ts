import { FairleadError } from '../../domain/errors.ts';
import type { Channel } from '../../domain/notifications/notification.ts';
import { channelView, channelViewSchema } from '../../domain/notifications/reply-schema.ts';
import { quietHoursSchema } from '../../domain/notifications/schema.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { CHANNEL_ADMINS, channelParams, requireChannel } from './channel-routes.ts';
import type { NotificationsDeps } from './deps.ts';

const row = {
  path: '/api/alerts/channels/:id/quiet-hours',
  tag: 'alerts',
  callers: CHANNEL_ADMINS,
  params: channelParams,
  responses: { 200: { description: 'The channel', schema: channelViewSchema } },
} as const;

/** When a channel is told what is urgent alone. */
export function quietRoutes(deps: NotificationsDeps): readonly Route[] {
  return [setRoute(deps), endRoute(deps)];
}

function setRoute(deps: NotificationsDeps): Route {
  return defineRoute({
    ...row,
    method: 'put',
    summary:
      'Sets the quiet hours of a channel: what is less urgent than `passes` waits, and is told as one message at their end',
    description: `They are by the clocks of the time zone: a time that these show twice is the first of both, one that they leave out is as \
much later as they leave out. An outage of prod is critical, one of another environment a warning, and all that is told of it as urgent as \
it is. What waits already is told at the end that it waits for. A pager has none: it is told each event.`,
    body: quietHoursSchema,
    errors: ['CHANNEL_NOT_FOUND', 'CONFLICT'],
    resource: ({ params: { id } }, { caller }) => requireChannel(deps, caller, id),
    handle: async ({ resource: channel, body }, context) => {
      requireNoPager(channel);
      const { id, org } = channel;
      const facts = { type: 'monitor.quiet_hours_set', subject: id, orgSlug: org, data: { ...body } };
      await deps.recordChange(context, context.caller, facts);
      await deps.channels.setQuiet(id, body);
      return { status: 200, data: channelView({ ...channel, quiet: body }) };
    },
  });
}

function endRoute(deps: NotificationsDeps): Route {
  return defineRoute({
    ...row,
    method: 'delete',
    summary: 'Ends the quiet hours of a channel; what waits already is told at the end that it waits for',
    errors: ['CHANNEL_NOT_FOUND'],
    resource: ({ params: { id } }, { caller }) => requireChannel(deps, caller, id),
    handle: async ({ resource: channel }, context) => {
      const { id, org } = channel;
      await deps.recordChange(context, context.caller, {
        ...{ type: 'monitor.quiet_hours_ended', subject: id, orgSlug: org, data: {} },
      });
      await deps.channels.setQuiet(id, null);
      return { status: 200, data: channelView({ ...channel, quiet: null }) };
    },
  });
}

/** @throws CONFLICT: a digest would open an incident there that nothing ends */
function requireNoPager({ target }: Channel): void {
  if (target.kind !== 'chat' || target.service !== 'pagerduty') return;
  const remedy = 'set the urgency and the support hours of the service in PagerDuty';
  throw new FairleadError('CONFLICT', `A pager is told each event, so it has no quiet hours here: ${remedy}`);
}
