import type { BackupProblem } from './backup.ts';

/** Code of the reason of a backup that BACKUP_EXCLUDE_PATTERNS leaves out. */
export const EXCLUDED = 'EXCLUDED';

/** The reason of all backups of a night while nights are switched off. */
export const DISABLED: BackupProblem = { code: 'BACKUPS_DISABLED', message: 'BACKUP_ENABLED is false' };

/** Whether an operator wanted no backup. Any other one that was skipped is missing. */
export function isIntended(problem: BackupProblem | null): boolean {
  return problem !== null && [EXCLUDED, DISABLED.code].includes(problem.code);
}

/** Whether a database is left out by BACKUP_EXCLUDE_PATTERNS: globs of whole names, in which only `*` and `?` are special. */
export function excludedBy(databaseName: string, patterns: readonly string[]): string | null {
  return patterns.find((pattern) => toExpression(pattern).test(databaseName)) ?? null;
}

function toExpression(glob: string): RegExp {
  const source = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's');
}
