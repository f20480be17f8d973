import { timeAndId } from '../../../adapters/mongo/cursor.ts';
import type { Clock } from '../../../domain/clock.ts';
import type { SealedSecret } from '../../../domain/config/sealed-secret.ts';
import type { ConnectionRemoval, GitConnection } from '../../../domain/git-hooks/connection.ts';
import { DELIVERY_KEPT_SECONDS, DIGEST_KEPT_SECONDS, type GitDelivery } from '../../../domain/git-hooks/delivery.ts';
import type {
  GitConnectionStore,
  GitDeliveryStore,
  HeadKey,
  HeadStore,
  KnownHead,
} from '../../../domain/git-hooks/ports.ts';
import { keepRecord } from './keep-record.ts';
import { newestFirst, pageOf } from './page-of.ts';

const CONNECTIONS = {
  cursor: timeAndId,
  keyOf: ({ createdAt, id }: GitConnection) => [createdAt.getTime(), id] as [number, string],
  compare: newestFirst,
};

const DELIVERIES = {
  cursor: timeAndId,
  keyOf: ({ receivedAt, id }: GitDelivery) => [receivedAt.getTime(), id] as [number, string],
  compare: newestFirst,
};

/** Connections in this process. */
export function createInMemoryGitConnectionStore(): GitConnectionStore {
  const connections = new Map<string, GitConnection>();
  const removals = new Map<string, ConnectionRemoval>();
  const findFor = ({ org, repositoryKey }: Pick<GitConnection, 'org' | 'repositoryKey'>) =>
    [...connections.values()].find((one) => one.org === org && one.repositoryKey === repositoryKey) ?? null;
  const note = (id: string, changes: Partial<GitConnection>): void => {
    const found = connections.get(id);
    if (found !== undefined) connections.set(id, keepRecord({ ...found, ...changes }));
  };
  return {
    find: async (id) => connections.get(id) ?? null,
    findFor: async (key) => findFor(key),
    async insert(connection) {
      if (findFor(connection) !== null) return false;
      connections.set(connection.id, keepRecord(connection));
      return true;
    },
    async replace(connection, revision) {
      const found = connections.get(connection.id);
      if (found?.revision !== revision) return false;
      const tokenProblem = connection.tokenProblem === null ? null : found.tokenProblem;
      const { verifiedAt, createdAt, lastDeliveryAt, refusedDeliveries, lastRefusedAt } = found;
      const kept = { verifiedAt, createdAt, tokenProblem, lastDeliveryAt, refusedDeliveries, lastRefusedAt };
      connections.set(connection.id, keepRecord({ ...connection, ...kept, revision: revision + 1 }));
      return true;
    },
    list: async ({ org }, page) =>
      pageOf(
        [...connections.values()].filter((one) => org === null || one.org === org),
        page,
        CONNECTIONS,
      ),
    remove: async (id) => connections.delete(id),
    async beginRemoval(removal) {
      if (removals.has(removal.id)) return false;
      removals.set(removal.id, keepRecord(removal));
      return true;
    },
    findRemoval: async (id) => removals.get(id) ?? null,
    listRemovals: async (before, limit) =>
      [...removals.values()]
        .filter(({ askedAt }) => askedAt < before)
        .sort((a, b) => a.askedAt.getTime() - b.askedAt.getTime())
        .slice(0, limit),
    async endRemoval(id) {
      removals.delete(id);
    },
    async verify(id, at) {
      const found = connections.get(id);
      if (found === undefined || found.verifiedAt !== null) return false;
      note(id, { verifiedAt: at, pollMinutes: null, revision: found.revision + 1 });
      return true;
    },
    async noteDeliveries(id, noted) {
      const found = connections.get(id);
      if (found === undefined) return;
      const { lastDeliveryAt: last, lastRefusedAt } = noted;
      if (last === null) {
        note(id, { refusedDeliveries: found.refusedDeliveries + noted.refusedDeliveries, lastRefusedAt });
      } else if (found.lastDeliveryAt === null || found.lastDeliveryAt <= last) note(id, noted);
    },
    async setBaseline(id, revision, at) {
      if (connections.get(id)?.revision === revision) note(id, { baselineAt: at });
    },
    async replaceSealed(id, place, { from, to }) {
      const found = connections.get(id);
      if (found === undefined) return false;
      const isFrom = (one: SealedSecret | null) => one?.keyId === from.keyId && one.sealed === from.sealed;
      const revision = found.revision + 1;
      if (place.kind === 'token') {
        if (!isFrom(found.token)) return false;
        note(id, { token: to, revision });
        return true;
      }
      if (!found.secrets.some((secret) => secret.id === place.id && isFrom(secret.sealed))) return false;
      const secrets = found.secrets.map((secret) => (secret.id === place.id ? { ...secret, sealed: to } : secret));
      note(id, { secrets, revision });
      return true;
    },
    async setTokenProblem(id, token, problem) {
      if (connections.get(id)?.token?.sealed === token.sealed) note(id, { tokenProblem: problem });
    },
  };
}

/** Deliveries in this process. */
export function createInMemoryGitDeliveryStore({ now }: { now: Clock }): GitDeliveryStore {
  const deliveries = new Map<string, GitDelivery>();
  const digests = new Map<string, Date>();
  const isOlder = (than: Date, seconds: number): boolean => now().getTime() - than.getTime() >= seconds * 1000;
  return {
    async insert(delivery) {
      if (!deliveries.has(delivery.id)) deliveries.set(delivery.id, keepRecord(delivery));
    },
    async insertSigned(unseen, digest) {
      const key = `${unseen.connectionId}/${digest}`;
      const first = digests.get(key);
      const alreadySeen = first !== undefined && !isOlder(first, DIGEST_KEPT_SECONDS);
      if (!alreadySeen) digests.set(key, unseen.receivedAt);
      const delivery = { ...unseen, alreadySeen };
      deliveries.set(delivery.id, keepRecord(delivery));
      return delivery;
    },
    find: async (id) => deliveries.get(id) ?? null,
    findMany: async (ids) => ids.flatMap((id) => deliveries.get(id) ?? []),
    list: async (connectionId, page) =>
      pageOf(
        [...deliveries.values()]
          .filter((one) => one.connectionId === connectionId)
          .filter(({ receivedAt }) => !isOlder(receivedAt, DELIVERY_KEPT_SECONDS)),
        page,
        DELIVERIES,
      ),
    listWaiting: async ({ from, to }, limit) =>
      [...deliveries.values()]
        .filter(({ state, receivedAt: at }) => state === 'waiting' && at >= from && at < to)
        .toSorted((a, b) => a.receivedAt.getTime() - b.receivedAt.getTime())
        .slice(0, limit),
    async decide(ids, outcomes) {
      for (const id of ids) {
        const found = deliveries.get(id);
        if (found === undefined) continue;
        const known = new Set(found.outcomes.map((one) => JSON.stringify(one)));
        const added = outcomes.filter((one) => !known.has(JSON.stringify(one)));
        deliveries.set(id, keepRecord({ ...found, state: 'decided', outcomes: [...found.outcomes, ...added] }));
      }
    },
    async removeAll(connectionId) {
      for (const [id, one] of deliveries) if (one.connectionId === connectionId) deliveries.delete(id);
      for (const key of digests.keys()) if (key.startsWith(`${connectionId}/`)) digests.delete(key);
    },
  };
}

/** Known heads in this process. */
export function createInMemoryHeadStore(): HeadStore {
  const heads = new Map<string, HeadKey & KnownHead>();
  const idOf = ({ connectionId, serviceId, environment, ref }: HeadKey): string =>
    `${connectionId}/${serviceId}/${environment}/${ref}`;
  return {
    find: async (key) => heads.get(idOf(key)) ?? null,
    list: async (connectionId) => [...heads.values()].filter((one) => one.connectionId === connectionId),
    async set({ connectionId, serviceId, environment, ref }, { seen, built }, from) {
      const key = { connectionId, serviceId, environment, ref };
      if (from !== undefined && (heads.get(idOf(key))?.seen ?? null) !== from) return;
      heads.set(idOf(key), keepRecord({ ...key, seen, built: built ?? heads.get(idOf(key))?.built ?? null }));
    },
    async removeAll(connectionId) {
      for (const [id, one] of heads) if (one.connectionId === connectionId) heads.delete(id);
    },
  };
}
