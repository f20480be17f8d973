import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import { isPersonaAddress, normalizeEmail } from '../../domain/identity/email-address.ts';
import { orgSlugSchema } from '../../domain/org-slug.ts';
import { titleOf } from '../../domain/status-page/status-place.ts';
import { defineRoute, type Reply, type Route, type RouteContext } from '../http/define-route.ts';
import { html } from '../http/pages/html.ts';
import { platformPage } from '../http/pages/mail-link.ts';
import { PAGE_RESPONSES } from '../http/pages/page-responses.ts';
import { PUBLIC_QUERY } from './public-query.ts';
import type { StatusReader } from './status-reader.ts';
import type { SubscriberDeps } from './subscriber-deps.ts';
import { takeSubscribeRequest } from './take-subscribe-request.ts';

const row = {
  method: 'post',
  tag: 'status page',
  callers: 'public',
  replies: 'page',
  responses: PAGE_RESPONSES,
  query: PUBLIC_QUERY,
  bodyTypes: ['form'],
  body: z.object({ address: z.string().min(1).max(254) }),
  errors: ['NOT_FOUND', 'RATE_LIMITED', 'CONFLICT', 'ORIGIN_REFUSED', 'UNAVAILABLE'],
  description:
    'The answer is the same for each address. One that is no subscriber yet is mailed a link, at most once an hour; nothing else changes.',
} as const;

/** The form of a status page by which people get updates by mail. */
export function subscribeRoutes(deps: SubscriberDeps, reader: Pick<StatusReader, 'view'>): readonly Route[] {
  return [
    defineRoute({
      ...{ ...row, path: '/subscribe' },
      summary: 'Asks an address whether it wants updates of the status page of the org that runs the installation',
      handle: ({ body: { address } }, context) => subscribe(deps, reader, { org: deps.platformOrg, address }, context),
    }),
    defineRoute({
      ...{ ...row, path: '/status/:org/subscribe' },
      summary: 'Asks an address whether it wants updates of the status page of an org',
      params: z.strictObject({ org: orgSlugSchema }),
      handle: ({ params: { org }, body: { address } }, context) => subscribe(deps, reader, { org, address }, context),
    }),
  ];
}

async function subscribe(
  deps: SubscriberDeps,
  reader: Pick<StatusReader, 'view'>,
  { org, address: typed }: { readonly org: string; readonly address: string },
  context: Pick<RouteContext, 'headers' | 'address'>,
): Promise<Reply> {
  requireNoOtherSite(context);
  if (!deps.sendsMail) throw new FairleadError('NOT_FOUND', 'This installation sends no updates by mail');
  const address = normalizeEmail(typed.trim());
  if (address === null || isPersonaAddress(address)) {
    throw new FairleadError('VALIDATION_FAILED', 'address: this is not an e-mail address');
  }
  await reader.view(org);
  await takeSubscribeRequest(deps, { org, address, client: context.address });
  const title = titleOf(deps, org);
  const body = html`<p>If this address gets no updates of ${title} yet, a mail with a link is on its way there. They begin once the link is \
followed, within a day.</p>`;
  return platformPage(deps, 'Look into your mail', body);
}

/** Visitors of another site are to ask nobody. The page tells no referrer, so a browser's own word is all that there is. @throws ORIGIN_REFUSED */
function requireNoOtherSite({ headers }: Pick<RouteContext, 'headers'>): void {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return;
  throw new FairleadError('ORIGIN_REFUSED', 'This form was not sent by the status page');
}
