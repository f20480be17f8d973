import type { Channel, Notification } from './notification.ts';

/** What the other channels are told of one that the reader of its mails has stopped: whoever a mail was passed on to can do that. */
export function stoppedNotice({ id, org, target }: Pick<Channel, 'id' | 'org' | 'target'>, at: Date): Notification {
  const where = target.kind === 'mail' ? target.to : `the channel ${id}`;
  return {
    ...{ id: `channel-stopped/${id}`, kind: 'channel.stopped', org, at, data: { channelId: id } },
    subject: `Alerts to ${where} were stopped`,
    text: [
      `Whoever reads ${where} has stopped the alerts there, by the link in a mail. Nothing is told there any more.`,
      'To be told there again, remove the channel and add it anew.',
    ].join('\n'),
  };
}
