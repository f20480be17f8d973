import { FairleadError } from '../../domain/errors.ts';
import { MOST_ALERT_MAILS } from '../../domain/notifications/channel-address.ts';
import { MOST_PAGE_MAILS } from '../../domain/notifications/page-audience.ts';
import type { MailCounts } from '../../domain/notifications/ports.ts';

/** What an org may have mailed: one row a kind of mail, each counted for itself. */
const BUDGETS = {
  alerts: { most: MOST_ALERT_MAILS, title: 'mails of alerts' },
  'page-mails': { most: MOST_PAGE_MAILS, title: 'mails to subscribers of its status page' },
} as const;
export type MailBudget = keyof typeof BUDGETS;

/**
 * Counts one mail of an org. @returns what gives it back where the mail server took nothing: while that is away, attempts
 * use up nothing @throws UNAVAILABLE (retryable, in some minutes) for one that is too many
 */
export type TakeMail = (org: string | null) => Promise<() => Promise<void>>;

/** Mail of the operators, whose org is null, is not counted. */
export function createTakeMail(counts: MailCounts, now: () => Date, budget: MailBudget): TakeMail {
  const { most } = BUDGETS[budget];
  return async (org) => {
    if (org === null) return async () => undefined;
    const hour = now().toISOString().slice(0, 13);
    const day = hour.slice(0, 10);
    const limits = [
      { key: `${budget}/${org}/${hour}`, most: most.hour },
      { key: `${budget}/${org}`, most: most.day },
    ];
    const taken: string[] = [];
    const giveBack = async (): Promise<void> => {
      for (const key of taken) await counts.giveBack(key, day);
    };
    for (const limit of limits) {
      if (await counts.take(limit.key, day, limit.most)) {
        taken.push(limit.key);
        continue;
      }
      await giveBack();
      throw tooMany(org, budget);
    }
    return giveBack;
  };
}

function tooMany(org: string, budget: MailBudget): FairleadError {
  const { most, title } = BUDGETS[budget];
  return inMinutes(`${org} has had its ${most.hour} ${title} in an hour, or ${most.day} in a day: this one waits`);
}

/** Of what waits for its hour. */
export function inMinutes(message: string): FairleadError {
  const details = { retryAfterSeconds: 300 + Math.random() * 600 };
  return new FairleadError('UNAVAILABLE', message, { retryable: true, details });
}
