import { timeAndId } from '../../../adapters/mongo/cursor.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { Channel, Delivery } from '../../../domain/notifications/notification.ts';
import { type ChannelStore, type DeliveryStore, MOST_CHANNELS } from '../../../domain/notifications/ports.ts';
import { keepRecord } from './keep-record.ts';
import { byText, newestFirst, pageOf } from './page-of.ts';

/** Channels in memory. */
export function createMemoryChannels(): ChannelStore {
  const channels = new Map<string, Channel>();
  const ofOrg = (org: string | null) => [...channels.values()].filter((channel) => channel.org === org);
  return {
    find: async (id) => channels.get(id) ?? null,
    list: async (org) => ofOrg(org).sort((a, b) => byText([a.id], [b.id])),
    async insert(channel) {
      if (ofOrg(channel.org).length >= MOST_CHANNELS) {
        throw new FairleadError('CONFLICT', `There are ${MOST_CHANNELS} channels already: remove one first.`);
      }
      channels.set(channel.id, keepRecord({ ...channel }));
    },
    async remove(id) {
      channels.delete(id);
    },
  };
}

const ORDER = {
  cursor: timeAndId,
  keyOf: ({ createdAt, id }: Delivery) => [createdAt.getTime(), id] as [number, string],
  compare: newestFirst,
};

/** Deliveries in memory. */
export function createMemoryDeliveries(): DeliveryStore {
  const deliveries = new Map<string, Delivery>();
  return {
    find: async (id) => deliveries.get(id) ?? null,
    async insert(delivery) {
      if (!deliveries.has(delivery.id)) deliveries.set(delivery.id, keepRecord({ ...delivery }));
    },
    async note(id, change) {
      const known = deliveries.get(id);
      if (known !== undefined) deliveries.set(id, keepRecord({ ...known, ...change }));
    },
    async list({ org, state }, page) {
      const asked = [...deliveries.values()].filter((each) => each.org === org && each.state === state);
      return pageOf(asked, page, ORDER);
    },
  };
}
