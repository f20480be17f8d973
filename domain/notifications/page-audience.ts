/**
 * Who reads a status page by mail is told like an org: notices are put into the one outbox under a name that no org has, are
 * gathered there, and go to one audience, which is all subscribers of the page.
 */
const PAGE = '~page/';

/** The name under which the readers of the status page of an org are told. */
export const pageAudience = (org: string): string => PAGE + org;

/** The org whose page that is; null for an org, and for the operators. */
export function orgOfPage(told: string | null): string | null {
  return told?.startsWith(PAGE) === true ? told.slice(PAGE.length) : null;
}

/** The org that a delivery is for, or whose page; null: the operators. */
export const ownerOf = ({ org }: { readonly org: string | null }): string | null => orgOfPage(org) ?? org;

/** In the place of a channel. */
export const SUBSCRIBERS = 'subscribers';

/** The pages behind the links in mails to subscribers. */
export const SUBSCRIBER_CONFIRM_PATH = '/subscribers/confirm';
export const SUBSCRIBER_STOP_PATH = '/subscribers/stop';

/** The address of such a page. @param pageUrl the public address of the installation's status page */
export function subscriberLink(pageUrl: string, path: string, subscriberId: string, token: string): string {
  return `${pageUrl}${path}?${new URLSearchParams({ subscriber: subscriberId, token })}`;
}

/** Of one page. A few more where many confirm at one moment. */
export const MOST_SUBSCRIBERS = 5_000;

/** Requests to subscribe in an hour: of one client (IPv6: one network of 64 bits), to one page, and in all. */
export const MOST_REQUESTS = { client: 10, page: 200, all: 1_000 } as const;

/** Notices that the subscribers of one page are mailed in an hour; what is more waits. */
export const MOST_TOLD_IN_HOUR = 30;

/**
 * Mails to subscribers of one page in an hour and in a day: two notices an hour to as many as there may be. All go by one mail server, as
 * sign-in mail does; what is more waits.
 */
export const MOST_PAGE_MAILS = { hour: 10_000, day: 40_000 } as const;

/** For so many days it is known whom a delivery to a page has mailed; the records are kept for a day more. */
export const MAILED_KNOWN_DAYS = 6;

/** Whether a delivery may still be made, and mails nobody twice. */
export function isMailingKnown(
  { org, createdAt }: { readonly org: string | null; readonly createdAt: Date },
  at: Date,
): boolean {
  return orgOfPage(org) === null || at.getTime() - createdAt.getTime() < MAILED_KNOWN_DAYS * 86_400_000;
}

/** Subscribers that one delivery mails. */
export const MOST_IN_BATCH = 50;
