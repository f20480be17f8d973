import { z } from 'zod';
import { timeAndId } from '../../../adapters/mongo/cursor.ts';
import type { OrgTakenOut, SharingHistory, SharingHistoryEntry } from '../../../domain/authorized-orgs/ports.ts';
import { keepRecord } from './keep-record.ts';
import { byText, newestFirst, pageOf } from './page-of.ts';

const BY_TIME = {
  cursor: timeAndId,
  keyOf: ({ at, id }: SharingHistoryEntry) => [at.getTime(), id] as [number, string],
  compare: newestFirst,
};

const BY_ID = {
  cursor: z.tuple([z.string()]),
  keyOf: ({ id }: { readonly id: string }) => [id] as [string],
  compare: byText,
};

/** Who let which org share a service, in this process. */
export function createInMemorySharingHistory(): SharingHistory {
  const entries = new Map<string, SharingHistoryEntry>();
  const unfinished = new Map<string, OrgTakenOut>();
  return {
    async add(entry, takenOut) {
      const { id, serviceId, org } = entry;
      if (entries.has(id)) return;
      entries.set(id, keepRecord(entry));
      if (takenOut !== undefined) unfinished.set(id, { serviceId, org, takenOut });
    },
    async listUnfinished(page) {
      const found = pageOf(
        [...unfinished].map(([id, of]) => ({ id, of })),
        page,
        BY_ID,
      );
      return { ...found, items: found.items.map(({ of }) => of) };
    },
    async finish({ serviceId, org, takenOut }) {
      for (const [id, of] of unfinished)
        if (of.serviceId === serviceId && of.org === org && of.takenOut <= takenOut) unfinished.delete(id);
    },
    list: async (serviceId, page) =>
      pageOf(
        [...entries.values()].filter((entry) => entry.serviceId === serviceId),
        page,
        BY_TIME,
      ),
    async removeService(serviceId) {
      for (const { id, serviceId: of } of entries.values()) {
        if (of !== serviceId) continue;
        entries.delete(id);
        unfinished.delete(id);
      }
    },
  };
}
