import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { CapturedMail } from '../../../domain/identity/mail.ts';
import { partsOfLinks } from '../../../domain/identity/parts-of-links.ts';
import { idSchema } from '../../../domain/identity/schema.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/define-route.ts';
import { type Html, html } from '../../http/pages/html.ts';
import { PAGE_RESPONSES } from '../../http/pages/page-responses.ts';
import { sendPage } from '../../http/pages/send-page.ts';
import type { IdentityDeps } from '../deps.ts';
import { platformBrand } from '../pages/brand.ts';
import { readableTime } from '../pages/readable-time.ts';
import { mayReadOutbox } from './outbox-access.ts';

const tag = 'pages';
const SHOWN = 50;

/** Captured mail as pages, where mail is captured and not sent; without such an outbox there are no such routes. */
export function outboxRoutes(deps: IdentityDeps): readonly Route[] {
  const { outbox } = deps.mail;
  if (outbox === null) return [];
  const page = {
    method: 'get',
    tag,
    callers: 'public',
    replies: 'page',
    responses: PAGE_RESPONSES,
    errors: ['NOT_FOUND'],
    resource: async (_input: unknown, context: RouteContext) => {
      requireReader(context);
      return outbox;
    },
  } as const;
  return [
    defineRoute({
      ...page,
      path: '/outbox',
      summary: 'Mail that was captured instead of sent',
      description: "For a super admin's own browser session; 404 for others.",
      handle: async ({ resource }) => {
        const mails = await resource.list(SHOWN);
        return sendPage({ title: 'Outbox', brand: platformBrand(deps), wide: true, body: listOf(mails) });
      },
    }),
    defineRoute({
      ...page,
      path: '/outbox/:id',
      summary: 'One captured mail',
      params: z.strictObject({ id: idSchema }),
      handle: async ({ params, resource }) => {
        const mail = await resource.find(params.id);
        if (mail === null) throw new FairleadError('NOT_FOUND', 'There is no such mail, or it was too old to be kept');
        return sendPage({ title: mail.subject, brand: platformBrand(deps), wide: true, body: showMail(mail) });
      },
    }),
  ];
}

/** @throws NOT_FOUND: whoever may not read it is not told that mail is captured. */
function requireReader(context: RouteContext): void {
  if (!mayReadOutbox(context)) {
    throw new FairleadError('NOT_FOUND', 'There is no such route; GET /openapi.json lists all');
  }
}

function listOf(mails: readonly CapturedMail[]): Html {
  if (mails.length === 0) return html`<p>No mail was captured yet. This installation has no mail server.</p>`;
  const items = mails.map(
    ({ id, to, subject, capturedAt }) =>
      html`<li><a href="/outbox/${id}">${subject}</a><br>to ${to}, ${readableTime(capturedAt)}</li>`,
  );
  return html`<p>The newest mail that was captured instead of sent.</p><ul>${items}</ul>`;
}

/** Text alone: the HTML of a mail would need styles that the page's policy forbids. */
function showMail({ fromName, to, capturedAt, text }: CapturedMail): Html {
  const paragraphs = text.split(/\n\s*\n/).map((paragraph) => html`<p>${paragraph.split('\n').map(showLine)}</p>`);
  return html`<p>From ${fromName}<br>To ${to}<br>${readableTime(capturedAt)}</p>
<hr>${paragraphs}<hr>
<p><a href="/outbox">All mail</a></p>`;
}

function showLine(line: string, index: number): Html {
  const parts = partsOfLinks(line).map(({ text, isLink }) =>
    isLink ? html`<a href="${text}" rel="noreferrer">${text}</a>` : html`${text}`,
  );
  return html`${index > 0 && html`<br>`}${parts}`;
}
