import { timeAndId } from '../../../adapters/mongo/cursor.ts';
import type { SharingHistory, SharingHistoryEntry } from '../../../domain/authorized-orgs/ports.ts';
import { keepRecord } from './keep-record.ts';
import { newestFirst, pageOf } from './page-of.ts';

const BY_TIME = {
  cursor: timeAndId,
  keyOf: ({ at, id }: SharingHistoryEntry) => [at.getTime(), id] as [number, string],
  compare: newestFirst,
};

/** Who let which org share a service, in this process. */
export function createInMemorySharingHistory(): SharingHistory {
  const entries = new Map<string, SharingHistoryEntry>();
  return {
    async add(entry) {
      if (!entries.has(entry.id)) entries.set(entry.id, keepRecord(entry));
    },
    list: async (serviceId, page) =>
      pageOf(
        [...entries.values()].filter((entry) => entry.serviceId === serviceId),
        page,
        BY_TIME,
      ),
    async removeService(serviceId) {
      for (const entry of entries.values()) if (entry.serviceId === serviceId) entries.delete(entry.id);
    },
  };
}
