import { CONFIRM_HOURS } from './channel-address.ts';
import type { Notification } from './notification.ts';
import { pageAudience } from './page-audience.ts';
import type { SubscribeRequest } from './subscriber.ts';

/** The notice that asks whether an address wants updates. The sender adds its link. @param title what the page is called */
export function subscribeNotice({ id, org, at }: Omit<SubscribeRequest, 'address'>, title: string): Notification {
  return {
    ...{ id: `subscribe/${id}`, kind: 'subscriber.confirm', org: pageAudience(org), at, data: {} },
    subject: `Do you want updates of ${title}?`,
    text: [
      `Somebody has asked for updates of ${title} at this address. They come once you confirm it, within ${CONFIRM_HOURS} hours.`,
      'If it was not you, ignore this mail: nothing else comes.',
    ].join('\n'),
  };
}
