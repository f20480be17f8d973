import type { Db, IndexDescription } from 'mongodb';
import { mongoCall } from './connect.ts';

/** Names of the collections of the builder's database. */
export const COLLECTIONS = {
  services: 'services',
  builds: 'builds',
  releases: 'releases',
  buildLogs: 'build_logs',
  buildLogHeads: 'build_log_heads',
} as const;

/** Every index of a database, by collection. */
export type IndexTable = Readonly<Record<string, readonly IndexDescription[]>>;

/** Every index of the builder's database. `_id` carries the ids. */
const INDEXES: IndexTable = {
  [COLLECTIONS.services]: [
    { key: { name: 1 }, name: 'name', unique: true },
    { key: { org: 1, name: 1 }, name: 'org_name' },
    { key: { authorizedOrgs: 1, name: 1 }, name: 'authorizedOrgs_name' },
  ],
  [COLLECTIONS.builds]: [
    { key: { createdAt: -1, _id: -1 }, name: 'newest' },
    { key: { serviceId: 1, createdAt: -1, _id: -1 }, name: 'service_newest' },
    { key: { status: 1, createdAt: -1 }, name: 'status_newest' },
  ],
  [COLLECTIONS.releases]: [
    { key: { service: 1, environment: 1, activatedAt: -1, _id: -1 }, name: 'target_activated' },
    { key: { activatedAt: 1 }, name: 'activated' },
  ],
  [COLLECTIONS.buildLogs]: [{ key: { buildId: 1, seq: 1 }, name: 'build_seq', unique: true }],
};

/** The builder's indexes. @throws UNAVAILABLE */
export async function createIndexes(db: Db): Promise<void> {
  await ensureIndexes(db, INDEXES);
}

/** Creates what is missing of a table; safe to run by every process at its start. @throws UNAVAILABLE */
export async function ensureIndexes(db: Db, table: IndexTable): Promise<void> {
  for (const [collection, indexes] of Object.entries(table)) {
    await mongoCall(() => db.collection(collection).createIndexes([...indexes]));
  }
}
