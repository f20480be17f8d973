import { timeAndId } from '../../../adapters/mongo/cursor.ts';
import type { Incident } from '../../../domain/incidents/incident.ts';
import type { IncidentStore } from '../../../domain/incidents/ports.ts';
import { keepRecord } from './keep-record.ts';
import { newestFirst, pageOf } from './page-of.ts';

const ORDER = {
  cursor: timeAndId,
  keyOf: ({ startedAt, id }: Incident) => [startedAt.getTime(), id] as [number, string],
  compare: newestFirst,
};

/** Incidents in memory. */
export function createMemoryIncidents(): IncidentStore {
  const incidents = new Map<string, Incident>();
  const begun = new Set<string>();
  return {
    find: async (id) => incidents.get(id) ?? null,
    async list({ org, open, monitorId, publicOnly }, page, part) {
      const asked = [...incidents.values()].filter(
        (incident) =>
          (org === null || incident.org === org) &&
          (open === undefined || (incident.resolvedAt === null) === open) &&
          (monitorId === undefined || incident.monitorId === monitorId) &&
          (publicOnly !== true || incident.isPublic),
      );
      const found = pageOf(asked, page, ORDER);
      if (part === undefined) return found;
      const items = found.items.map(({ updates, ...facts }) => ({
        ...facts,
        updates: updates.slice(-part.newestUpdates),
      }));
      return { ...found, items };
    },
    async announce(list) {
      for (const each of list) if (!incidents.has(each.id)) incidents.set(each.id, keepRecord({ ...each }));
      return list.map((each) => incidents.get(each.id) ?? each);
    },
    isBegun: async (id) => begun.has(id),
    async insert(incident) {
      begun.add(incident.id);
      if (!incidents.has(incident.id)) incidents.set(incident.id, keepRecord({ ...incident }));
    },
    async put(incident) {
      begun.add(incident.id);
      const known = incidents.get(incident.id);
      if (known === undefined || known.changes < incident.changes) {
        incidents.set(incident.id, keepRecord({ ...incident }));
      }
    },
  };
}
