import type { Mail, MailKind } from '../../../domain/identity/mail.ts';
import {
  chooseTemplate,
  fillTemplate,
  type MailTemplate,
  type MailValues,
  mailValue,
  oneLine,
  partsOf,
} from '../../../domain/identity/mail-templates.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import type { OrgRecord } from '../../../domain/orgs/org.ts';
import { brandFills } from '../../http/pages/brand-colour.ts';
import { type Html, html, renderHtml } from '../../http/pages/html.ts';
import type { Brand } from '../../http/pages/layout.ts';

export interface MailRequest {
  readonly id: string;
  readonly kind: MailKind;
  readonly to: string;
  readonly client: Pick<ClientRecord, 'mailTemplates' | 'whiteLabel'> | null;
  readonly org: Pick<OrgRecord, 'mailTemplates' | 'whiteLabel'> | null;
  readonly brand: Brand;
  readonly platformName: string;
  readonly values: MailValues;
}

/** Writes a mail as text and HTML, from the most specific template and in the most specific look (spec 1, D 3). */
export function composeMail(request: MailRequest): Mail {
  const { id, kind, to, client, org, values } = request;
  const template = chooseTemplate(kind, [client?.mailTemplates, org?.mailTemplates]);
  const fromName = client?.whiteLabel.emailFromName ?? org?.whiteLabel.emailFromName ?? request.platformName;
  return {
    id,
    kind,
    to,
    fromName: oneLine(fromName),
    subject: oneLine(fillTemplate(template.subject, values)),
    text: fillTemplate(template.text, values),
    html: renderHtml(mailPage(template, values, request.brand)),
  };
}

const DEFAULT_COLOUR = '#0f172a';

/** One column, styles in the elements: mail programs take nothing else. */
function mailPage(template: MailTemplate, values: MailValues, brand: Brand): Html {
  const fill = (brandFills(brand.colour ?? DEFAULT_COLOUR) ?? brandFills(DEFAULT_COLOUR))?.light;
  const button = `display:inline-block;padding:12px 20px;border-radius:8px;text-decoration:none;background:${fill?.fill};color:${fill?.text}`;
  const paragraphs = template.text.split(/\r?\n(?:[ \t]*\r?\n)+/).map((text) => paragraph(text, values, button));
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${oneLine(fillTemplate(template.subject, values))}</title></head>
<body style="margin:0;padding:24px;background:#f4f4f5;color:#18181b;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:32rem;margin:0 auto;padding:24px;background:#ffffff;border-radius:12px">
${logo(brand)}
${paragraphs}
</div></body></html>`;
}

function logo(brand: Brand): Html {
  if (brand.logoUrl === null) return html`<p style="font-weight:600">${oneLine(brand.name)}</p>`;
  return html`<p><img src="${brand.logoUrl}" alt="${oneLine(brand.name)}" height="40" style="max-width:100%"></p>`;
}

/** A link that stands alone becomes a button, with the address below for those whose program shows none. */
function paragraph(text: string, values: MailValues, button: string): Html {
  if (/^\s*\{\{\s*link\s*\}\}\s*$/.test(text)) {
    return html`<p><a href="${values.link}" style="${button}">Continue</a></p>
<p style="font-size:13px;color:#52525b;word-break:break-all">${values.link}</p>`;
  }
  const parts = partsOf(text).map((part) => {
    if ('literal' in part) return html`${part.literal}`;
    const value = mailValue(part.placeholder, values);
    return part.placeholder === 'link' ? html`<a href="${value}">${value}</a>` : html`${value}`;
  });
  return html`<p style="white-space:pre-line">${parts}</p>`;
}
