import { FairleadError } from '../../domain/errors.ts';
import { MOST_ALERT_MAILS } from '../../domain/notifications/channel-address.ts';
import type { MailCounts } from '../../domain/notifications/ports.ts';

/** Counts one mail of an org. @throws UNAVAILABLE (retryable, in some minutes) for one that is too many */
export type TakeMail = (org: string | null) => Promise<void>;

/** Mail of the operators, whose org is null, is not counted. */
export function createTakeMail(counts: MailCounts, now: () => Date): TakeMail {
  return async (org) => {
    if (org === null) return;
    const hour = now().toISOString().slice(0, 13);
    const day = hour.slice(0, 10);
    const hasRoom =
      (await counts.take(`alerts/${org}/${hour}`, day, MOST_ALERT_MAILS.hour)) &&
      (await counts.take(`alerts/${org}`, day, MOST_ALERT_MAILS.day));
    if (hasRoom) return;
    const most = `${MOST_ALERT_MAILS.hour} mails of alerts in an hour, or ${MOST_ALERT_MAILS.day} in a day`;
    const details = { retryAfterSeconds: 300 + Math.random() * 600 };
    throw new FairleadError('UNAVAILABLE', `${org} has had its ${most}: this one waits`, { retryable: true, details });
  };
}
