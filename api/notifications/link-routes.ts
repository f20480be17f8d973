import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { CONFIRM_PATH, STOP_PATH } from '../../domain/notifications/channel-address.ts';
import type { Channel } from '../../domain/notifications/notification.ts';
import { putDeliveries } from '../../domain/notifications/put-deliveries.ts';
import { stoppedNotice } from '../../domain/notifications/stopped-notice.ts';
import { defineRoute, type Reply, type Route } from '../http/define-route.ts';
import { type Html, html } from '../http/pages/html.ts';
import { linkButton, MAIL_LINK_ROW, ONE_CLICK_FORM, platformPage } from '../http/pages/mail-link.ts';
import type { NotificationsDeps } from './deps.ts';

/** Mail programs add parameters of their own to links. */
const query = z.looseObject({ channel: z.string().min(1).max(100), token: z.string().min(1).max(200) });
type Link = z.output<typeof query>;

const row = {
  ...MAIL_LINK_ROW,
  tag: 'alerts',
  errors: ['LINK_INVALID'],
  query,
} as const;

/**
 * The pages behind the links in mails of alerts, for whoever has the mail. Opening one changes nothing: programs that look at
 * mail open its links.
 */
export function channelLinkRoutes(deps: NotificationsDeps): readonly Route[] {
  return [
    defineRoute({
      ...{ ...row, method: 'get', path: CONFIRM_PATH },
      summary: 'Shows the button behind the link by which an address is confirmed',
      handle: async ({ query: link }) => showConfirm(deps, link),
    }),
    defineRoute({
      ...{ ...row, ...ONE_CLICK_FORM, method: 'post', path: CONFIRM_PATH },
      summary: 'Confirms the address of a channel, once',
      handle: async ({ query: link }) => confirm(deps, link),
    }),
    defineRoute({
      ...{ ...row, method: 'get', path: STOP_PATH },
      summary: 'Shows the button behind the link by which a channel is stopped',
      handle: async ({ query: link }) => showStop(deps, link),
    }),
    defineRoute({
      ...{ ...row, ...ONE_CLICK_FORM, method: 'post', path: STOP_PATH },
      summary: 'Stops a channel; mail programs do it with one click (RFC 8058)',
      handle: async ({ query: link }) => stop(deps, link),
    }),
  ];
}

async function showConfirm(deps: NotificationsDeps, link: Link): Promise<Reply> {
  const { channels, links, now } = deps;
  const channel = await channels.find(link.channel);
  const { confirmation = null } = channel ?? {};
  const isOpen = confirmation !== null && confirmation.expiresAt > now();
  if (channel === null || !isOpen || links.hashOf(link.token) !== confirmation.hash) throw linkInvalid();
  const body = html`<p>${senderOf(deps, channel)} will mail you when something is down, and when it is up again.</p>
${button(CONFIRM_PATH, link, 'I want these mails')}`;
  return platformPage(deps, 'Alerts by mail', body);
}

async function confirm(deps: NotificationsDeps, { channel, token }: Link): Promise<Reply> {
  const { channels, links, now } = deps;
  if (!(await channels.confirm(channel, links.hashOf(token), now()))) throw linkInvalid();
  return platformPage(deps, 'Confirmed', html`<p>You will be mailed. Each mail has a link that ends this.</p>`);
}

async function showStop(deps: NotificationsDeps, link: Link): Promise<Reply> {
  const channel = await stoppable(deps, link);
  const body = html`<p>${senderOf(deps, channel)} will mail you no more alerts.</p>
${button(STOP_PATH, link, 'Stop these alerts')}`;
  return platformPage(deps, 'Stop alerts', body);
}

async function stop(deps: NotificationsDeps, link: Link): Promise<Reply> {
  const channel = await stoppable(deps, link);
  await deps.channels.stop(channel.id);
  await tellOthers(deps, channel);
  return platformPage(deps, 'Stopped', html`<p>${senderOf(deps, channel)} mails you no more alerts.</p>`);
}

/** Nobody else would see that a channel is told no more. Idempotent by the channel: it is stopped once. */
async function tellOthers(deps: NotificationsDeps, channel: Channel): Promise<void> {
  const active = (await deps.channels.list(channel.org)).filter(({ state }) => state === 'active');
  const others = active.filter(({ id }) => id !== channel.id);
  await putDeliveries({ ...deps, commands: deps.deliveryCommands }, others, [stoppedNotice(channel, deps.now())]);
}

/** Stopped already, it is so once more. @throws LINK_INVALID */
async function stoppable({ channels, links }: NotificationsDeps, { channel: id, token }: Link): Promise<Channel> {
  const channel = links.isStopToken(id, token) ? await channels.find(id) : null;
  if (channel === null) throw linkInvalid();
  return channel;
}

function linkInvalid(): FairleadError {
  const message = 'This link works no more: it was used, it is too old, or what it was for is gone';
  return new FairleadError('LINK_INVALID', message);
}

function senderOf({ platformName }: NotificationsDeps, { org }: Channel): string {
  return org === null ? platformName : `The org ${org} at ${platformName}`;
}

function button(path: string, { channel, token }: Link, label: string): Html {
  return linkButton(path, { channel, token }, label);
}
