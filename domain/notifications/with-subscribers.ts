import { orgOfPage, SUBSCRIBERS } from './page-audience.ts';
import type { AudienceList, ChannelStore } from './ports.ts';
import type { SubscriberStore } from './subscriber-ports.ts';

/** Channels of orgs; of a status page, its subscribers as one, where it has any. */
export function withSubscribers(
  channels: Pick<ChannelStore, 'list'>,
  subscribers: Pick<SubscriberStore, 'count'>,
): AudienceList {
  return {
    async list(told) {
      const page = orgOfPage(told);
      if (page === null) return await channels.list(told);
      return (await subscribers.count(page, 1)) === 0 ? [] : [{ id: SUBSCRIBERS, org: told, state: 'active' }];
    },
  };
}
