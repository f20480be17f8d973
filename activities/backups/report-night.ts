import { targetName } from '../../domain/backups/backup.ts';
import { EXCLUDED } from '../../domain/backups/exclude.ts';
import { backupWorkflowId } from '../../domain/backups/messages.ts';
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
  /** Restores that were broken off, and that the night has begun to end; absent for none. */
  readonly restoreIds?: readonly string[];
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
  const { night, run, problems, restoreIds = [] } = report;
  const unmade = run === 'backups' ? await unmadeBackups(deps, night, signal) : [];
  const lines = [...problems, ...(await openRestores(deps, restoreIds)), ...unmade];
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

/** Those that have not ended, by their records. */
async function openRestores({ restores }: BackupsActivityDeps, ids: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  for (const id of ids) {
    const restore = await restores.find(id);
    if (restore?.status !== 'running') continue;
    const where = `${targetName(restore)} (${restore.engine})`;
    lines.push(
      `${where}: the restore ${id}, which was broken off, has not ended; ${backupWorkflowId(restore)} in Temporal says why`,
    );
  }
  return lines;
}
