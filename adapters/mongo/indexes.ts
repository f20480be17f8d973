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

/** Every index of the builder's database. `_id` carries the ids. */
const INDEXES: Readonly<Record<string, readonly IndexDescription[]>> = {
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

/** Creates what is missing; safe to run by every process at its start. @throws UNAVAILABLE */
export async function createIndexes(db: Db): Promise<void> {
  for (const [collection, indexes] of Object.entries(INDEXES)) {
    await mongoCall(() => db.collection(collection).createIndexes([...indexes]));
  }
}
