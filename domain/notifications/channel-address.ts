/** The pages behind the links in mails of alerts. */
export const CONFIRM_PATH = '/alerts/confirm';
export const STOP_PATH = '/alerts/stop';

/** The address of such a page. @param monitorUrl the public address of the uptime monitor */
export function channelLink(monitorUrl: string, path: string, channelId: string, token: string): string {
  return `${monitorUrl}${path}?${new URLSearchParams({ channel: channelId, token })}`;
}

/** A link by which an address is confirmed works for so long. */
export const CONFIRM_HOURS = 24;

/**
 * Mails in a day that ask an address: of an org in all, and to one address. The first one of an org to an address is sent
 * whatever others did with it; `address` bounds the others.
 */
export const MOST_CONFIRMATIONS = { org: 20, ofOrgToAddress: 2, address: 4 } as const;

/** Mails of alerts of one org in an hour and in a day, as of its other mail: all go by one mail server, as sign-in mail does. */
export const MOST_ALERT_MAILS = { hour: 300, day: 2_000 } as const;
