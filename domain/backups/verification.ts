import { type Backup, type BackupProblem, type Figures, groupKey, isDoubted, isVerified } from './backup.ts';
import { addNights, type Night, nightOf } from './night.ts';

/** Within so many nights a backup of every database is restored for proof. */
export const VERIFICATION_NIGHTS = 7;

/** After which database of the proofs of a night a page of them begins: by the night of its last proof, then by its key. */
export interface PlaceInProofs {
  /** `''` for a database whose backups were never proven, or whose last proof failed. */
  readonly provenOn: Night | '';
  readonly database: string;
  /** How many have their turn after it. */
  readonly left: number;
}

/** Proofs of a night, so many at most as travel through a workflow. */
export interface PageOfProofs<T> {
  readonly backups: readonly T[];
  /** Where the next page begins; null on the last one. */
  readonly more: PlaceInProofs | null;
}

type Candidate = Pick<
  Backup,
  'id' | 'service' | 'environment' | 'engine' | 'databaseName' | 'status' | 'startedAt' | 'verification'
>;

/**
 * Which backups are verified in a night: the newest completed one of each database whose turn it is. A seventh of the
 * databases has its turn each night, those whose last proof is oldest first; one whose proof is as old as a week, which never had
 * one, or whose last one failed, does not wait for its turn.
 *
 * Each page is made of what is on record by then. What an earlier page had comes before its place whatever became of it, or
 * is proven: so no database has two turns, and how many have one was settled by the first page.
 * @param after null for the first page
 */
export function backupsToVerify<T extends Candidate>(
  backups: readonly T[],
  night: Night,
  { after, limit }: { readonly after: PlaceInProofs | null; readonly limit: number },
): PageOfProofs<T> {
  const databases = Map.groupBy(
    backups.filter(({ status }) => status === 'completed'),
    groupKey,
  );
  const states = [...databases].flatMap(([database, group]) => {
    const newest = group.reduce((found, backup) => (backup.startedAt > found.startedAt ? backup : found));
    return isVerified(newest) ? [] : [{ newest, database, provenOn: lastProof(group) }];
  });
  const waiting = states.sort(inTurn).filter((state) => after === null || inTurn(state, after) > 0);
  const share = Math.ceil(databases.size / VERIFICATION_NIGHTS);
  const due = addNights(night, -VERIFICATION_NIGHTS);
  const turns = after?.left ?? waiting.filter(({ provenOn }, index) => index < share || provenOn <= due).length;
  const page = waiting.slice(0, Math.min(turns, limit));
  const last = page.at(-1);
  const left = Math.min(turns, waiting.length) - page.length;
  const more = last === undefined || left === 0 ? null : { provenOn: last.provenOn, database: last.database, left };
  return { backups: page.map(({ newest }) => newest), more };
}

type Turn = Omit<PlaceInProofs, 'left'>;

/** Those whose last proof is oldest first. */
function inTurn(one: Turn, other: Turn): number {
  if (one.provenOn !== other.provenOn) return one.provenOn < other.provenOn ? -1 : 1;
  return one.database === other.database ? 0 : one.database < other.database ? -1 : 1;
}

/** The night on which a backup of the database was last restored with its counts; `''` for never, and where the last one was not. */
function lastProof(group: readonly Candidate[]): Night | '' {
  if (isDoubted(group)) return '';
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
