import type { IndexTable } from '../ensure-indexes.ts';

export const COLLECTIONS = { channels: 'notification_channels', deliveries: 'notification_deliveries' } as const;

/** A delivery that ended is shown for so long. */
const DELIVERIES_KEPT_SECONDS = 90 * 86_400;

export const INDEXES: IndexTable = {
  [COLLECTIONS.channels]: [{ key: { org: 1 }, name: 'org' }],
  [COLLECTIONS.deliveries]: [
    { key: { org: 1, state: 1, createdAt: -1, _id: -1 }, name: 'org_state_createdAt_id' },
    { key: { endedAt: 1 }, name: 'ttl', expireAfterSeconds: DELIVERIES_KEPT_SECONDS },
  ],
};
