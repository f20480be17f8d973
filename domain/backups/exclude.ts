/** Code of the reason of a backup that BACKUP_EXCLUDE_PATTERNS leaves out. Any other backup that was skipped is missing. */
export const EXCLUDED = 'EXCLUDED';

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
