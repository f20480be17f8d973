import type { Db, Filter } from 'mongodb';
import { z } from 'zod';
import type { SealedPlace, ServiceChanges, ServiceStore } from '../../../domain/catalog/ports.ts';
import type { ServiceRecord } from '../../../domain/catalog/service.ts';
import type { Clock } from '../../../domain/clock.ts';
import type { VariableChanges } from '../../../domain/config/variable-change.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { isDuplicateKey, mongoCall } from '../connect.ts';
import { decodeCursor, toPage } from '../cursor.ts';
import { readConfirmed } from '../read-confirmed.ts';
import { sealedReplacement } from '../sealed-secret-schema.ts';
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

  /** One atomic upsert; null when another caller inserted or changed that name in between, or another org owns it. */
  async function tryUpsert(key: ServiceKey, changes: ServiceChanges, seen: number | undefined) {
    try {
      const result = await mongoCall(() =>
        collection.findOneAndUpdate(
          { name: key.name, org: key.org, removingSince: null, ...ofRevision(seen) },
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
    async upsert(key, changes, seen) {
      const first = await tryUpsert(key, changes, seen);
      if (first !== null) return first;
      const existing = await mongoCall(() => collection.findOne({ name: key.name }));
      if (existing !== null && existing.org !== key.org) throw ownerMismatch(key.name);
      if (existing !== null && readService(existing).removingSince !== null) throw isBeingRemoved(key.name);
      // The name was taken by this org between the match and the insert: now it matches.
      const second = await tryUpsert(key, changes, seen);
      if (second !== null) return second;
      throw isBeingChanged(key.name);
    },
    async changeVariables(id, environment, changes, seen) {
      const prefix = environment === null ? '' : `overrides.${environment}.`;
      const update = variablesUpdate(changes, prefix);
      const set = { ...update.set, updatedAt: deps.now() };
      const found = await mongoCall(() =>
        collection.findOneAndUpdate(
          { _id: id, removingSince: null, ...ofRevision(seen) },
          { $set: set, ...unsetOf(update.unset), ...NEXT_REVISION },
          { returnDocument: 'after' },
        ),
      );
      if (found !== null) return readService(found);
      const existing = await mongoCall(() => collection.findOne({ _id: id }));
      if (existing === null) return null;
      throw readService(existing).removingSince === null
        ? isBeingChanged(existing.name)
        : isBeingRemoved(existing.name);
    },
    async find(idOrName): Promise<ServiceRecord | null> {
      const document = await mongoCall(() => collection.findOne(byIdOrName(idOrName)));
      return document === null ? null : readService(document);
    },
    async findConfirmed(idOrName): Promise<ServiceRecord | null> {
      const document = await readConfirmed(collection, byIdOrName(idOrName));
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
      const filter = isRemoving ? { _id: id, removingSince: null } : { _id: id, isRemovalDecided: { $ne: true } };
      const update = { $set: { removingSince: isRemoving ? deps.now() : null } };
      const result = await mongoCall(() => collection.updateOne(filter, update));
      if (result.matchedCount === 1 || !isRemoving) return result.matchedCount === 1;
      return (await mongoCall(() => collection.countDocuments({ _id: id }, { limit: 1 }))) === 1;
    },
    async decideRemoval(id) {
      const filter = { _id: id, removingSince: { $ne: null } };
      const result = await mongoCall(() => collection.updateOne(filter, { $set: { isRemovalDecided: true } }));
      return result.matchedCount === 1;
    },
    async remove(id) {
      const result = await mongoCall(() => collection.deleteOne({ _id: id }));
      return result.deletedCount === 1;
    },
    async setSharing(id, sharing, seen) {
      const set = { sharing, authorizedOrgs: sharing.orgs.map(({ org }) => org), updatedAt: deps.now() };
      const revision = seen === 0 ? { $in: [null, 0] } : seen;
      const filter = { _id: id, removingSince: null, 'sharing.revision': revision };
      return (await mongoCall(() => collection.updateOne(filter, { $set: set }))).matchedCount === 1;
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
    async setMonitor(id, environment, monitorId) {
      const set = { [`pulseMonitorIds.${environment}`]: monitorId };
      await mongoCall(() => collection.updateOne({ _id: id }, { $set: set }));
    },
    async setOAuthCredential(id, environment, { clientId, secret, byHand }) {
      const made = byHand === undefined ? {} : { byHand: { secretId: byHand.secretId, org: byHand.org } };
      const credential = { clientId, secret: { keyId: secret.keyId, sealed: secret.sealed }, ...made };
      const set = { [`oauthCredentials.${environment}`]: credential, updatedAt: deps.now() };
      const update = { $set: set, ...counted(`credentialsStored.${environment}`) };
      return (await mongoCall(() => collection.updateOne({ _id: id }, update))).matchedCount === 1;
    },
    async setPendingGrants(id, environment, grants) {
      const list = grants.map((grant) => ({ id: grant.id, name: grant.name }));
      const update = { $set: { [`pendingGrants.${environment}`]: list } };
      return (await mongoCall(() => collection.updateOne({ _id: id }, update))).matchedCount === 1;
    },
    async setPendingCallbacks(id, environment, names) {
      const update = { $set: { [`pendingCallbacks.${environment}`]: [...names] } };
      return (await mongoCall(() => collection.updateOne({ _id: id }, update))).matchedCount === 1;
    },
    async replaceSealed(id, place, change) {
      const { condition, update } = sealedReplacement(pathOf(place), change);
      return (await mongoCall(() => collection.updateOne({ _id: id, ...condition }, update))).matchedCount === 1;
    },
    async clearOAuthCredential(id, environment, clientId) {
      const path = `oauthCredentials.${environment}`;
      const update = { $unset: { [path]: '' as const }, $set: { updatedAt: deps.now() } };
      await mongoCall(() => collection.updateOne({ _id: id, [`${path}.clientId`]: clientId }, update));
    },
  };
}

/** Both are unique keys. */
function byIdOrName(idOrName: string): Filter<ServiceDocument> {
  return idOrName.startsWith('svc_') ? { _id: idOrName } : { name: idOrName };
}

function pathOf(place: SealedPlace): string {
  if (place.kind === 'credential') return `oauthCredentials.${place.environment}.secret`;
  return `${place.environment === null ? '' : `overrides.${place.environment}.`}secrets.${place.name}`;
}

const counted = (path: string): object => ({ $inc: { [path]: 1 } });
const NEXT_REVISION = counted('variablesRevision');

/** Version 0.1 counted no revisions. */
function ofRevision(seen: number | undefined): Record<string, unknown> {
  if (seen === undefined) return {};
  return { variablesRevision: seen === 0 ? { $in: [null, 0] } : seen };
}

function isBeingChanged(name: string): FairleadError {
  return new FairleadError('CONFLICT', `Another request is changing service ${name}; try again`, { retryable: true });
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
  const { config, secrets, marks, ...plain } = changes;
  const changesVariables = [config, secrets, marks].some((group) => Object.keys(group ?? {}).length > 0);
  const variables = variablesUpdate({ config, secrets, marks }, '');
  const set: Record<string, unknown> = { ...plain, ...variables.set, updatedAt: now };
  const initial = Object.entries(CLEARED).filter(([field]) => set[field] === undefined);
  return {
    $set: set,
    ...unsetOf(variables.unset),
    ...(changesVariables ? NEXT_REVISION : {}),
    $setOnInsert: {
      _id: key.id,
      authorizedOrgs: [],
      lastBuildId: null,
      createdAt: now,
      ...Object.fromEntries(initial),
    },
  };
}

/** Names of variables hold letters, digits and underscores only, so they are safe as parts of a field path. */
function variablesUpdate(groups: { [K in keyof VariableChanges]: VariableChanges[K] | undefined }, prefix: string) {
  const set: Record<string, unknown> = {};
  const unset: Record<string, ''> = {};
  for (const [group, entries] of Object.entries(groups)) {
    for (const [name, value] of Object.entries(entries ?? {})) {
      const path = `${prefix}${group}.${name}`;
      if (value === null) unset[path] = '';
      else set[path] = value;
    }
  }
  return { set, unset };
}

function unsetOf(unset: Record<string, ''>) {
  return Object.keys(unset).length > 0 ? { $unset: unset } : {};
}
