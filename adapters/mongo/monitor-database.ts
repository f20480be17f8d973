import type { Db } from 'mongodb';
import { INDEXES as AUDIT_INDEXES } from './audit/indexes.ts';
import { ensureIndexes } from './ensure-indexes.ts';
import { INDEXES as INCIDENT_INDEXES } from './incidents/indexes.ts';
import { INDEXES as MONITOR_INDEXES } from './monitors/indexes.ts';
import { INDEXES as NOTIFICATION_INDEXES } from './notifications/indexes.ts';

/** The indexes of the uptime monitor. @throws UNAVAILABLE */
export async function createMonitorIndexes(db: Db): Promise<void> {
  await ensureIndexes(db, { ...MONITOR_INDEXES, ...INCIDENT_INDEXES, ...NOTIFICATION_INDEXES, ...AUDIT_INDEXES });
}
