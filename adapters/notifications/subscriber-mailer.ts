import { FairleadError } from '../../domain/errors.ts';
import {
  SUBSCRIBER_CONFIRM_PATH,
  SUBSCRIBER_STOP_PATH,
  subscriberLink,
} from '../../domain/notifications/page-audience.ts';
import type { ChannelLinks } from '../../domain/notifications/ports.ts';
import { isOpen, type Subscriber } from '../../domain/notifications/subscriber.ts';
import type { SubscriberMailer } from '../../domain/notifications/subscriber-ports.ts';
import type { SmtpSender } from '../mail/smtp-sender.ts';
import { messageId, noticeMail } from './notice-mail.ts';

export interface SubscriberMailerDeps {
  /** Connections that alerts do not use; null without a mail server. */
  readonly mail: Pick<SmtpSender, 'send'> | null;
  readonly links: Pick<ChannelLinks, 'confirmToken' | 'stopToken'>;
  /** Public address of the status page, where links in mails lead. */
  readonly pageUrl: string;
  readonly now: () => Date;
  /** Shown as the sender of mail. */
  readonly platformName: string;
}

/** Mails subscribers one by one: nobody sees who else is one, and each mail has a link of its own that ends it. @throws as {@link SubscriberMailer} */
export function createSubscriberMailer(deps: SubscriberMailerDeps): SubscriberMailer {
  const { links, now, pageUrl, platformName: fromName } = deps;
  const mail = () => {
    if (deps.mail !== null) return deps.mail;
    throw new FairleadError('UNAVAILABLE', 'No mail is sent: set SMTP_URL for the worker', { retryable: true });
  };
  return {
    async ask(subscriber, { id, notification: { subject, text } }, signal) {
      const url = subscriberLink(
        pageUrl,
        SUBSCRIBER_CONFIRM_PATH,
        subscriber.id,
        confirmToken(deps, subscriber, now()),
      );
      const link = { label: 'Confirm', url };
      await mail().send(
        noticeMail({ id: messageId(id), to: subscriber.address, fromName, subject, text, link, isStop: false }),
        signal,
      );
    },
    async tell({ id, address: to }, { notification }, signal) {
      const { subject, text } = notification;
      const url = subscriberLink(pageUrl, SUBSCRIBER_STOP_PATH, id, links.stopToken(id));
      const link = { label: 'Unsubscribe', url };
      const sent = messageId(`${notification.id}/${id}`);
      await mail().send(noticeMail({ id: sent, to, fromName, subject, text, link, isStop: true }), signal);
    },
  };
}

/** The record has the hash of the token alone: it is made anew for each attempt, and is the same. @throws LINK_INVALID */
function confirmToken({ links }: SubscriberMailerDeps, { id, confirmation }: Subscriber, at: Date): string {
  const token = isOpen(confirmation, at) ? links.confirmToken(id, confirmation) : null;
  if (token !== null) return token;
  throw new FairleadError('LINK_INVALID', 'The link of this mail works no more: whoever wants it asks again');
}
