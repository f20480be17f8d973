import { z } from 'zod';
import type { ServiceChanges, ServiceStore } from '../../../domain/catalog/ports.ts';
import type { ServiceRecord } from '../../../domain/catalog/service.ts';
import type { Clock } from '../../../domain/clock.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { keepRecord } from './keep-record.ts';
import { byText, pageOf } from './page-of.ts';

export interface InMemoryServiceStore extends ServiceStore {
  /** Lets other orgs use a service. No port does: the record has the field before a route writes it. */
  authorize(id: string, orgs: readonly string[]): Promise<void>;
}

const BY_NAME = {
  cursor: z.tuple([z.string().max(100)]),
  keyOf: ({ name }: ServiceRecord) => [name] as [string],
  compare: byText,
};

/** Service records in this process. What is put in is frozen; what is given out is what is stored. */
export function createInMemoryServiceStore({ now }: { readonly now: Clock }): InMemoryServiceStore {
  const records = new Map<string, ServiceRecord>();
  const named = (name: string) => [...records.values()].find((record) => record.name === name);
  const change = (id: string, make: (record: ServiceRecord) => Partial<ServiceRecord>): boolean => {
    const record = records.get(id);
    if (record !== undefined) records.set(id, keepRecord({ ...record, ...make(record) }));
    return record !== undefined;
  };
  return {
    async upsert(key, changes) {
      const existing = named(key.name);
      if (existing !== undefined && existing.org !== key.org) throw ownerMismatch(key.name);
      if ((existing?.removingSince ?? null) !== null) throw isBeingRemoved(key.name);
      const service = keepRecord(merge(existing ?? newRecord(key, now()), changes, now()));
      records.set(service.id, service);
      return { service, created: existing === undefined };
    },
    async find(idOrName) {
      const record = idOrName.startsWith('svc_') ? records.get(idOrName) : named(idOrName);
      return record ?? null;
    },
    async list({ org }, page) {
      const seen = [...records.values()].filter((record) => org === null || isOf(record, org));
      return pageOf(seen, page, BY_NAME);
    },
    setRemoving: async (id, isRemoving) =>
      change(id, ({ removingSince }) => ({ removingSince: isRemoving ? (removingSince ?? now()) : null })),
    remove: async (id) => records.delete(id),
    async setLastBuild(id, buildId) {
      change(id, () => ({ lastBuildId: buildId, updatedAt: now() }));
    },
    async addNamespace(id, environment) {
      change(id, ({ namespaces }) => ({ namespaces: { [environment]: now(), ...namespaces } }));
    },
    setOAuthCredential: async (id, environment, credential) =>
      change(id, ({ oauthCredentials }) => ({
        oauthCredentials: { ...oauthCredentials, [environment]: credential },
        updatedAt: now(),
      })),
    setPendingGrants: async (id, environment, grants) =>
      change(id, ({ pendingGrants }) => ({ pendingGrants: { ...pendingGrants, [environment]: grants } })),
    async clearOAuthCredential(id, environment, clientId) {
      change(id, ({ oauthCredentials }) => {
        if (oauthCredentials[environment]?.clientId !== clientId) return {};
        const { [environment]: _, ...others } = oauthCredentials;
        return { oauthCredentials: others, updatedAt: now() };
      });
    },
    async authorize(id, orgs) {
      change(id, () => ({ authorizedOrgs: orgs }));
    },
  };
}

function isOf(record: ServiceRecord, org: string): boolean {
  return record.org === org || record.authorizedOrgs.includes(org);
}

function newRecord(key: Pick<ServiceRecord, 'id' | 'name' | 'org'>, now: Date): ServiceRecord {
  return {
    ...key,
    authorizedOrgs: [],
    gitUrl: null,
    branch: null,
    appPath: null,
    dockerfilePath: null,
    port: null,
    config: {},
    secrets: {},
    oauthCredentials: {},
    pendingGrants: {},
    namespaces: {},
    lastBuildId: null,
    removingSince: null,
    createdAt: now,
    updatedAt: now,
  };
}

function merge(record: ServiceRecord, changes: ServiceChanges, now: Date): ServiceRecord {
  const { config = {}, secrets = {}, ...plain } = changes;
  return {
    ...record,
    ...plain,
    config: withEntries(record.config, config),
    secrets: withEntries(record.secrets, secrets),
    updatedAt: now,
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

function isBeingRemoved(name: string): FairleadError {
  return new FairleadError('SERVICE_BUSY', `Service ${name} is being removed`);
}

function ownerMismatch(name: string): FairleadError {
  return new FairleadError('SERVICE_OWNER_MISMATCH', `A service called ${name} belongs to another org`);
}
