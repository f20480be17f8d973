import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { normalizeEmail } from '../../domain/identity/email-address.ts';
import { MOST_CONFIRMATIONS } from '../../domain/notifications/channel-address.ts';
import type { ChatSettings } from '../../domain/notifications/chat-templates.ts';
import type { Channel } from '../../domain/notifications/notification.ts';
import {
  channelView,
  channelViewSchema,
  createdChannelSchema,
  listedChannelSchema,
} from '../../domain/notifications/reply-schema.ts';
import { newChannelSchema } from '../../domain/notifications/schema.ts';
import { orgSlugSchema } from '../../domain/org-slug.ts';
import { PLATFORM } from '../http/allowed-callers.ts';
import type { Caller } from '../http/caller.ts';
import { isPlatform } from '../http/caller.ts';
import { defineRoute, type Route } from '../http/define-route.ts';
import { addChannel, newConfirmation } from './ask-address.ts';
import type { NotificationsDeps } from './deps.ts';

/** Who says where an org is told. */
export const CHANNEL_ADMINS = { ...PLATFORM, user: 'admin' } as const;

export const orgQuery = z.strictObject({
  org: orgSlugSchema
    .optional()
    .describe('For the platform: of this org; the operators of the installation when left out'),
});
export const channelParams = z.strictObject({ id: z.string().min(1).max(100) });
const tag = 'alerts';

/** Where an org is told of outages. */
export function channelRoutes(deps: NotificationsDeps): readonly Route[] {
  return [listRoute(deps), addRoute(deps), removeRoute(deps)];
}

/** The org whose channels a caller works with; null for the operators'. @throws FORBIDDEN for another org than one's own */
export function toldOrg(caller: Caller, asked: string | undefined): string | null {
  if (isPlatform(caller)) return asked ?? null;
  if (caller.org !== '' && (asked === undefined || asked === caller.org)) return caller.org;
  throw new FairleadError('FORBIDDEN', 'Where another org is told is for its own admins to say');
}

/** @throws CHANNEL_NOT_FOUND, also for one of another org */
export async function requireChannel(
  { channels }: Pick<NotificationsDeps, 'channels'>,
  caller: Caller,
  id: string,
): Promise<Channel> {
  const channel = await channels.find(id);
  if (channel !== null && (isPlatform(caller) || channel.org === caller.org)) return channel;
  throw new FairleadError('CHANNEL_NOT_FOUND', `There is no channel ${id}; GET /api/alerts/channels lists yours`);
}

function listRoute({ channels, deliveries }: NotificationsDeps): Route {
  return defineRoute({
    method: 'get',
    path: '/api/alerts/channels',
    summary: 'Where the org is told of outages',
    tag,
    callers: CHANNEL_ADMINS,
    query: orgQuery,
    responses: { 200: { description: 'The channels', schema: z.object({ items: z.array(listedChannelSchema) }) } },
    handle: async ({ query }, { caller }) => {
      const org = toldOrg(caller, query.org);
      const [found, problems] = await Promise.all([channels.list(org), lastProblems(deliveries, org)]);
      const items = found.map((channel) => ({
        ...channelView(channel),
        lastProblem: problems.get(channel.id) ?? null,
      }));
      return { status: 200, data: { items } };
    },
  });
}

const NEWEST = { cursor: null, limit: 200 } as const;

/** By channel, why the newest notice did not arrive of those that wait or were given up; the last 200 of each are read. */
async function lastProblems(
  deliveries: NotificationsDeps['deliveries'],
  org: string | null,
): Promise<ReadonlyMap<string, string>> {
  const lists = await Promise.all(
    (['pending', 'dead'] as const).map((state) => deliveries.list({ org, state }, NEWEST)),
  );
  const oldestFirst = lists
    .flatMap(({ items }) => items)
    .sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
  return new Map(
    oldestFirst.flatMap(({ channelId, lastProblem }) =>
      lastProblem === null ? [] : [[channelId, lastProblem] as const],
    ),
  );
}

function addRoute(deps: NotificationsDeps): Route {
  return defineRoute({
    method: 'post',
    path: '/api/alerts/channels',
    summary: 'Adds a mail address, a webhook, a chat or a pager',
    description: `Webhooks are signed as Standard Webhooks says. The secret is shown in this reply, and never again. Of a chat no reply shows \
more than its host. A mail address is told \
nothing until somebody has confirmed it by the link that is mailed there: an org has ${MOST_CONFIRMATIONS.org} such mails a day, \
${MOST_CONFIRMATIONS.ofOrgToAddress} of them to one address.`,
    tag,
    callers: CHANNEL_ADMINS,
    query: orgQuery,
    body: newChannelSchema,
    responses: { 201: { description: 'The channel', schema: createdChannelSchema } },
    errors: ['CONFLICT', 'RATE_LIMITED', 'SOURCE_REFUSED'],
    handle: async ({ query, body }, context) => {
      const org = toldOrg(context.caller, query.org);
      const id = deps.newId('channel');
      const { target, secret } = targetOf(deps, body, { id, org });
      const added = { id, org, target, createdAt: deps.now(), createdBy: context.caller.name };
      const confirmation = target.kind === 'mail' ? newConfirmation(deps, id) : null;
      const channel = { ...added, confirmation, state: confirmation === null ? 'active' : 'unconfirmed' } as const;
      const facts = { type: 'monitor.channel_added', subject: id, orgSlug: org, data: { kind: body.kind } };
      await addChannel(deps, channel, () => deps.recordChange(context, context.caller, facts));
      return { status: 201, data: { ...channelView(channel), secret } };
    },
  });
}

/** As the mail server is given it. @throws VALIDATION_FAILED */
function mailTarget(to: string): Channel['target'] {
  const address = normalizeEmail(to);
  if (address === null) throw new FairleadError('VALIDATION_FAILED', `to: ${to} is not an e-mail address`);
  return { kind: 'mail', to: address };
}

interface Made {
  readonly target: Channel['target'];
  /** Shown this once. */
  readonly secret: string | null;
}

/** @throws VALIDATION_FAILED, SOURCE_REFUSED */
function targetOf(
  deps: Pick<NotificationsDeps, 'checkWebhookAddress' | 'newWebhookSecret' | 'sealForChannel'>,
  body: z.output<typeof newChannelSchema>,
  { id, org }: Pick<Channel, 'id' | 'org'>,
): Made {
  if (body.kind === 'mail') return { target: mailTarget(body.to), secret: null };
  const address = body.kind === 'webhook' ? body.url : body.address;
  deps.checkWebhookAddress(address, org);
  if (body.kind === 'webhook') {
    const { secret, sealed } = deps.newWebhookSecret(id);
    return { target: { kind: 'webhook', url: address, secrets: [sealed] }, secret };
  }
  const settings: ChatSettings = {
    address,
    token: 'token' in body ? body.token : null,
    room: 'room' in body ? body.room : null,
  };
  const sealed = deps.sealForChannel(id, JSON.stringify(settings));
  return { target: { kind: 'chat', service: body.kind, host: new URL(address).host, settings: sealed }, secret: null };
}

function removeRoute(deps: NotificationsDeps): Route {
  return defineRoute({
    method: 'delete',
    path: '/api/alerts/channels/:id',
    summary: 'Removes a channel; what is under way to it is given up',
    tag,
    callers: CHANNEL_ADMINS,
    params: channelParams,
    responses: { 200: { description: 'It is gone', schema: channelViewSchema } },
    errors: ['CHANNEL_NOT_FOUND'],
    resource: ({ params: { id } }, { caller }) => requireChannel(deps, caller, id),
    handle: async ({ resource: channel }, context) => {
      const { id, org, target } = channel;
      await deps.recordChange(context, context.caller, {
        ...{ type: 'monitor.channel_removed', subject: id, orgSlug: org, data: { kind: target.kind } },
      });
      await deps.channels.remove(id);
      return { status: 200, data: channelView(channel) };
    },
  });
}
