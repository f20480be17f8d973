import { z } from 'zod';
import { isSameLogin } from '../../../domain/databases/claim-database.ts';
import type { DatabaseRecords } from '../../../domain/databases/ports.ts';
import type { DatabaseRecord, StoredLogin } from '../../../domain/databases/record.ts';
import { isBeingRotated } from '../../../domain/databases/rotation.ts';
import { keepRecord } from './keep-record.ts';
import { byText, pageOf } from './page-of.ts';

const BY_ID = {
  cursor: z.tuple([z.string()]),
  keyOf: ({ id }: DatabaseRecord): [string] => [id],
  compare: byText,
};

const BY_LOGIN_AGE = {
  cursor: z.tuple([z.number(), z.string()]),
  keyOf: ({ id, login }: DatabaseRecord): [number, string] => [login.issuedAt.getTime(), id],
  compare: (a: readonly [number, string], b: readonly [number, string]) => a[0] - b[0] || byText([a[1]], [b[1]]),
};

/** Records of databases in this process. */
export function createInMemoryDatabaseRecords(): DatabaseRecords {
  const records = new Map<string, DatabaseRecord>();
  const change = (
    id: string,
    isMeant: (record: DatabaseRecord) => boolean,
    fields: (record: DatabaseRecord) => Partial<DatabaseRecord>,
  ): boolean => {
    const record = records.get(id);
    if (record === undefined || !isMeant(record)) return false;
    records.set(id, keepRecord({ ...record, ...fields(record) }));
    return true;
  };
  const isNext = (record: DatabaseRecord, next: StoredLogin): boolean =>
    record.next !== null && isSameLogin(record.next, next);
  return {
    async claim(record) {
      const stored = records.get(record.id) ?? keepRecord(record);
      records.set(record.id, stored);
      return stored;
    },
    find: async (id) => records.get(id) ?? null,
    ofService: async (serviceId) => [...records.values()].filter((record) => record.serviceId === serviceId),
    consumersOf: async (serviceId) => [...records.values()].filter(({ consumes }) => consumes?.serviceId === serviceId),
    earlierServiceIds: async (serviceIds) => {
      const theirs = [...records.values()].filter(({ serviceId }) => serviceIds.includes(serviceId));
      return [...new Set(theirs.flatMap((record) => record.earlierServiceIds))];
    },
    adopt: async (id, from, { serviceId, org }) =>
      change(
        id,
        (record) => record.state === 'kept' && record.serviceId === from,
        ({ earlierServiceIds: earlier }) => ({
          ...{ state: 'active', dropAfter: null, keptBytes: null, serviceId, org },
          earlierServiceIds: [...new Set([...earlier, from])],
        }),
      ),
    keep: async (id, serviceId, dropAfter, given) =>
      change(
        id,
        (record) =>
          record.state === 'active' &&
          record.serviceId === serviceId &&
          (given === undefined || record.given === given),
        () => ({ state: 'kept', dropAfter }),
      ),
    async give(id) {
      const isActive = change(
        id,
        ({ state }) => state === 'active',
        ({ given }) => ({ given: given + 1 }),
      );
      return isActive ? (records.get(id) ?? null) : null;
    },
    async noteKeptBytes(id, keptBytes) {
      change(
        id,
        ({ state }) => state === 'kept',
        () => ({ keptBytes }),
      );
    },
    keepLonger: async (id, dropAfter, until) =>
      change(
        id,
        (record) => record.state === 'kept' && record.dropAfter?.getTime() === dropAfter.getTime(),
        () => ({ dropAfter: until }),
      ),
    startDropping: async (id, dropAfter) =>
      change(
        id,
        (record) => record.state !== 'active' && record.dropAfter?.getTime() === dropAfter.getTime(),
        () => ({ state: 'dropping' }),
      ),
    async removeDropped(id, dropAfter) {
      const record = records.get(id);
      if (record?.state === 'dropping' && record.dropAfter?.getTime() === dropAfter.getTime()) records.delete(id);
    },
    reseal: async (id, place, from, to) =>
      change(
        id,
        (record) => {
          const stored = record[place];
          return stored !== null && isSameLogin(stored, from);
        },
        () => ({ [place]: to }),
      ),
    async noteWait(id, waits) {
      change(id, isBeingRotated, () => ({ waits }));
    },
    replaceLogin: async (id, from, to) =>
      change(
        id,
        ({ login }) => isSameLogin(login, from),
        () => ({ login: to }),
      ),
    prepareLogin: async (id, seen, next) =>
      change(
        id,
        (record) =>
          record.state === 'active' &&
          record.next === null &&
          record.retiring === null &&
          isSameLogin(record.login, seen),
        () => ({ next, waits: null }),
      ),
    async dropPrepared(id, next) {
      change(
        id,
        (record) => isNext(record, next),
        () => ({ next: null, waits: null }),
      );
    },
    promoteLogin: async (id, next) =>
      change(
        id,
        (record) => isNext(record, next),
        ({ login }) => ({ login: next, next: null, retiring: login.user, retired: login, mark: null, waits: null }),
      ),
    async noteMark(id, current, mark) {
      change(
        id,
        ({ login, retiring, mark: noted }) => retiring !== null && noted === null && isSameLogin(login, current),
        () => ({ mark }),
      );
    },
    async endRetiring(id, current, user) {
      change(
        id,
        ({ login, retiring }) => retiring === user && isSameLogin(login, current),
        () => ({ retiring: null, retired: null, mark: null, waits: null }),
      );
    },
    usedEngines: async () => [...new Set([...records.values()].map(({ engine }) => engine))],
    list: async (page) => pageOf(records.values(), page, BY_ID),
    listKept: async (org, page) => {
      const kept = [...records.values()].filter((record) => {
        return record.state !== 'active' && record.consumes === null && (org === null || record.org === org);
      });
      return pageOf(kept, page, BY_ID);
    },
    listByLoginAge: async (page) => {
      const active = [...records.values()].filter(({ state }) => state === 'active');
      return pageOf(active, page, BY_LOGIN_AGE);
    },
  };
}
