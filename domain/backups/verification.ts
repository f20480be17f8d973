import { type Backup, type BackupProblem, type Figures, groupKey, isVerified } from './backup.ts';
import { addNights, type Night, nightOf } from './night.ts';

/** Within so many nights a backup of every database is restored for proof. */
export const VERIFICATION_NIGHTS = 7;

type Candidate = Pick<
  Backup,
  'id' | 'service' | 'environment' | 'engine' | 'databaseName' | 'status' | 'startedAt' | 'verification'
>;

/**
 * Which backups are verified in a night: the newest completed one of each database whose turn it is. A seventh of the
 * databases has its turn each night, those whose last proof is oldest first; one whose proof is as old as a week, or which
 * never had one, does not wait for its turn.
 */
export function backupsToVerify<T extends Candidate>(backups: readonly T[], night: Night): readonly T[] {
  const databases = Map.groupBy(
    backups.filter(({ status }) => status === 'completed'),
    groupKey,
  );
  const states = [...databases.values()].flatMap((group) => {
    const newest = group.reduce((found, backup) => (backup.startedAt > found.startedAt ? backup : found));
    return isVerified(newest) ? [] : [{ newest, provenOn: lastProof(group) }];
  });
  states.sort((a, b) =>
    a.provenOn < b.provenOn ? -1 : a.provenOn > b.provenOn ? 1 : a.newest.id < b.newest.id ? -1 : 1,
  );
  const share = Math.ceil(databases.size / VERIFICATION_NIGHTS);
  const due = addNights(night, -VERIFICATION_NIGHTS);
  return states.filter(({ provenOn }, index) => index < share || provenOn <= due).map(({ newest }) => newest);
}

/** The night on which a backup of the database was last restored with its counts; `''` for never. */
function lastProof(group: readonly Candidate[]): Night | '' {
  const proofs = group.flatMap((backup) =>
    isVerified(backup) && backup.verification !== null ? [nightOf(backup.verification.at)] : [],
  );
  return proofs.sort().at(-1) ?? '';
}

/** How what was restored differs from what was dumped, in one sentence; null when it does not. Names are never values. */
export function compareFigures(dumped: Figures, restored: Figures): BackupProblem | null {
  const names = [...new Set([...Object.keys(dumped), ...Object.keys(restored)])].sort();
  const differences = names.flatMap((name) => {
    const [before, after] = [dumped[name], restored[name]];
    return before === after ? [] : [`${name} has ${after ?? 'no table or collection'} instead of ${before ?? 'none'}`];
  });
  if (differences.length === 0) return null;
  const [first = '', ...more] = differences;
  const rest = more.length === 0 ? '' : `, and ${more.length} more`;
  return { code: 'RESTORED_COUNTS_DIFFER', message: `What was restored differs from the dump: ${first}${rest}` };
}
