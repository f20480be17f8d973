import { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { PropertyStore } from '../../../domain/properties/ports.ts';
import { type Property, statusOf } from '../../../domain/properties/property.ts';
import { keepRecord } from './keep-record.ts';
import { byText, pageOf } from './page-of.ts';

const BY_DOMAIN = {
  cursor: z.tuple([z.string().max(253)]),
  keyOf: ({ domain }: Property) => [domain] as [string],
  compare: byText,
};

/** Properties in this process. */
export function createInMemoryPropertyStore(): PropertyStore {
  const properties = new Map<string, Property>();
  return {
    find: async (domain) => properties.get(domain) ?? null,
    async list({ status, family, role, source }, { limit, offset }) {
      const matching = [...properties.values()]
        .filter((one) => status === undefined || statusOf(one) === status)
        .filter((one) => family === undefined || one.family === family)
        .filter((one) => role === undefined || one.role === role)
        .filter((one) => source === undefined || one.source?.kind === source)
        .sort((a, b) => byText([a.domain], [b.domain]));
      return { items: matching.slice(offset, offset + limit), total: matching.length };
    },
    listAll: async (page) => pageOf(properties.values(), page, BY_DOMAIN),
    async insert(property) {
      if (properties.has(property.domain)) return false;
      properties.set(property.domain, keepRecord(property));
      return true;
    },
    async replace(property) {
      if (properties.get(property.domain)?.revision !== property.revision - 1) {
        throw new FairleadError('CONFLICT', 'Another request is changing it', { retryable: true });
      }
      properties.set(property.domain, keepRecord(property));
    },
  };
}
