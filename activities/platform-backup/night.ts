import { type Night, nightOf, nightsBetween, tierOfNight } from '../../domain/backups/night.ts';
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

/** Of an alarm. */
const MOST_LINES = 50;

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
  deps: PlatformBackupDeps,
  { night, problems }: { readonly night: Night; readonly problems: readonly string[] },
): Promise<void> {
  const subject = 'The platform has no new backup';
  const runbook = 'A night without a backup of the platform';
  await raise(deps, { id: `platform.backup_alarm/${night}`, subject, runbook, night, problems });
}

/** Tells them what is not at the place of the backups as the platform put it there. Idempotent: once a night. */
export async function reportPlace(deps: PlatformBackupDeps, problems: readonly string[]): Promise<void> {
  const night = nightOf(deps.now());
  const subject = 'Backups of the platform are not as they were made';
  const runbook = 'Backups that are not as they were made';
  await raise(deps, { id: `platform.backup_alarm/${night}/place`, subject, runbook, night, problems });
}

interface NightAlarm {
  readonly id: string;
  readonly subject: string;
  /** The heading of docs/operate.md that says what to do. */
  readonly runbook: string;
  readonly night: Night;
  readonly problems: readonly string[];
}

async function raise(
  { audit, raiseAlarm }: Pick<PlatformBackupDeps, 'audit' | 'raiseAlarm'>,
  { id, subject, runbook, night, problems }: NightAlarm,
): Promise<void> {
  if (problems.length === 0) return;
  const event = { id, type: 'platform.backup_alarm', actor: 'schedule', subject: night, orgSlug: null };
  await audit?.record({ ...event, data: { problems: problems.length }, requestId: null, address: null, time: null });
  const more = problems.length > MOST_LINES ? [`and ${problems.length - MOST_LINES} more`] : [];
  const lines = [...problems.slice(0, MOST_LINES), ...more];
  const text = [`The night of ${night} (UTC):`, '', ...lines, '', `What to do: docs/operate.md, "${runbook}"`];
  await raiseAlarm({ id, subject: `${subject}: ${night}`, text: text.join('\n') });
}
