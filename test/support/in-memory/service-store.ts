import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { SealedPlace, ServiceChanges, ServiceStore } from '../../../domain/catalog/ports.ts';
import { NOT_SHARED, type ServiceRecord } from '../../../domain/catalog/service.ts';
import type { Clock } from '../../../domain/clock.ts';
import type { SealedSecret } from '../../../domain/config/sealed-secret.ts';
import type { VariableSet } from '../../../domain/config/service-variables.ts';
import type { VariableChanges } from '../../../domain/config/variable-change.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { keepRecord } from './keep-record.ts';
import { byText, pageOf } from './page-of.ts';

const BY_NAME = {
  cursor: z.tuple([z.string().max(100)]),
  keyOf: ({ name }: ServiceRecord) => [name] as [string],
  compare: byText,
};

/** Service records in this process. What is put in is frozen; what is given out is what is stored. */
export function createInMemoryServiceStore({ now }: { readonly now: Clock }): ServiceStore {
  const records = new Map<string, ServiceRecord>();
  /** Ids of services whose removal is not taken back any more. */
  const decided = new Set<string>();
  const named = (name: string) => [...records.values()].find((record) => record.name === name);
  const change = (id: string, make: (record: ServiceRecord) => Partial<ServiceRecord>): boolean => {
    const record = records.get(id);
    if (record !== undefined) records.set(id, keepRecord({ ...record, ...make(record) }));
    return record !== undefined;
  };
  const find = (idOrName: string): ServiceRecord | null =>
    (idOrName.startsWith('svc_') ? records.get(idOrName) : named(idOrName)) ?? null;
  return {
    async upsert(key, changes, seen) {
      const existing = named(key.name);
      if (existing !== undefined && existing.org !== key.org) throw ownerMismatch(key.name);
      if ((existing?.removingSince ?? null) !== null) throw isBeingRemoved(key.name);
      if (seen !== undefined && (existing?.variablesRevision ?? 0) !== seen) throw isBeingChanged(key.name);
      const service = keepRecord(merge(existing ?? newRecord(key, now()), changes, now()));
      records.set(service.id, service);
      return { service, created: existing === undefined };
    },
    async changeVariables(id, environment, changes, seen) {
      const record = records.get(id);
      if (record === undefined) return null;
      if (record.removingSince !== null) throw isBeingRemoved(record.name);
      if (seen !== undefined && record.variablesRevision !== seen) throw isBeingChanged(record.name);
      const own = environment === null ? record : (record.overrides[environment] ?? NO_VARIABLES);
      const set = mergeVariables(own, changes);
      const overrides = environment === null ? record.overrides : { ...record.overrides, [environment]: set };
      const variablesRevision = record.variablesRevision + 1;
      change(id, () => ({ ...(environment === null ? set : {}), overrides, variablesRevision, updatedAt: now() }));
      return records.get(id) ?? null;
    },
    find: async (idOrName) => find(idOrName),
    findConfirmed: async (idOrName) => find(idOrName),
    async list({ org }, page) {
      const seen = [...records.values()].filter((record) => org === null || isOf(record, org));
      return pageOf(seen, page, BY_NAME);
    },
    setRemoving: async (id, isRemoving) =>
      (isRemoving || !decided.has(id)) &&
      change(id, ({ removingSince }) => ({ removingSince: isRemoving ? (removingSince ?? now()) : null })),
    async decideRemoval(id) {
      if ((records.get(id)?.removingSince ?? null) === null) return false;
      decided.add(id);
      return true;
    },
    async remove(id) {
      decided.delete(id);
      return records.delete(id);
    },
    async setSharing(id, sharing, seen) {
      const record = records.get(id);
      if (record === undefined || record.removingSince !== null || record.sharing.revision !== seen) return false;
      return change(id, () => ({ sharing, authorizedOrgs: sharing.orgs.map(({ org }) => org), updatedAt: now() }));
    },
    async setLastBuild(id, buildId) {
      change(id, () => ({ lastBuildId: buildId, updatedAt: now() }));
    },
    async addNamespace(id, environment) {
      change(id, ({ namespaces }) => ({ namespaces: { [environment]: now(), ...namespaces } }));
    },
    async setMonitor(id, environment, monitorId) {
      change(id, ({ pulseMonitorIds }) => ({ pulseMonitorIds: { ...pulseMonitorIds, [environment]: monitorId } }));
    },
    setOAuthCredential: async (id, environment, credential) =>
      change(id, ({ oauthCredentials, credentialsStored }) => ({
        oauthCredentials: { ...oauthCredentials, [environment]: credential },
        credentialsStored: { ...credentialsStored, [environment]: (credentialsStored[environment] ?? 0) + 1 },
        updatedAt: now(),
      })),
    setPendingGrants: async (id, environment, grants) =>
      change(id, ({ pendingGrants }) => ({ pendingGrants: { ...pendingGrants, [environment]: grants } })),
    setPendingCallbacks: async (id, environment, names) =>
      change(id, ({ pendingCallbacks }) => ({ pendingCallbacks: { ...pendingCallbacks, [environment]: names } })),
    async replaceSealed(id, place, { from, to }) {
      const record = records.get(id);
      if (record === undefined || !isDeepStrictEqual(sealedAt(record, place), from)) return false;
      change(id, () => withSealed(record, place, to));
      return true;
    },
    async clearOAuthCredential(id, environment, clientId) {
      change(id, ({ oauthCredentials }) => {
        if (oauthCredentials[environment]?.clientId !== clientId) return {};
        const { [environment]: _, ...others } = oauthCredentials;
        return { oauthCredentials: others, updatedAt: now() };
      });
    },
  };
}

function sealedAt(record: ServiceRecord, place: SealedPlace): SealedSecret | undefined {
  if (place.kind === 'credential') return record.oauthCredentials[place.environment]?.secret;
  return (place.environment === null ? record : record.overrides[place.environment])?.secrets[place.name];
}

function withSealed(record: ServiceRecord, place: SealedPlace, to: SealedSecret): Partial<ServiceRecord> {
  const { oauthCredentials, overrides } = record;
  if (place.kind === 'credential') {
    const credential = { clientId: oauthCredentials[place.environment]?.clientId ?? '', secret: to };
    return { oauthCredentials: { ...oauthCredentials, [place.environment]: credential } };
  }
  if (place.environment === null) return { secrets: { ...record.secrets, [place.name]: to } };
  const own = overrides[place.environment] ?? NO_VARIABLES;
  const secrets = { ...own.secrets, [place.name]: to };
  return { overrides: { ...overrides, [place.environment]: { ...own, secrets } } };
}

function isOf(record: ServiceRecord, org: string): boolean {
  return record.org === org || record.authorizedOrgs.includes(org);
}

function newRecord(key: Pick<ServiceRecord, 'id' | 'name' | 'org'>, now: Date): ServiceRecord {
  return {
    ...key,
    authorizedOrgs: [],
    sharing: NOT_SHARED,
    gitUrl: null,
    branch: null,
    appPath: null,
    dockerfilePath: null,
    port: null,
    ...NO_VARIABLES,
    overrides: {},
    oauthCredentials: {},
    credentialsStored: {},
    pendingGrants: {},
    pendingCallbacks: {},
    namespaces: {},
    pulseMonitorIds: {},
    variablesRevision: 0,
    lastBuildId: null,
    removingSince: null,
    createdAt: now,
    updatedAt: now,
  };
}

function merge(record: ServiceRecord, changes: ServiceChanges, now: Date): ServiceRecord {
  const { config = {}, secrets = {}, marks = {}, ...plain } = changes;
  const changesVariables = [config, secrets, marks].some((group) => Object.keys(group).length > 0);
  const variablesRevision = record.variablesRevision + (changesVariables ? 1 : 0);
  const variables = mergeVariables(record, { config, secrets, marks });
  return { ...record, ...plain, ...variables, variablesRevision, updatedAt: now };
}

const NO_VARIABLES: VariableSet = { config: {}, secrets: {}, marks: {} };

function mergeVariables(set: VariableSet, changes: VariableChanges): VariableSet {
  return {
    config: withEntries(set.config, changes.config),
    secrets: withEntries(set.secrets, changes.secrets),
    marks: withEntries(set.marks, changes.marks),
  };
}

function withEntries<T>(
  stored: Readonly<Record<string, T>>,
  changes: Readonly<Record<string, T | null>>,
): Record<string, T> {
  const merged: Record<string, T> = { ...stored };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete merged[name];
    else merged[name] = value;
  }
  return merged;
}

function isBeingChanged(name: string): FairleadError {
  return new FairleadError('CONFLICT', `Another request is changing service ${name}`, { retryable: true });
}

function isBeingRemoved(name: string): FairleadError {
  return new FairleadError('SERVICE_BUSY', `Service ${name} is being removed`);
}

function ownerMismatch(name: string): FairleadError {
  return new FairleadError('SERVICE_OWNER_MISMATCH', `A service called ${name} belongs to another org`);
}
