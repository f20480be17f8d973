/** The pages behind the links in mails of alerts. */
export const CONFIRM_PATH = '/alerts/confirm';
export const STOP_PATH = '/alerts/stop';

/** The address of such a page. @param monitorUrl the public address of the uptime monitor */
export function channelLink(monitorUrl: string, path: string, channelId: string, token: string): string {
  return `${monitorUrl}${path}?${new URLSearchParams({ channel: channelId, token })}`;
}

/** A link by which an address is confirmed works for so long. */
export const CONFIRM_HOURS = 24;

/** In a day: an address of somebody, whoever names it, and an org. */
export const MOST_CONFIRMATIONS = { address: 3, org: 20 } as const;
