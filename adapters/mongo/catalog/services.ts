import type { Db } from 'mongodb';
import { z } from 'zod';
import type { ServiceChanges, ServiceStore } from '../../../domain/catalog/ports.ts';
import type { ServiceRecord } from '../../../domain/catalog/service.ts';
import type { Clock } from '../../../domain/clock.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { decodeCursor, toPage } from '../cursor.ts';
import { COLLECTIONS } from './indexes.ts';
import { readService } from './service-document.ts';

interface ServiceDocument {
  readonly _id: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

type ServiceKey = Parameters<ServiceStore['upsert']>[0];

/** Service records in MongoDB: one document each, unique by name (spec 2, "Service record"). */
export function createServiceStore(deps: { db: Db; now: Clock }): ServiceStore {
  const collection = deps.db.collection<ServiceDocument>(COLLECTIONS.services);

  /** One atomic upsert; null when another caller inserted that name in between, or another org owns it. */
  async function tryUpsert(key: ServiceKey, changes: ServiceChanges) {
    try {
      const result = await mongoCall(() =>
        collection.findOneAndUpdate(
          { name: key.name, org: key.org, removingSince: null },
          upsertOf(key, changes, deps.now()),
          {
            upsert: true,
            returnDocument: 'after',
            includeResultMetadata: true,
          },
        ),
      );
      return { service: readService(result.value), created: result.lastErrorObject?.updatedExisting !== true };
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }

  return {
    async upsert(key, changes) {
      const first = await tryUpsert(key, changes);
      if (first !== null) return first;
      const existing = await mongoCall(() => collection.findOne({ name: key.name }));
      if (existing !== null && existing.org !== key.org) throw ownerMismatch(key.name);
      if (existing !== null && readService(existing).removingSince !== null) throw isBeingRemoved(key.name);
      // The name was taken by this org between the match and the insert: now it matches.
      const second = await tryUpsert(key, changes);
      if (second !== null) return second;
      throw new FairleadError('CONFLICT', `Another request is changing service ${key.name}; try again`, {
        retryable: true,
      });
    },
    async find(idOrName): Promise<ServiceRecord | null> {
      const filter = idOrName.startsWith('svc_') ? { _id: idOrName } : { name: idOrName };
      const document = await mongoCall(() => collection.findOne(filter));
      return document === null ? null : readService(document);
    },
    async list({ org }, { cursor, limit }) {
      const after = decodeCursor(cursor, z.tuple([z.string().max(100)]));
      const filter = {
        ...(org === null ? {} : { $or: [{ org }, { authorizedOrgs: org }] }),
        ...(after === null ? {} : { name: { $gt: after[0] } }),
      };
      const documents = await mongoCall(() =>
        collection
          .find(filter)
          .sort({ name: 1 })
          .limit(limit + 1)
          .toArray(),
      );
      return toPage(documents.map(readService), limit, (service) => [service.name]);
    },
    async setRemoving(id, isRemoving) {
      const filter = isRemoving ? { _id: id, removingSince: null } : { _id: id };
      const update = { $set: { removingSince: isRemoving ? deps.now() : null } };
      const result = await mongoCall(() => collection.updateOne(filter, update));
      if (result.matchedCount === 1) return true;
      return (await mongoCall(() => collection.countDocuments({ _id: id }, { limit: 1 }))) === 1;
    },
    async remove(id) {
      const result = await mongoCall(() => collection.deleteOne({ _id: id }));
      return result.deletedCount === 1;
    },
    async setLastBuild(id, buildId) {
      await mongoCall(() =>
        collection.updateOne({ _id: id }, { $set: { lastBuildId: buildId, updatedAt: deps.now() } }),
      );
    },
    async addNamespace(id, environment) {
      const path = `namespaces.${environment}`;
      const isNew = { _id: id, [path]: { $exists: false } };
      await mongoCall(() => collection.updateOne(isNew, { $set: { [path]: deps.now() } }));
    },
    async setOAuthCredential(id, environment, { clientId, secret }) {
      const credential = { clientId, secret: { keyId: secret.keyId, sealed: secret.sealed } };
      const set = { [`oauthCredentials.${environment}`]: credential, updatedAt: deps.now() };
      const result = await mongoCall(() => collection.updateOne({ _id: id }, { $set: set }));
      return result.matchedCount === 1;
    },
    async setPendingGrants(id, environment, grants) {
      const list = grants.map((grant) => ({ id: grant.id, name: grant.name }));
      const update = { $set: { [`pendingGrants.${environment}`]: list } };
      return (await mongoCall(() => collection.updateOne({ _id: id }, update))).matchedCount === 1;
    },
    async clearOAuthCredential(id, environment, clientId) {
      const path = `oauthCredentials.${environment}`;
      const update = { $unset: { [path]: '' as const }, $set: { updatedAt: deps.now() } };
      await mongoCall(() => collection.updateOne({ _id: id, [`${path}.clientId`]: clientId }, update));
    },
  };
}

function isBeingRemoved(name: string): FairleadError {
  return new FairleadError('SERVICE_BUSY', `Service ${name} is being removed; register it again when it is gone`);
}

function ownerMismatch(name: string): FairleadError {
  return new FairleadError(
    'SERVICE_OWNER_MISMATCH',
    `A service called ${name} belongs to another org; choose another name or ask its owner for access`,
  );
}

const CLEARED = { gitUrl: null, branch: null, appPath: null, dockerfilePath: null, port: null } as const;

function upsertOf(key: ServiceKey, changes: ServiceChanges, now: Date) {
  const { config = {}, secrets = {}, ...plain } = changes;
  const set: Record<string, unknown> = { ...plain, updatedAt: now };
  const unset: Record<string, ''> = {};
  // Names of variables hold letters, digits and underscores only, so they are safe as parts of a field path.
  for (const [group, entries] of Object.entries({ config, secrets })) {
    for (const [name, value] of Object.entries(entries)) {
      if (value === null) unset[`${group}.${name}`] = '';
      else set[`${group}.${name}`] = value;
    }
  }
  const initial = Object.entries(CLEARED).filter(([field]) => set[field] === undefined);
  return {
    $set: set,
    ...(Object.keys(unset).length > 0 ? { $unset: unset } : {}),
    $setOnInsert: {
      _id: key.id,
      authorizedOrgs: [],
      lastBuildId: null,
      createdAt: now,
      ...Object.fromEntries(initial),
    },
  };
}
