import type { Db } from 'mongodb';
import { ensureIndexes, type IndexTable } from '../ensure-indexes.ts';

export const COLLECTIONS = {
  entries: 'registry_entries',
  deploys: 'registry_deploys',
  packages: 'registry_packages',
} as const;

/** `_id` is the id of the service, that of the build, and `{package}@{version}`. */
const INDEXES: IndexTable = {
  [COLLECTIONS.entries]: [
    { key: { name: 1, _id: 1 }, name: 'name' },
    { key: { org: 1, name: 1, _id: 1 }, name: 'org_name' },
  ],
  [COLLECTIONS.deploys]: [{ key: { serviceId: 1, environment: 1, at: -1, _id: -1 }, name: 'target_newest' }],
  [COLLECTIONS.packages]: [{ key: { package: 1, version: 1 }, name: 'package_version' }],
};

/** @throws UNAVAILABLE */
export function createRegistryIndexes(db: Db): Promise<void> {
  return ensureIndexes(db, INDEXES);
}
