import { type BackedUpDatabase, type Backup, type BackupStatus, groupKey, isDoubted, isVerified } from './backup.ts';
import { EXCLUDED } from './exclude.ts';
import { addNights, type Night, nightOf } from './night.ts';
import type { KnownDatabase } from './ports.ts';
import { VERIFICATION_NIGHTS } from './verification.ts';

/** How old the newest completed backup of a database may be: one night, and the hours that a run may take. */
const FRESH_HOURS = 36;

/** What is looked at of a backup. */
export type HealthRecord = Pick<
  Backup,
  keyof BackedUpDatabase | 'status' | 'startedAt' | 'night' | 'problem' | 'verification'
>;

/** How the backups of one database are. */
export interface DatabaseHealth extends BackedUpDatabase {
  /** `failing`: the newest night left no backup. `stale`: none is fresh. `unproven`: none was restored within a week, or the last one that was tried did not come back. */
  readonly state: 'healthy' | 'unproven' | 'stale' | 'failing';
  /** When the newest completed backup began; null for none. */
  readonly lastCompletedAt: Date | null;
  /** When a backup was last restored with its counts; null for never. */
  readonly lastVerifiedAt: Date | null;
  /** The newest night, and what became of it; null before the first. */
  readonly lastNight: { readonly night: Night; readonly status: BackupStatus; readonly reason: string | null } | null;
}

/**
 * How the backups of each database are, worst first. One that a service has, and that no backup of these days is of, is
 * stale as soon as it is older than a backup may be: so it is seen that nights do not run.
 *
 * @param backups of the last 14 days at least
 * @param known what services have
 */
export function summarizeHealth(
  backups: readonly HealthRecord[],
  now: Date,
  known: readonly KnownDatabase[] = [],
): readonly DatabaseHealth[] {
  const order = ['failing', 'stale', 'unproven', 'healthy'] as const;
  const databases = [...Map.groupBy(backups, groupKey).values()].flatMap((group) =>
    group.slice(0, 1).map((database) => healthOf(database, group, now)),
  );
  const nameOf = ({ engine, databaseName }: BackedUpDatabase): string => `${engine}/${databaseName}`;
  const named = new Set(databases.map(nameOf));
  for (const one of known) {
    if (!named.has(nameOf(one)) && isOlder(one.createdAt, now)) databases.push(healthOf(one, [], now));
  }
  return databases.sort(
    (a, b) => order.indexOf(a.state) - order.indexOf(b.state) || (groupKey(a) < groupKey(b) ? -1 : 1),
  );
}

/**
 * Databases without a fresh backup of which the newest night has no record either: no night has tried, so none has told
 * anybody. What was left out on purpose is not among them.
 *
 * @param records as of {@link summarizeHealth}
 * @param nights what services have, and the newest night that has begun by its hour
 */
export function forgottenDatabases(
  records: readonly HealthRecord[],
  now: Date,
  { known, begun }: { readonly known: readonly KnownDatabase[]; readonly begun: Night },
): readonly DatabaseHealth[] {
  const tried = new Set(records.filter(({ night }) => night === begun).map(groupKey));
  return summarizeHealth(records, now, known).filter((database) => {
    const { state, lastCompletedAt } = database;
    const isFresh = lastCompletedAt !== null && !isOlder(lastCompletedAt, now);
    return state !== 'healthy' && !isFresh && !tried.has(groupKey(database));
  });
}

/**
 * How the backups of a database are; one without any is stale.
 *
 * @param group its backups of the last 14 days at least
 */
export function healthOf(database: BackedUpDatabase, group: readonly HealthRecord[], now: Date): DatabaseHealth {
  const newestFirst = group.toSorted((a, b) => b.startedAt.getTime() - a.startedAt.getTime());
  const { service, environment, engine, databaseName } = database;
  const lastCompletedAt = newestFirst.find(hasArchive)?.startedAt ?? null;
  const proofs = newestFirst.flatMap((each) => (isVerified(each) && each.verification ? [each.verification.at] : []));
  const lastVerifiedAt = proofs.reduce<Date | null>((last, at) => (last === null || at > last ? at : last), null);
  const nightly = newestFirst.find(({ night, status }) => night !== null && status !== 'running');
  const lastNight =
    nightly === undefined || nightly.night === null
      ? null
      : { night: nightly.night, status: nightly.status, reason: nightly.problem?.message ?? null };
  // One that something else kept from its backup is as healthy as its newest backup is.
  const isLeftOut = nightly?.status === 'skipped' && nightly.problem?.code === EXCLUDED;
  const seen = { lastCompletedAt, lastVerifiedAt, lastNight, isDoubted: isDoubted(newestFirst) };
  const state = isLeftOut ? 'healthy' : stateOf(seen, now);
  return { service, environment, engine, databaseName, state, lastCompletedAt, lastVerifiedAt, lastNight };
}

function hasArchive({ status }: HealthRecord): boolean {
  return status === 'completed';
}

/** Whether that was longer ago than the newest backup of a database may be. */
function isOlder(at: Date, now: Date): boolean {
  return now.getTime() - at.getTime() > FRESH_HOURS * 3_600_000;
}

function stateOf(
  {
    lastCompletedAt,
    lastVerifiedAt,
    lastNight,
    isDoubted,
  }: Pick<DatabaseHealth, 'lastCompletedAt' | 'lastVerifiedAt' | 'lastNight'> & { readonly isDoubted: boolean },
  now: Date,
): DatabaseHealth['state'] {
  if (lastNight?.status === 'failed' || lastNight?.status === 'missed') return 'failing';
  if (lastCompletedAt === null || isOlder(lastCompletedAt, now)) return 'stale';
  const due = addNights(nightOf(now), -VERIFICATION_NIGHTS - 1);
  const isProven = lastVerifiedAt !== null && nightOf(lastVerifiedAt) >= due && !isDoubted;
  return isProven ? 'healthy' : 'unproven';
}
