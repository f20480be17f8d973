import type { Reply } from '../define-route.ts';
import { type Html, html } from './html.ts';
import { PAGE_RESPONSES } from './page-responses.ts';
import { sendPage } from './send-page.ts';

/** What the routes of pages behind links in mails have in common: whoever has the mail may open them. */
export const MAIL_LINK_ROW = { callers: 'public', replies: 'page', responses: PAGE_RESPONSES } as const;

/** What the buttons of these pages send, and mail programs by themselves (RFC 8058): it is not read, for the link says all. */
export const ONE_CLICK_FORM = {
  streamBody: {
    contentTypes: ['application/x-www-form-urlencoded', 'multipart/form-data'],
    description: 'Such as `List-Unsubscribe=One-Click`',
  },
} as const;

/** A button that does what a link is for. Opening the link changes nothing: programs that look at mail open its links. */
export function linkButton(path: string, link: Readonly<Record<string, string>>, label: string): Html {
  const action = `${path}?${new URLSearchParams(link)}`;
  return html`<form method="post" action="${action}"><button>${label}</button></form>`;
}

/** A page in the name of the installation. */
export function platformPage({ platformName }: { readonly platformName: string }, title: string, body: Html): Reply {
  return sendPage({ title, brand: { name: platformName, logoUrl: null, colour: null }, body });
}
