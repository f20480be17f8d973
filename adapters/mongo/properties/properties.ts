import type { Collection, Db, Filter } from 'mongodb';
import { FairleadError } from '../../../domain/errors.ts';
import type { PropertyFilter, PropertyStore } from '../../../domain/properties/ports.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { pageById } from '../page-by-id.ts';
import { COLLECTIONS } from './indexes.ts';
import { type PropertyDocument, propertyFields, readProperty } from './property-document.ts';

/** RFC 1035 allows a domain so many characters. */
const LONGEST_DOMAIN = 253;

/** Properties in MongoDB: one document each, whose id is the domain. */
export function createPropertyStore({ db }: { readonly db: Db }): PropertyStore {
  const collection: Collection<PropertyDocument> = db.collection(COLLECTIONS.properties);
  return {
    async find(domain) {
      const document = await mongoCall(() => collection.findOne({ _id: domain }));
      return document === null ? null : readProperty(document);
    },
    async list(filter, { limit, offset }) {
      const conditions = conditionsOf(filter);
      const find = () => collection.find(conditions).sort({ _id: 1 }).skip(offset).limit(limit).toArray();
      const [documents, total] = await mongoCall(() => Promise.all([find(), collection.countDocuments(conditions)]));
      return { items: documents.map(readProperty), total };
    },
    listAll: (page) => pageById(collection, { page, read: readProperty, longestId: LONGEST_DOMAIN }),
    async insert(property) {
      try {
        await mongoCall(() => collection.insertOne({ _id: property.domain, ...propertyFields(property) }));
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async replace(property) {
      const known = { _id: property.domain, revision: property.revision - 1 };
      const { matchedCount } = await mongoCall(() => collection.replaceOne(known, propertyFields(property)));
      if (matchedCount === 0) throw changedMeanwhile(property.domain);
    },
  };
}

function conditionsOf({ status, family, role, source }: PropertyFilter): Filter<PropertyDocument> {
  return {
    ...(status !== undefined && { status }),
    ...(family !== undefined && { family }),
    ...(role !== undefined && { role }),
    ...(source !== undefined && { 'source.kind': source }),
  };
}

function changedMeanwhile(domain: string): FairleadError {
  const message = `Another request is changing ${domain}; try again`;
  return new FairleadError('CONFLICT', message, { retryable: true });
}
