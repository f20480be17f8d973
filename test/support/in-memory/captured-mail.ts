import { checkRecipient } from '../../../adapters/mail/check-recipient.ts';
import type { Clock } from '../../../domain/clock.ts';
import type { CapturedMail, Mail } from '../../../domain/identity/mail.ts';
import type { MailSender } from '../../../domain/identity/ports.ts';

export interface CapturedMails {
  readonly sender: MailSender;
  /** Every mail that was taken, oldest first; one that is handed over twice is here twice. */
  readonly mailbox: Mail[];
  /** Recipients that were refused, as a mail server refuses them. */
  readonly refused: string[];
}

/** A mail sender in memory that refuses what the real ones refuse; it passes their suite. */
export function captureMail(now: Clock): CapturedMails {
  const mailbox: Mail[] = [];
  const refused: string[] = [];
  const captured: CapturedMail[] = [];
  const sender: MailSender = {
    async send(mail) {
      try {
        checkRecipient(mail.to);
      } catch (error) {
        refused.push(mail.to);
        throw error;
      }
      mailbox.push(mail);
      captured.unshift({ ...mail, capturedAt: now() });
    },
    outbox: {
      list: async (limit) => captured.slice(0, limit),
      find: async (id) => captured.find((mail) => mail.id === id) ?? null,
    },
  };
  return { sender, mailbox, refused };
}
