import { targetName } from '../../domain/backups/backup.ts';
import { type DatabaseHealth, forgottenDatabases } from '../../domain/backups/health.ts';
import { type Night, nightOf } from '../../domain/backups/night.ts';
import type { KnownDatabase } from '../../domain/backups/ports.ts';
import { recentRecords } from '../../domain/backups/recent-records.ts';
import type { BackupsActivityDeps } from './deps.ts';
import { raiseNightAlarm } from './raise-night-alarm.ts';

/**
 * Raises an alarm for databases that nights have forgotten, such as where the schedule of the nights is paused: so it is not the
 * nights that tell of it. Idempotent: one for each night.
 */
export async function reportStale(deps: BackupsActivityDeps, night: Night, signal: AbortSignal): Promise<void> {
  const { settings, now } = deps;
  // An operator has switched nights off.
  if (!settings.isEnabled) return;
  const known: KnownDatabase[] = [];
  for await (const database of deps.serviceDatabases.known(null)) known.push(database);
  signal.throwIfAborted();
  const begun = nightOf(now().getTime() - settings.hourUtc * 3_600_000);
  const lines: string[] = [];
  for (const database of forgottenDatabases(await recentRecords(deps), now(), { known, begun })) {
    if (!(await isDropped(deps, database))) lines.push(lineOf(database));
  }
  const remedy = 'No night has tried to back them up: see whether the schedule nightly-backups is paused in Temporal';
  await raiseNightAlarm(deps, { kind: 'stale', night, lines: lines.length === 0 ? [] : [...lines, remedy] });
}

/** The database of a service that was removed, and that was dropped since. */
async function isDropped({ inventory }: BackupsActivityDeps, { service, engine, databaseName }: DatabaseHealth) {
  return service !== null && (await inventory.ownerOf(engine, databaseName)) === null;
}

function lineOf(database: DatabaseHealth): string {
  const { engine, lastCompletedAt } = database;
  const since = lastCompletedAt === null ? 'no backup at all' : `no backup since ${lastCompletedAt.toISOString()}`;
  return `${targetName(database)} (${engine}): ${since}`;
}
