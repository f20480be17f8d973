import { CONFIRM_HOURS } from './channel-address.ts';
import type { Channel, Confirmation, Notification } from './notification.ts';

/** The notice that asks whether an address wants mail. The sender adds its link: what is on record opens nothing. @param isMuted no mail is sent: the address had as many */
export function confirmNotice(
  { id, org }: Pick<Channel, 'id' | 'org'>,
  { nonce }: Confirmation,
  { at, platformName, isMuted }: { readonly at: Date; readonly platformName: string; readonly isMuted: boolean },
): Notification {
  const who = org === null ? `The operators of ${platformName}` : `The org ${org} at ${platformName}`;
  return {
    ...{ id: `confirm/${nonce}`, kind: 'channel.confirm', org, at, data: { channelId: id, isMuted } },
    subject: `Do you want alerts of ${org ?? platformName}?`,
    text: [
      `${who} wants to tell this address of outages. It does so once you confirm it, within ${CONFIRM_HOURS} hours.`,
      'If you do not know what this is, ignore this mail: nothing else comes.',
    ].join('\n'),
  };
}
