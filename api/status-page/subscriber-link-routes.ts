import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { SUBSCRIBER_CONFIRM_PATH, SUBSCRIBER_STOP_PATH } from '../../domain/notifications/page-audience.ts';
import { isOpen, type Subscriber } from '../../domain/notifications/subscriber.ts';
import { titleOf } from '../../domain/status-page/status-place.ts';
import { defineRoute, type Reply, type Route } from '../http/define-route.ts';
import { type Html, html } from '../http/pages/html.ts';
import { linkButton, MAIL_LINK_ROW, ONE_CLICK_FORM, platformPage } from '../http/pages/mail-link.ts';
import type { SubscriberDeps } from './subscriber-deps.ts';
import { requireRoom } from './take-subscribe-request.ts';

/** Mail programs add parameters of their own to links. */
const query = z.looseObject({ subscriber: z.string().min(1).max(100), token: z.string().min(1).max(200) });
type Link = z.output<typeof query>;

const row = {
  ...MAIL_LINK_ROW,
  tag: 'status page',
  errors: ['LINK_INVALID', 'UNAVAILABLE'],
  query,
} as const;

/**
 * The pages behind the links in mails to subscribers, for whoever has the mail. Opening one changes nothing: programs that look at mail
 * open its links.
 */
export function subscriberLinkRoutes(deps: SubscriberDeps): readonly Route[] {
  return [
    defineRoute({
      ...{ ...row, method: 'get', path: SUBSCRIBER_CONFIRM_PATH },
      summary: 'Shows the button behind the link by which an address is confirmed',
      handle: async ({ query: link }) => showConfirm(deps, link),
    }),
    defineRoute({
      ...{ ...row, ...ONE_CLICK_FORM, method: 'post', path: SUBSCRIBER_CONFIRM_PATH },
      summary: 'Confirms the address of a subscriber, once',
      errors: [...row.errors, 'CONFLICT'],
      handle: async ({ query: link }) => confirm(deps, link),
    }),
    defineRoute({
      ...{ ...row, method: 'get', path: SUBSCRIBER_STOP_PATH },
      summary: 'Shows the button behind the link by which updates end',
      handle: async ({ query: link }) => showStop(deps, link),
    }),
    defineRoute({
      ...{ ...row, ...ONE_CLICK_FORM, method: 'post', path: SUBSCRIBER_STOP_PATH },
      summary: 'Ends the updates to a subscriber; mail programs do it with one click (RFC 8058)',
      handle: async ({ query: link }) => stop(deps, link),
    }),
  ];
}

async function showConfirm(deps: SubscriberDeps, link: Link): Promise<Reply> {
  const { org } = await confirmable(deps, link);
  const body = html`<p>You get a mail of each incident and each maintenance that ${titleOf(deps, org)} shows.</p>
${button(SUBSCRIBER_CONFIRM_PATH, link, 'I want these mails')}`;
  return platformPage(deps, 'Updates by mail', body);
}

async function confirm(deps: SubscriberDeps, link: Link): Promise<Reply> {
  const { id, org } = await confirmable(deps, link);
  await requireRoom(deps, org);
  // Of many at once, one takes the link.
  if (!(await deps.subscribers.confirm(id, deps.links.hashOf(link.token), deps.now()))) throw linkInvalid();
  return platformPage(deps, 'Confirmed', html`<p>You will be mailed. Each mail has a link that ends this.</p>`);
}

/** @throws LINK_INVALID */
async function confirmable({ subscribers, links, now }: SubscriberDeps, link: Link): Promise<Subscriber> {
  const subscriber = await subscribers.find(link.subscriber);
  const { confirmation = null } = subscriber ?? {};
  if (subscriber !== null && isOpen(confirmation, now()) && links.hashOf(link.token) === confirmation.hash) {
    return subscriber;
  }
  throw linkInvalid();
}

async function showStop(deps: SubscriberDeps, link: Link): Promise<Reply> {
  requireStopToken(deps, link);
  const body = html`<p>Press the button, and you get no more updates of this status page.</p>
${button(SUBSCRIBER_STOP_PATH, link, 'Unsubscribe')}`;
  return platformPage(deps, 'Unsubscribe', body);
}

/** The address is forgotten: who wants updates again confirms anew. Who is gone already gets the same answer. */
async function stop(deps: SubscriberDeps, link: Link): Promise<Reply> {
  requireStopToken(deps, link);
  await deps.subscribers.remove(link.subscriber);
  return platformPage(deps, 'Unsubscribed', html`<p>You get no more updates of this status page.</p>`);
}

/** @throws LINK_INVALID */
function requireStopToken({ links }: Pick<SubscriberDeps, 'links'>, { subscriber, token }: Link): void {
  if (!links.isStopToken(subscriber, token)) throw linkInvalid();
}

function linkInvalid(): FairleadError {
  return new FairleadError('LINK_INVALID', 'This link works no more: it was used, or it is too old');
}

function button(path: string, { subscriber, token }: Link, label: string): Html {
  return linkButton(path, { subscriber, token }, label);
}
