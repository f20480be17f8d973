import { type Night, nightsBetween, tierOfNight } from '../../domain/backups/night.ts';
import type { PlatformBackupJob } from '../../domain/platform-backup/messages.ts';
import type { PlatformBackupDeps } from './deps.ts';
import { configurationProblem } from './open-backup.ts';

export interface PlatformNight {
  /** Null: there is nothing to do, or no way to do it. */
  readonly job: PlatformBackupJob | null;
  /** What operators are told, whatever becomes of the backup: nights that were missed, settings that are half there. */
  readonly problems: readonly string[];
}

/** A night is on record once its backup begins: so many of those that are not are named. */
const MOST_NAMED = 14;

/** Whether a night backs the platform up, and under which id. Idempotent: by its night. */
export async function planNight(deps: PlatformBackupDeps, night: Night): Promise<PlatformNight> {
  const { place, recovery, settings, records, newId, now } = deps;
  // Without a recovery key nobody has asked for backups of the platform.
  if (!settings.isEnabled || recovery === null) return { job: null, problems: [] };
  const last = await records.lastNightBefore(night);
  const missed = last === null ? [] : nightsBetween(last, night);
  const problems = missed.slice(-MOST_NAMED).map((each) => `No backup of the platform was made on ${each}`);
  const problem = configurationProblem({ place, recovery, heldKeys: deps.heldKeys });
  if (problem !== null) return { job: null, problems: [...problems, problem] };
  const job: PlatformBackupJob = {
    id: newId('platformBackup'),
    kind: 'nightly',
    tier: tierOfNight(night),
    night,
    requestedBy: 'schedule',
    startedAt: now().toISOString(),
    requestId: null,
  };
  return { job, problems };
}

/** Tells operators and the ledger what went wrong in a night; nothing for no problems. Idempotent: once a night. */
export async function reportNight(
  { audit, raiseAlarm }: PlatformBackupDeps,
  { night, problems }: { readonly night: Night; readonly problems: readonly string[] },
): Promise<void> {
  if (problems.length === 0) return;
  const id = `platform.backup_alarm/${night}`;
  const event = { id, type: 'platform.backup_alarm', actor: 'schedule', subject: night, orgSlug: null };
  await audit?.record({ ...event, data: { problems: problems.length }, requestId: null, address: null, time: null });
  const remedy = 'What to do: docs/operate.md, "A night without a backup of the platform"';
  const text = [`The night of ${night} (UTC):`, '', ...problems, '', remedy].join('\n');
  await raiseAlarm({ id, subject: `The platform has no new backup: ${night}`, text });
}
