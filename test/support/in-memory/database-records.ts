import { z } from 'zod';
import { isSameLogin } from '../../../domain/databases/claim-database.ts';
import type { DatabaseRecords } from '../../../domain/databases/ports.ts';
import type { DatabaseRecord, StoredLogin } from '../../../domain/databases/record.ts';
import { keepRecord } from './keep-record.ts';
import { byText, pageOf } from './page-of.ts';

const BY_ID = {
  cursor: z.tuple([z.string()]),
  keyOf: ({ id }: DatabaseRecord): [string] => [id],
  compare: byText,
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
          ...{ state: 'active', dropAfter: null, serviceId, org },
          earlierServiceIds: [...new Set([...earlier, from])],
        }),
      ),
    keep: async (id, serviceId, dropAfter) =>
      change(
        id,
        (record) => record.state === 'active' && record.serviceId === serviceId,
        () => ({ state: 'kept', dropAfter }),
      ),
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
    async removeDropped(id) {
      if (records.get(id)?.state === 'dropping') records.delete(id);
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
        () => ({ next }),
      ),
    async dropPrepared(id, next) {
      change(
        id,
        (record) => isNext(record, next),
        () => ({ next: null }),
      );
    },
    promoteLogin: async (id, next) =>
      change(
        id,
        (record) => isNext(record, next),
        ({ login }) => ({ login: next, next: null, retiring: login.user, retired: login, mark: null }),
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
        () => ({ retiring: null, retired: null, mark: null }),
      );
    },
    usedEngines: async () => [...new Set([...records.values()].map(({ engine }) => engine))],
    list: async (page) => pageOf(records.values(), page, BY_ID),
  };
}
