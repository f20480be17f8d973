import { createHash } from 'node:crypto';
import { oneLine } from '../../domain/identity/mail-templates.ts';
import { formatId } from '../../domain/ids.ts';
import { plainText } from '../../domain/plain-text.ts';
import type { SentMail } from '../mail/smtp-sender.ts';

/** A notice as one address is mailed it. */
export interface NoticeMail extends Pick<SentMail, 'id' | 'to' | 'fromName' | 'subject' | 'text'> {
  readonly link: { readonly label: string; readonly url: string };
  /** Whether the link ends mails of the kind: mail programs show a button for it. */
  readonly isStop: boolean;
}

/** Plain text with its link below, and the same as HTML. No line of it, nor what a person wrote, gets into a header. */
export function noticeMail({ link, isStop, subject, text, ...mail }: NoticeMail): SentMail {
  const shown = `${plainText(text)}\n\n${link.label}: ${link.url}`;
  return {
    ...mail,
    subject: oneLine(subject),
    text: shown,
    html: `<pre style="font:inherit;white-space:pre-wrap">${escapeHtml(shown)}</pre>`,
    ...(isStop && { stop: { url: link.url } }),
  };
}

/** Made of what is sent: the same for each attempt, and without what names of monitors could bring into a header. */
export function messageId(sent: string): string {
  return formatId('mail', createHash('sha256').update(sent).digest());
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
