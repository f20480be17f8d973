import { eachItem } from '../each-item.ts';
import type { HealthRecord } from './health.ts';
import type { BackupFilter, BackupStore } from './ports.ts';

/** Health looks at the backups of so many days. */
const HEALTH_DAYS = 14;

/** What health is told by, of the backups that match. */
export async function recentRecords(
  { backups, now }: { readonly backups: Pick<BackupStore, 'list'>; readonly now: () => Date },
  filter: BackupFilter = {},
): Promise<readonly HealthRecord[]> {
  const since = new Date(now().getTime() - HEALTH_DAYS * 86_400_000);
  const records: HealthRecord[] = [];
  for await (const backup of eachItem((page) => backups.list({ ...filter, since }, page))) {
    const { service, environment, engine, databaseName, status, startedAt, night, problem, verification } = backup;
    records.push({ service, environment, engine, databaseName, status, startedAt, night, problem, verification });
  }
  return records;
}
