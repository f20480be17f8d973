import { FairleadError } from '../../domain/errors.ts';
import { MOST_ALERT_MAILS } from '../../domain/notifications/channel-address.ts';
import type { MailCounts } from '../../domain/notifications/ports.ts';

/**
 * Counts one mail of an org. @returns what gives it back where the mail server took nothing: while that is away, attempts
 * use up nothing @throws UNAVAILABLE (retryable, in some minutes) for one that is too many
 */
export type TakeMail = (org: string | null) => Promise<() => Promise<void>>;

/** Mail of the operators, whose org is null, is not counted. */
export function createTakeMail(counts: MailCounts, now: () => Date): TakeMail {
  return async (org) => {
    if (org === null) return async () => undefined;
    const hour = now().toISOString().slice(0, 13);
    const day = hour.slice(0, 10);
    const limits = [
      { key: `alerts/${org}/${hour}`, most: MOST_ALERT_MAILS.hour },
      { key: `alerts/${org}`, most: MOST_ALERT_MAILS.day },
    ];
    const taken: string[] = [];
    const giveBack = async (): Promise<void> => {
      for (const key of taken) await counts.giveBack(key, day);
    };
    for (const { key, most } of limits) {
      if (await counts.take(key, day, most)) {
        taken.push(key);
        continue;
      }
      await giveBack();
      throw tooMany(org);
    }
    return giveBack;
  };
}

function tooMany(org: string): FairleadError {
  const most = `${MOST_ALERT_MAILS.hour} mails of alerts in an hour, or ${MOST_ALERT_MAILS.day} in a day`;
  const details = { retryAfterSeconds: 300 + Math.random() * 600 };
  return new FairleadError('UNAVAILABLE', `${org} has had its ${most}: this one waits`, { retryable: true, details });
}
