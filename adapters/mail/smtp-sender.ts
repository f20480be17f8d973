import { createTransport } from 'nodemailer';
import { FairleadError } from '../../domain/errors.ts';
import { normalizeEmail } from '../../domain/identity/email-address.ts';
import type { Mail } from '../../domain/identity/mail.ts';
import type { MailSender } from '../../domain/identity/ports.ts';
import { checkRecipient } from './check-recipient.ts';

export interface SmtpOptions {
  /** `smtp://user:password@host:587`, or `smtps://` for TLS from the first byte. */
  readonly url: string;
  /** Sender address of every mail; its name is each mail's own. */
  readonly from: string;
  /**
   * True sends without encryption where the server offers none. Mail carries links that sign people in, so this is for
   * a server on the same machine or network only; a server on the loopback interface needs no such leave.
   */
  readonly allowPlaintext?: boolean;
  /**
   * Milliseconds: for reaching the server and its greeting, for any later silence of it, and for all of a mail, from when it is given to
   * the sender.
   */
  readonly timeouts?: { readonly connectMs: number; readonly silenceMs: number; readonly mailMs?: number };
}

/** Any mail; `stop` where its reader may end what it is one of. */
export type SentMail = Omit<Mail, 'kind'> & { readonly stop?: { readonly url: string } };

export interface SmtpSender extends MailSender {
  /**
   * Of any kind: what is sent does not name it. Once the signal aborts, or its time is over, nothing more of the mail is sent: the server
   * may have taken it. @throws UNAVAILABLE (retryable unless the server refused it for good)
   */
  send(mail: SentMail, signal?: AbortSignal): Promise<void>;
  close(): void;
}

/** All of a mail ends before the attempt of a delivery does, which has a minute: no two attempts send one mail at once. */
const TIMEOUTS = { connectMs: 5_000, silenceMs: 15_000, mailMs: 45_000 } as const;

/**
 * Sends through a mail server, over a few connections that are kept. Certificates are always verified. A mail's id is
 * its Message-ID: one that is sent again after a lost answer is recognised as the same.
 * @throws VALIDATION_FAILED for a URL or sender that is none.
 */
export function createSmtpSender(options: SmtpOptions): SmtpSender {
  const { host, secure, port, auth } = readUrl(options.url);
  const from = normalizeEmail(options.from);
  if (from === null) throw new FairleadError('VALIDATION_FAILED', 'MAIL_FROM is not an e-mail address');
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const { connectMs, silenceMs, mailMs } = { ...TIMEOUTS, ...options.timeouts };
  const transport = createTransport({
    host,
    port,
    secure,
    ...(auth === null ? {} : { auth }),
    requireTLS: !secure && options.allowPlaintext !== true && !isLoopback(host),
    tls: { rejectUnauthorized: true },
    pool: true,
    maxConnections: 2,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    outbox: null,
    async send(mail: SentMail, signal?: AbortSignal) {
      checkRecipient(mail.to);
      try {
        const over = AbortSignal.timeout(mailMs);
        await transport.sendMail({
          signal: signal === undefined ? over : AbortSignal.any([signal, over]),
          // Objects, not strings: a string would be parsed, and could name several.
          from: { name: mail.fromName, address: from },
          to: { name: '', address: mail.to },
          subject: mail.subject,
          text: mail.text,
          html: mail.html,
          messageId: `<${mail.id}@${domain}>`,
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All', ...stopHeaders(mail.stop) },
        });
      } catch (error) {
        throw refusal(error);
      }
    },
    close: () => transport.close(),
  };
}

/** One click by RFC 8058 is for https alone; elsewhere the address opens a page. */
function stopHeaders(stop: SentMail['stop']): Readonly<Record<string, string>> {
  if (stop === undefined) return {};
  const isOneClick = stop.url.startsWith('https://');
  return {
    'List-Unsubscribe': `<${stop.url}>`,
    ...(isOneClick && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
  };
}

/** Where a server speaks of the mail and its receiver, and not of who sends it. */
const OF_THE_MAIL: ReadonlySet<unknown> = new Set(['RCPT TO', 'DATA']);

/**
 * Only what a server said of the mail for good (5xx) is not worth another attempt (RFC 5321, 4.2.1). A login that it refuses, as
 * while a password is replaced, or a sender that it does not know yet, is the operator's to mend.
 */
function refusal(error: unknown): FairleadError {
  const { responseCode = 0, command } = error as { readonly responseCode?: unknown; readonly command?: unknown };
  const code = Number(responseCode);
  const final = code >= 500 && code < 600 && OF_THE_MAIL.has(command);
  const message = final ? `The mail server refused the mail (${code})` : 'The mail server did not take the mail';
  return new FairleadError('UNAVAILABLE', message, { cause: withoutAddresses(error), retryable: !final });
}

/** A mail address, wherever it stands. */
const ADDRESS = /[^\s<>"',;:()[\]]+@[^\s<>"',;:()[\]]+/g;
/** RFC 3463: why a server refuses. */
const ENHANCED_CODE = /\b[245]\.\d{1,3}\.\d{1,3}\b/;

/**
 * What of a failure may stand in a log. The error of the library has the receivers, the envelope and the server's words, which repeat them
 * in any form: of what a server says of the mail the codes alone are kept, of anything else the words without addresses.
 */
function withoutAddresses(error: unknown): Error {
  const { name, message, code, command, responseCode, response } = error as Readonly<Record<string, unknown>>;
  const [said = ''] = ENHANCED_CODE.exec(String(response ?? '')) ?? [];
  const facts = { code, command, responseCode, enhancedCode: said };
  const words = OF_THE_MAIL.has(command)
    ? `The server answered ${responseCode} ${said} to ${command}`
    : String(message).replace(ADDRESS, '[address]');
  const kept = Object.entries(facts).filter(([, value]) => typeof value === 'string' || typeof value === 'number');
  return Object.assign(new Error(words), { name: String(name ?? 'Error'), ...Object.fromEntries(kept) });
}

function readUrl(text: string) {
  const url = URL.parse(text);
  if (url === null || !/^smtps?:$/.test(url.protocol) || url.hostname === '') {
    // The URL may carry a password: it is not repeated.
    throw new FairleadError('VALIDATION_FAILED', 'SMTP_URL is not an smtp:// or smtps:// address');
  }
  const secure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (secure ? 465 : 587) : Number(url.port);
  const auth =
    url.username === '' ? null : { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  return { host, secure, port, auth };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
