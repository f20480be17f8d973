import type { Day } from '../../domain/audit-ledger/day-close.ts';
import { addDays, endOfDay } from '../../domain/audit-ledger/days.ts';
import type { Hash } from '../../domain/audit-ledger/event.ts';
import { listedHash } from '../../domain/audit-ledger/merkle-proof.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type ChainNodes, checkChains, dueTime } from './check-chains.ts';
import { type LeafLists, type ReadLeafList, readLeafList } from './leaf-lists.ts';
import { type ProofCheck, type Verdict, verdictOf } from './proof-check.ts';
import { checkSignature, namesEvent, type SignedStatement } from './signed-statement.ts';

export interface DayInput extends ChainNodes {
  readonly day: Day;
  readonly lists: LeafLists;
  /** A receipt, or a checkpoint, of an event to look for. It must be of that day. */
  readonly statement?: SignedStatement;
  /** Keys of the ledger that the statement may be signed with; of a checkpoint with its name, see `ledger-key.ts`. */
  readonly keys?: readonly string[];
  /** The time of whoever verifies. */
  readonly now?: Date;
}

/**
 * `proven`: the list of the day is what the contracts hold, and has the event. `refuted`: it is not, or the event was left
 * out. `undecided`: something is missing that decides it.
 */
export interface DayVerdict {
  readonly verdict: Verdict;
  readonly checks: readonly ProofCheck[];
  /** True where the ledger signed the event, and anchored its day without it. */
  readonly isOmission: boolean;
}

/**
 * Verifies the leaf list of a day, and that an event which the ledger signed is in it, without the ledger: the root of the
 * list is computed here and compared with what the contract holds on every chain that is asked.
 * @throws VALIDATION_FAILED for a statement of another day, or of no event
 */
export async function verifyDay(input: DayInput): Promise<DayVerdict> {
  const { day, statement, keys = [], now = new Date() } = input;
  if (statement === undefined) {
    const { checks } = await checkDay(input, { day, wanted: null, isPending: now < dueTime(day) });
    return { verdict: verdictOf(checks), checks, isOmission: false };
  }
  assertOf(day, statement);
  const signature = checkSignature(statement, keys);
  const searched = await searchDays(input, daysOf(statement, now), listedHash(statement.eventHash));
  const place = checkPlace(statement, signature.outcome === 'passed', searched);
  const checks = [signature, ...searched.flatMap((one) => one.checks), place];
  return { verdict: verdictOf(checks), checks, isOmission: place.outcome === 'failed' };
}

function assertOf(day: Day, statement: SignedStatement): void {
  const { title } = statement;
  if (statement.day !== day) throw new FairleadError('VALIDATION_FAILED', `${title}, is of ${statement.day}`);
  if (!namesEvent(statement)) {
    throw new FairleadError('VALIDATION_FAILED', `${title}, names no event: compare it with another checkpoint`);
  }
}

interface DayQuestion {
  readonly day: Day;
  readonly wanted: Hash | null;
  /** A day whose root may yet come, or need not be there. */
  readonly isPending: boolean;
}

/** A checkpoint that is late looks at the chain up to an hour after the time it bears. */
const LATEST_LOOK_MS = 60 * 60_000;

/**
 * The days in which the event of a statement can be. That of a checkpoint may have been a while ago; but each night closes
 * each chain by an event, which is of the day it closes. Where the root of the day before the last was anchored before the
 * day of the checkpoint began, that close was written by then, and no older event was the last one for the checkpoint.
 */
function daysOf({ kind, day, time }: SignedStatement, now: Date): readonly Omit<DayQuestion, 'wanted'>[] {
  const own = { day, isPending: now < dueTime(day) };
  if (kind === 'receipt') return [own];
  const isLate = endOfDay(day).getTime() - time.getTime() <= LATEST_LOOK_MS;
  const others = [-1, -2, ...(isLate ? [1] : [])];
  return [own, ...others.map((count) => ({ day: addDays(day, count), isPending: true }))];
}

interface CheckedDay {
  readonly day: Day;
  readonly checks: readonly ProofCheck[];
  readonly has: boolean;
}

/** Looks through one day after the other, until the event is found. */
async function searchDays(
  input: DayInput,
  days: readonly Omit<DayQuestion, 'wanted'>[],
  wanted: Hash,
): Promise<readonly CheckedDay[]> {
  const searched: CheckedDay[] = [];
  for (const day of days) {
    const checked = await checkDay(input, { ...day, wanted });
    searched.push(checked);
    if (checked.has) break;
  }
  return searched;
}

/** That an event is in no list counts where every list is the one that was anchored. */
function checkPlace(
  { kind: check, title }: SignedStatement,
  isSigned: boolean,
  searched: readonly CheckedDay[],
): ProofCheck {
  const days = searched.map(({ day }) => day).join(', ');
  if (searched.some(({ has }) => has)) return { check, outcome: 'passed', text: `its event is in ${days}` };
  const areProven = searched.every(({ checks }) => verdictOf(checks) === 'proven');
  if (isSigned && areProven) return { check, outcome: 'failed', text: `left out: ${title}, is not in ${days}` };
  const why = isSigned ? 'that this is the list of the day is not proven' : 'the ledger did not sign it';
  return { check, outcome: 'unknown', text: `its event is not in ${days}, and ${why}` };
}

async function checkDay({ lists, ...nodes }: DayInput, question: DayQuestion): Promise<CheckedDay> {
  const { day, wanted, isPending } = question;
  const read = await readList(lists, day, wanted);
  const root = read instanceof Error ? null : (read?.root ?? null);
  const chains = await checkChains({ batchId: day, root, anchors: [], isPending }, nodes);
  const list = checkList(read, question, chains);
  return { day, checks: [list, ...chains], has: !(read instanceof Error) && read?.has === true };
}

async function readList(lists: LeafLists, day: Day, wanted: Hash | null): Promise<ReadLeafList | FairleadError | null> {
  try {
    const lines = await lists(day);
    if (lines === null) return null;
    try {
      return await readLeafList(lines, day, wanted);
    } finally {
      await lines.return?.();
    }
  } catch (error) {
    if (error instanceof FairleadError) return error;
    throw error;
  }
}

function checkList(
  read: ReadLeafList | FairleadError | null,
  { day, isPending }: DayQuestion,
  chains: readonly ProofCheck[],
): ProofCheck {
  const check = 'list';
  if (read instanceof FairleadError) {
    const outcome = read.code === 'VALIDATION_FAILED' ? 'failed' : 'unknown';
    return { check, outcome, text: `the leaf list of ${day}: ${read.message}` };
  }
  if (read !== null) {
    return { check, outcome: 'passed', text: `${read.leafCount} leaves lead to the root ${read.root}` };
  }
  const isAnchored = chains.some(({ check, outcome }) => check === 'agreement' && outcome === 'passed');
  if (isAnchored) return { check, outcome: 'failed', text: `there is no leaf list of ${day}, and a root of it stands` };
  const text = `there is no leaf list of ${day}${isPending ? ' yet' : ''}`;
  return { check, outcome: 'unknown', text };
}
