import { BACKUP_ENGINES, type BackupEngine, type BackupProblem } from '../../domain/backups/backup.ts';
import { nightlyBackupId } from '../../domain/backups/backup-id.ts';
import { DISABLED, EXCLUDED, excludedBy } from '../../domain/backups/exclude.ts';
import type { BackupJob } from '../../domain/backups/messages.ts';
import { unmadeBackup } from '../../domain/backups/new-record.ts';
import { type Night, nightsBetween, tierOfNight } from '../../domain/backups/night.ts';
import { isScratch } from '../../domain/backups/restore.ts';
import type { BackupsActivityDeps } from './deps.ts';
import { type LastNight, lastNight, type OwnedDatabase } from './last-night.ts';
import { problemOf } from './problem-of.ts';
import { notConfigured } from './tool-of.ts';

/** After which database of the night a page of its plan begins: by engine, then by name. */
export type PlaceInNight = Pick<OwnedDatabase, 'engine' | 'databaseName'>;

/** What a night has to do, page by page, and what is known to have gone wrong already. */
export interface NightPlan {
  /** So many at most as travel through a workflow. */
  readonly jobs: readonly BackupJob[];
  /** Where the next page begins; null on the last one. */
  readonly more: PlaceInNight | null;
  /** How many databases are dumped at once. */
  readonly parallelism: number;
  /** Nights before this one that left no backup, because the platform was away. */
  readonly missed: readonly Night[];
  /** Engines whose databases could not be listed: each is one failure, and stops no other engine. */
  readonly unlisted: readonly BackupEngine[];
  /** Why not, one line each: of those that no night had there is no record. Absent in a plan of before. */
  readonly problems?: readonly string[];
  readonly skipped: number;
  /** Why nothing is backed up; null as a rule. */
  readonly idle: string | null;
}

/** Nights of one outage that get a record; of a longer one the last so many. */
const MOST_MISSED_NIGHTS = 31;

/** Records that are written at once. */
const AT_ONCE = 500;

const AWAY: BackupProblem = { code: 'NIGHT_MISSED', message: 'The platform was away that night' };
const NOBODY = { service: null, environment: null, serviceId: null, org: null } as const;

/**
 * Lists the databases of a night, a page at a time. Of every one there is a record afterwards, or a job: also of those that are
 * left out, of those of a server that does not answer or is not configured any more, of nights that are disabled, and of those
 * on which the platform was away. Idempotent: ids are made of the night and the database.
 * @param after where the page begins; null for the first one
 */
export async function planNight(
  deps: BackupsActivityDeps,
  night: Night,
  signal: AbortSignal,
  after: PlaceInNight | null = null,
): Promise<NightPlan> {
  const last = await lastNight(deps, night, signal);
  const missed = after === null ? await recordMissed(deps, { last, night }, signal) : [];
  const page: Page = { jobs: [], unlisted: [], problems: [], skipped: 0, more: null };
  for (const engine of BACKUP_ENGINES.slice(after === null ? 0 : BACKUP_ENGINES.indexOf(after.engine))) {
    const isLater = ({ databaseName }: OwnedDatabase) => engine !== after?.engine || databaseName > after.databaseName;
    const known = last.databases.filter((database) => database.engine === engine && isLater(database));
    await planEngine(deps, night, { engine, known, isLater, page }, signal);
    if (page.more !== null) break;
  }
  return { ...page, missed, parallelism: deps.settings.parallelism, idle: whyIdle(deps) };
}

/** What is planned so far. */
interface Page {
  readonly jobs: BackupJob[];
  readonly unlisted: BackupEngine[];
  readonly problems: string[];
  skipped: number;
  more: PlaceInNight | null;
}

interface PlannedEngine {
  readonly engine: BackupEngine;
  /** Those of the last night. */
  readonly known: readonly OwnedDatabase[];
  /** False for what an earlier page has. */
  readonly isLater: (database: OwnedDatabase) => boolean;
  readonly page: Page;
}

async function planEngine(
  deps: BackupsActivityDeps,
  night: Night,
  { engine, known, isLater, page }: PlannedEngine,
  signal: AbortSignal,
): Promise<void> {
  const why = whyNone(deps, engine);
  if (why !== null) {
    page.skipped += await skipKnown(deps, night, { known, why });
    return;
  }
  const listed = await listDatabases(deps, engine, signal);
  if ('problem' in listed) {
    page.unlisted.push(engine);
    page.problems.push(listed.problem.message);
    for (const database of known) await record(deps, night, database, 'failed', listed.problem);
    return;
  }
  for (const database of listed.databases.filter(isLater)) {
    const excluded = whyExcluded(deps, database);
    if (excluded === null) page.jobs.push(toJob(deps, night, database));
    else {
      page.skipped += 1;
      await record(deps, night, database, 'skipped', excluded);
    }
    if (page.jobs.length < deps.settings.nightPage) continue;
    page.more = { engine, databaseName: database.databaseName };
    return;
  }
}

/** Why nothing is backed up at all; null as a rule. */
function whyIdle({ settings, inventory }: BackupsActivityDeps): string | null {
  if (!settings.isEnabled) return DISABLED.message;
  return inventory.engines.length > 0 ? null : 'Neither DB_MONGODB_ADMIN_URI nor DB_POSTGRES_ADMIN_URI is set';
}

/** Why no database of an engine is backed up. */
function whyNone({ settings, inventory }: BackupsActivityDeps, engine: BackupEngine): BackupProblem | null {
  if (!settings.isEnabled) return DISABLED;
  return inventory.engines.includes(engine) ? null : notConfigured(engine);
}

function whyExcluded({ settings }: BackupsActivityDeps, { databaseName }: OwnedDatabase): BackupProblem | null {
  const pattern = excludedBy(databaseName, settings.excludePatterns);
  return pattern === null ? null : { code: EXCLUDED, message: `BACKUP_EXCLUDE_PATTERNS leaves it out: ${pattern}` };
}

/**
 * Records that the databases of the last night have no backup tonight, since their server is not even asked for a list. One of
 * a service that has it no more is left out.
 */
async function skipKnown(
  deps: BackupsActivityDeps,
  night: Night,
  { known, why }: { readonly known: readonly OwnedDatabase[]; readonly why: BackupProblem },
): Promise<number> {
  let skipped = 0;
  for (const database of known) {
    const { engine, databaseName, serviceId } = database;
    const isGone = serviceId !== null && (await deps.inventory.ownerOf(engine, databaseName)) === null;
    if (isGone) continue;
    skipped += 1;
    await record(deps, night, database, 'skipped', whyExcluded(deps, database) ?? why);
  }
  return skipped;
}

async function recordMissed(
  deps: BackupsActivityDeps,
  { last, night }: { readonly last: LastNight; readonly night: Night },
  signal: AbortSignal,
): Promise<readonly Night[]> {
  if (last.night === null) return [];
  const missed = nightsBetween(last.night, night).slice(-MOST_MISSED_NIGHTS);
  for (const each of missed) {
    for (let first = 0; first < last.databases.length; first += AT_ONCE) {
      signal.throwIfAborted();
      const databases = last.databases.slice(first, first + AT_ONCE);
      await deps.backups.insertAll(databases.map((one) => unmadeBackup(toJob(deps, each, one), 'missed', AWAY)));
    }
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
      })
      .sort((one, other) => (one.databaseName < other.databaseName ? -1 : 1));
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
