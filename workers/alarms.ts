import type { alarmsSection } from '../adapters/env/alarms.ts';
import type { ReadSection } from '../adapters/env.ts';
import { createSmtpSender } from '../adapters/mail/smtp-sender.ts';
import type { RaiseAlarm } from '../domain/backups/ports.ts';
import type { WorkerParts } from './module.ts';

type Parts = Pick<WorkerParts<ReadSection<typeof alarmsSection>>, 'env' | 'logger' | 'opened'>;

/** A line of the log, which operators of an installation without mail read, and a mail where there is somebody to write to. */
export function composeAlarms({ env, logger, opened }: Parts): RaiseAlarm {
  const { PLATFORM_ALERT_EMAIL: to, SMTP_URL: url, MAIL_FROM: from, SMTP_ALLOW_PLAINTEXT: allowPlaintext } = env;
  const mail =
    to === undefined || url === undefined
      ? null
      : opened.adopt(createSmtpSender({ url, from, allowPlaintext }), (sender) => sender.close());
  return async ({ id, subject, text: message }) => {
    logger.error({ alarm: id, message }, subject);
    if (to === undefined) return;
    await mail?.send({
      id,
      to,
      fromName: 'Fairlead',
      subject,
      text: message,
      html: `<pre>${escapeHtml(message)}</pre>`,
    });
  };
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
