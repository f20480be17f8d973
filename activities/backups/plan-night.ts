import type { BackedUpDatabase, BackupEngine, BackupProblem } from '../../domain/backups/backup.ts';
import { nightlyBackupId } from '../../domain/backups/backup-id.ts';
import { excludedBy } from '../../domain/backups/exclude.ts';
import type { BackupJob } from '../../domain/backups/messages.ts';
import { unmadeBackup } from '../../domain/backups/new-record.ts';
import { type Night, nightsBetween, tierOfNight } from '../../domain/backups/night.ts';
import { isScratch } from '../../domain/backups/restore.ts';
import { eachItem } from '../../domain/each-item.ts';
import type { BackupsActivityDeps } from './deps.ts';
import { problemOf } from './problem-of.ts';

/** What a night has to do, and what is known to have gone wrong already. */
export interface NightPlan {
  readonly jobs: readonly BackupJob[];
  /** How many databases are dumped at once. */
  readonly parallelism: number;
  /** Nights before this one that left no backup, because the platform was away. */
  readonly missed: readonly Night[];
  /** Engines whose databases could not be listed: each is one failure, and stops no other engine. */
  readonly unlisted: readonly BackupEngine[];
  readonly skipped: number;
  /** Why nothing is backed up; null as a rule. */
  readonly idle: string | null;
}

/** Nights of one outage that get a record; of a longer one the last so many. */
const MOST_MISSED_NIGHTS = 31;

const AWAY: BackupProblem = { code: 'NIGHT_MISSED', message: 'The platform was away that night' };
const NOBODY = { service: null, environment: null, serviceId: null, org: null } as const;

/**
 * Lists the databases of a night. Of every one there is a record afterwards, or a job: also of those that are left out, of
 * those of a server that does not answer, and for nights on which the platform was away. Idempotent: ids are made of the
 * night and the database.
 */
export async function planNight(deps: BackupsActivityDeps, night: Night, signal: AbortSignal): Promise<NightPlan> {
  const { inventory, settings } = deps;
  const nothing = { jobs: [], missed: [], unlisted: [], skipped: 0, parallelism: settings.parallelism };
  if (!settings.isEnabled) return { ...nothing, idle: 'BACKUP_ENABLED is false' };
  if (inventory.engines.length === 0) {
    return { ...nothing, idle: 'Neither DB_MONGODB_ADMIN_URI nor DB_POSTGRES_ADMIN_URI is set' };
  }
  const last = await lastNight(deps, night, signal);
  const missed = await recordMissed(deps, last, night);
  const jobs: BackupJob[] = [];
  const unlisted: BackupEngine[] = [];
  let skipped = 0;
  for (const engine of inventory.engines) {
    const listed = await listDatabases(deps, engine, signal);
    if ('problem' in listed) {
      unlisted.push(engine);
      const known = last.databases.filter((database) => database.engine === engine);
      for (const database of known) await record(deps, night, database, 'failed', listed.problem);
      continue;
    }
    for (const database of listed.databases) {
      const pattern = excludedBy(database.databaseName, settings.excludePatterns);
      if (pattern === null) jobs.push(toJob(deps, night, database));
      else {
        skipped += 1;
        const message = `BACKUP_EXCLUDE_PATTERNS leaves it out: ${pattern}`;
        await record(deps, night, database, 'skipped', { code: 'EXCLUDED', message });
      }
    }
  }
  return { jobs, missed, unlisted, skipped, parallelism: settings.parallelism, idle: null };
}

interface LastNight {
  readonly night: Night | null;
  readonly databases: readonly OwnedDatabase[];
}

/** A database and whose it is; nulls for one of no service. */
type OwnedDatabase = BackedUpDatabase & Pick<BackupJob, 'serviceId' | 'org'>;

async function lastNight({ backups }: BackupsActivityDeps, before: Night, signal: AbortSignal): Promise<LastNight> {
  const night = await backups.lastNightBefore(before);
  const databases: OwnedDatabase[] = [];
  if (night === null) return { night, databases };
  for await (const backup of eachItem((page) => backups.list({ night }, page), signal)) {
    const { service, environment, engine, databaseName, serviceId } = backup;
    // Records name no org, and what is made of this is a record.
    databases.push({ service, environment, engine, databaseName, serviceId, org: null });
  }
  return { night, databases };
}

async function recordMissed(deps: BackupsActivityDeps, last: LastNight, night: Night): Promise<readonly Night[]> {
  if (last.night === null) return [];
  const missed = nightsBetween(last.night, night).slice(-MOST_MISSED_NIGHTS);
  for (const each of missed) {
    for (const database of last.databases) await record(deps, each, database, 'missed', AWAY);
  }
  return missed;
}

async function listDatabases(
  { inventory }: BackupsActivityDeps,
  engine: BackupEngine,
  signal: AbortSignal,
): Promise<{ readonly databases: readonly OwnedDatabase[] } | { readonly problem: BackupProblem }> {
  try {
    const listed = await inventory.list(engine, signal);
    const databases = listed
      .filter(({ databaseName }) => !isScratch(databaseName))
      .map(({ databaseName, owner }) => {
        const { service, environment, serviceId, org } = owner ?? NOBODY;
        return { engine, databaseName, service, environment, serviceId, org };
      });
    return { databases };
  } catch (error) {
    if (signal.aborted) throw error;
    const { code, message } = problemOf(error);
    return { problem: { code, message: `The databases of ${engine} could not be listed: ${message}` } };
  }
}

async function record(
  deps: BackupsActivityDeps,
  night: Night,
  database: OwnedDatabase,
  status: 'failed' | 'skipped' | 'missed',
  problem: BackupProblem,
): Promise<void> {
  await deps.backups.insert(unmadeBackup(toJob(deps, night, database), status, problem));
}

function toJob({ settings }: BackupsActivityDeps, night: Night, database: OwnedDatabase): BackupJob {
  return {
    ...database,
    id: nightlyBackupId(night, database),
    kind: 'nightly',
    tier: tierOfNight(night),
    night,
    requestedBy: 'schedule',
    startedAt: `${night}T${String(settings.hourUtc).padStart(2, '0')}:00:00.000Z`,
    requestId: null,
  };
}
