import type { alarmsSection } from '../adapters/env/alarms.ts';
import type { ReadSection } from '../adapters/env.ts';
import type { SmtpSender } from '../adapters/mail/smtp-sender.ts';
import type { RaiseAlarm } from '../domain/backups/ports.ts';
import { FairleadError } from '../domain/errors.ts';
import type { WorkerParts } from './module.ts';

type Own = WorkerParts<ReadSection<typeof alarmsSection>>;
type Parts = Pick<Own, 'env' | 'opened'> & { readonly logger: Pick<Own['logger'], 'warn' | 'error'> };

/**
 * A line of the log, which operators of an installation without mail read, and a mail where there is somebody to write to. The
 * line is the alarm: a mail that is refused for good, such as for its address or the password, is a line more, and nothing that
 * raises an alarm fails by it.
 */
export async function composeAlarms({ env, logger, opened }: Parts): Promise<RaiseAlarm> {
  const to = env.PLATFORM_ALERT_EMAIL;
  const mail = to === undefined ? null : await openMail(env, opened);
  if (to !== undefined && mail === null) {
    logger.warn('alarms are lines of this log alone: PLATFORM_ALERT_EMAIL is set, and SMTP_URL is not');
  }
  return async ({ id, subject, text: message }) => {
    logger.error({ alarm: id, message }, subject);
    if (to === undefined || mail === null) return;
    const html = `<pre>${escapeHtml(message)}</pre>`;
    try {
      await mail.send({ id, to, fromName: 'Fairlead', subject, text: message, html });
    } catch (error) {
      if (!(error instanceof FairleadError) || error.retryable) throw error;
      logger.error({ alarm: id, err: error }, 'the mail of this alarm was refused for good, and nobody got it');
    }
  };
}

/** Loads what sends mail only where there is a server for it, because of its memory. */
async function openMail(env: Parts['env'], opened: Parts['opened']): Promise<SmtpSender | null> {
  const { SMTP_URL: url, MAIL_FROM: from, SMTP_ALLOW_PLAINTEXT: allowPlaintext } = env;
  if (url === undefined) return null;
  const { createSmtpSender } = await import('../adapters/mail/smtp-sender.ts');
  return opened.adopt(createSmtpSender({ url, from, allowPlaintext }), (sender) => sender.close());
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
