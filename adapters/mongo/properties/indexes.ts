import type { IndexTable } from '../ensure-indexes.ts';
import { AT_EXPIRY, ttlIndex } from '../expiry-sweep.ts';

export const COLLECTIONS = {
  properties: 'properties',
  jobs: 'property_jobs',
  quotaSlots: 'property_quota_slots',
  quotaPauses: 'property_quota_pauses',
  quotaRules: 'property_quota_rules',
} as const;

/** A job is asked for while it runs, and some time after. */
const JOBS_KEPT_SECONDS = 90 * 86_400;

/** The id of a Property is its domain. */
export const INDEXES: IndexTable = {
  [COLLECTIONS.properties]: [
    { key: { status: 1, _id: 1 }, name: 'status_id' },
    { key: { family: 1, _id: 1 }, name: 'family_id' },
  ],
  [COLLECTIONS.jobs]: [
    { key: { status: 1, createdAt: 1 }, name: 'status_createdAt' },
    { key: { finishedAt: 1 }, name: 'finishedAt', expireAfterSeconds: JOBS_KEPT_SECONDS },
  ],
  [COLLECTIONS.quotaSlots]: [ttlIndex(AT_EXPIRY)],
  [COLLECTIONS.quotaPauses]: [ttlIndex(AT_EXPIRY)],
};
