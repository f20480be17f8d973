import { type IndexTable, unique } from '../ensure-indexes.ts';
import { AT_EXPIRY, ttlIndex } from '../expiry-sweep.ts';

export const COLLECTIONS = {
  monitors: 'monitors',
  numbers: 'monitor_numbers',
  conditions: 'monitor_conditions',
  shards: 'monitor_shards',
  minutes: 'monitor_minutes',
  hours: 'monitor_packed_hours',
  rollUps: 'monitor_periods',
  hourEnds: 'monitor_hour_ends',
  reconciles: 'monitor_reconciles',
  heartbeats: 'monitor_heartbeats',
  burns: 'monitor_burns',
  secrets: 'monitor_secrets',
} as const;

/** The id of a condition, of hour ends and of burns is that of the monitor, the id of secrets that of the org. */
export const INDEXES: IndexTable = {
  [COLLECTIONS.monitors]: [
    unique({ key: 1 }, 'key'),
    unique({ number: 1 }, 'number'),
    { key: { serviceName: 1, _id: 1 }, name: 'serviceName_id' },
    { key: { org: 1, serviceName: 1, _id: 1 }, name: 'org_serviceName_id' },
    { key: { shard: 1, updatedAt: 1, _id: 1 }, name: 'shard_updatedAt_id' },
  ],
  [COLLECTIONS.minutes]: [{ key: { shard: 1, minute: 1 }, name: 'shard_minute' }],
  [COLLECTIONS.hours]: [{ key: { hour: 1 }, name: 'hour' }],
  [COLLECTIONS.rollUps]: [ttlIndex(AT_EXPIRY)],
};
