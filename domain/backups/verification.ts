import { type Backup, type BackupProblem, type Figures, groupKey, isDoubted, isVerified } from './backup.ts';
import { addNights, type Night, nightOf } from './night.ts';

/** Within so many nights a backup of every database is restored for proof. */
export const VERIFICATION_NIGHTS = 7;

/** When a database has its turn: those that are due first, of these the one that was not tried for longest. */
interface Turn {
  /** Whether its last proof is as old as a week, failed, or came to no end. */
  readonly isDue: boolean;
  /** When a backup of it was last tried, an ISO time; `''` for never. */
  readonly triedAt: string;
  readonly database: string;
}

/** After which database of the proofs of a night a page of them begins. */
export interface PlaceInProofs extends Turn {
  /** When the first page was made, an ISO time: what was tried since had its turn. Absent in a night that began before it was noted. */
  readonly since?: string;
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
  'id' | 'service' | 'environment' | 'engine' | 'databaseName' | 'status' | 'startedAt' | 'verification' | 'triedAt'
>;

/**
 * Which backups are verified in a night: the newest completed one of each database whose turn it is. A seventh of the
 * databases has its turn each night; one whose proof is as old as a week, which never had one, or whose last one failed, does not
 * wait for its turn. Those that were not tried for longest come first, whatever became of it: what is restored may run for as long
 * as its owner likes, and one that comes to no end is to take the time of a night from no other.
 *
 * Each page is made of what is on record by then. What an earlier page had comes before its place, or was tried since: so no
 * database has two turns, and how many have one was settled by the first page.
 * @param after null for the first page
 */
export function backupsToVerify<T extends Candidate>(
  backups: readonly T[],
  night: Night,
  { after, limit, now }: { readonly after: PlaceInProofs | null; readonly limit: number; readonly now: Date },
): PageOfProofs<T> {
  const databases = Map.groupBy(
    backups.filter(({ status }) => status === 'completed'),
    groupKey,
  );
  const due = addNights(night, -VERIFICATION_NIGHTS);
  const states = [...databases].flatMap(([database, group]) => {
    const newest = group.reduce((found, backup) => (backup.startedAt > found.startedAt ? backup : found));
    const turn: Turn = { isDue: lastProof(group) <= due, triedAt: lastTry(group), database };
    return isVerified(newest) ? [] : [{ newest, ...turn }];
  });
  const since = after === null ? now.toISOString() : after.since;
  const isLater = (state: Turn): boolean =>
    after?.since === undefined || (state.triedAt < after.since && inTurn(state, after) > 0);
  const waiting = states.filter(isLater).sort(inTurn);
  const share = Math.ceil(databases.size / VERIFICATION_NIGHTS);
  const turns = after?.left ?? waiting.filter(({ isDue }, index) => index < share || isDue).length;
  const page = waiting.slice(0, Math.min(turns, limit));
  const last = page.at(-1);
  const left = Math.min(turns, waiting.length) - page.length;
  if (last === undefined || left === 0) return { backups: page.map(({ newest }) => newest), more: null };
  const { isDue, triedAt, database } = last;
  const more = { isDue, triedAt, database, left, ...(since === undefined ? {} : { since }) };
  return { backups: page.map(({ newest }) => newest), more };
}

function inTurn(one: Turn, other: Turn): number {
  if (one.isDue !== other.isDue) return one.isDue ? -1 : 1;
  if (one.triedAt !== other.triedAt) return one.triedAt < other.triedAt ? -1 : 1;
  return one.database === other.database ? 0 : one.database < other.database ? -1 : 1;
}

/** When a backup of the database was last tried, also by a proof that came to no end. */
function lastTry(group: readonly Candidate[]): string {
  const tries = group.flatMap(({ triedAt, verification }) => [triedAt, verification?.at ?? null]);
  return tries.reduce<string>((last, at) => (at !== null && at.toISOString() > last ? at.toISOString() : last), '');
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
