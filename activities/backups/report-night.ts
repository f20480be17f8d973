import { type ListedBackup, targetName } from '../../domain/backups/backup.ts';
import { isIntended } from '../../domain/backups/exclude.ts';
import { backupWorkflowId } from '../../domain/backups/messages.ts';
import type { Night } from '../../domain/backups/night.ts';
import { eachItem } from '../../domain/each-item.ts';
import type { BackupsActivityDeps } from './deps.ts';
import { raiseNightAlarm } from './raise-night-alarm.ts';

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

/** Raises an alarm when a night left something without a backup, proof or copy. Idempotent: one for each night and run. */
export async function reportNight(deps: BackupsActivityDeps, report: NightReport, signal: AbortSignal): Promise<void> {
  const { night, run, problems, restoreIds = [] } = report;
  const unmade = run === 'backups' ? await unmadeBackups(deps, night, signal) : [];
  const lines = [...problems, ...(await openRestores(deps, restoreIds)), ...unmade];
  await raiseNightAlarm(deps, { kind: run, night, lines });
}

async function unmadeBackups(deps: BackupsActivityDeps, night: Night, signal: AbortSignal): Promise<string[]> {
  const { backups } = deps;
  const lines: string[] = [];
  const statuses = ['failed', 'skipped', 'running'] as const;
  for await (const backup of eachItem((page) => backups.list({ night, statuses }, page), signal)) {
    if (backup.status === 'skipped' && isIntended(backup.problem)) continue;
    const why = backup.status === 'running' ? await whyRunning(deps, backup) : backup.problem?.message;
    lines.push(`${targetName(backup)} (${backup.engine}): ${why ?? 'no reason is known'}`);
  }
  return lines.sort();
}

/** A night ends after its backups, or no longer waits for one. */
async function whyRunning({ commands }: BackupsActivityDeps, backup: ListedBackup): Promise<string> {
  if (await commands.isUnderWay(backup, backup.id)) {
    return `its backup has not ended; ${backupWorkflowId(backup)} in Temporal says why`;
  }
  return 'its backup ended without a result: its workflow was terminated, or lost';
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
