import { timeAndId } from '../../../adapters/mongo/cursor.ts';
import type { Grant, GrantKey } from '../../../domain/grants/grant.ts';
import type { GrantStore } from '../../../domain/grants/ports.ts';
import { keepRecord } from './keep-record.ts';
import { newestFirst, pageOf } from './page-of.ts';

const BY_TIME = {
  cursor: timeAndId,
  keyOf: ({ requestedAt, id }: Grant) => [requestedAt.getTime(), id] as [number, string],
  compare: newestFirst,
};

/** Grants in this process. */
export function createInMemoryGrantStore(): GrantStore {
  const grants = new Map<string, Grant>();
  const findFor = (key: GrantKey): Grant | null => [...grants.values()].find((grant) => isOf(grant, key)) ?? null;
  return {
    find: async (id) => grants.get(id) ?? null,
    findFor: async (key) => findFor(key),
    async insert(grant) {
      if (findFor(grant) !== null) return false;
      grants.set(grant.id, keepRecord(grant));
      return true;
    },
    async replace(grant, revision) {
      if (grants.get(grant.id)?.revision !== revision) return false;
      grants.set(grant.id, keepRecord(grant));
      return true;
    },
    list: async ({ org, status }, page) =>
      pageOf(
        [...grants.values()]
          .filter(({ holder, target }) => org === null || holder.org === org || target.org === org)
          .filter((grant) => status === undefined || grant.status === status),
        page,
        BY_TIME,
      ),
    ofService: async (id) =>
      [...grants.values()].filter(({ holder, target }) => holder.serviceId === id || target.serviceId === id),
    async remove(id) {
      grants.delete(id);
    },
  };
}

function isOf(grant: Grant, { holder, environment, target }: GrantKey): boolean {
  return (
    grant.holder.serviceId === holder.serviceId &&
    grant.environment === environment &&
    grant.target.serviceId === target.serviceId
  );
}
