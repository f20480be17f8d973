import { targetName } from '../../domain/backups/backup.ts';
import { EXCLUDED } from '../../domain/backups/exclude.ts';
import type { Night } from '../../domain/backups/night.ts';
import { eachItem } from '../../domain/each-item.ts';
import type { BackupsActivityDeps } from './deps.ts';

/** What the runs of a night came to; what is on record is read there. */
export interface NightReport {
  readonly night: Night;
  /** What ran: the backups, their verification, the mirror, or the drop of what restores kept. */
  readonly run: 'backups' | 'verification' | 'mirror' | 'kept';
  /** What went wrong beside the records of the night, such as a refused mirror; one line each. */
  readonly problems: readonly string[];
}

/** Lines of an alarm; the records have the others. */
const MOST_LINES = 50;

/** How the subject of each alarm begins; the runbook of docs/backups.md has a part of that name. */
export const ALARM_SUBJECTS = {
  backups: 'Databases without a backup',
  verification: 'Backups that could not be restored',
  mirror: 'The off-site copy of the backups is not up to date',
  kept: 'Databases that restores kept could not be dropped',
} as const;

/** Raises an alarm when a night left something without a backup, proof or copy. Idempotent: one for each night and run. */
export async function reportNight(deps: BackupsActivityDeps, report: NightReport, signal: AbortSignal): Promise<void> {
  const { night, run } = report;
  const lines = [...report.problems, ...(run === 'backups' ? await unmadeBackups(deps, night, signal) : [])];
  if (lines.length === 0) return;
  const shown = lines.slice(0, MOST_LINES);
  const more = lines.length > shown.length ? [`and ${lines.length - shown.length} more`] : [];
  const id = `backup.${run}_alarm/${night}`;
  await deps.audit?.record({
    id,
    type: `backup.${run}_alarm`,
    actor: 'schedule',
    subject: night,
    orgSlug: null,
    data: { problems: lines.length },
    requestId: null,
    address: null,
    time: null,
  });
  const text = [`The night of ${night} (UTC):`, '', ...shown, ...more, '', 'What to do: docs/backups.md, "Runbook"'];
  await deps.raiseAlarm({ id, subject: `${ALARM_SUBJECTS[run]}: ${night}`, text: text.join('\n') });
}

async function unmadeBackups({ backups }: BackupsActivityDeps, night: Night, signal: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  const statuses = ['failed', 'skipped'] as const;
  for await (const backup of eachItem((page) => backups.list({ night, statuses }, page), signal)) {
    if (backup.status === 'skipped' && backup.problem?.code === EXCLUDED) continue;
    lines.push(`${targetName(backup)} (${backup.engine}): ${backup.problem?.message ?? 'no reason is known'}`);
  }
  return lines.sort();
}
