import { timeAndId } from '../../../adapters/mongo/cursor.ts';
import type { VariableHistory, VariableHistoryEntry } from '../../../domain/config/variable-history.ts';
import { keepRecord } from './keep-record.ts';
import { newestFirst, pageOf } from './page-of.ts';

const BY_TIME = {
  cursor: timeAndId,
  keyOf: ({ at, id }: VariableHistoryEntry) => [at.getTime(), id] as [number, string],
  compare: newestFirst,
};

/** Who changed which variables, in this process. */
export function createInMemoryVariableHistory(): VariableHistory {
  const entries = new Map<string, VariableHistoryEntry>();
  return {
    async begin(entry) {
      if (!entries.has(entry.id)) entries.set(entry.id, keepRecord({ ...entry, made: false }));
    },
    async confirm(id) {
      const entry = entries.get(id);
      if (entry !== undefined) entries.set(id, keepRecord({ ...entry, made: true }));
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
