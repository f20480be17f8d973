import { continueAsNew, isCancellation, patched, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { ProofsPlan } from '../../activities/backups/verify-backup.ts';
import { type Night, nightOf } from '../../domain/backups/night.ts';
import type { PlaceInProofs } from '../../domain/backups/verification.ts';
import { describeProblem } from '../describe-problem.ts';
import { scheduledTime } from '../scheduled-time.ts';
import { listBackupsToVerify, nextPages, proofs, reportStale } from './activity-proxies.ts';
import { isNightOver, leftOfNight, NIGHT_HOURS, nightBegin } from './night-limit.ts';
import { tellOfNight } from './tell-of-night.ts';

export interface VerificationTally {
  readonly verified: number;
  readonly failed: number;
}

/** Backups that the report of a night names: an alarm shows fewer, and a workflow carries no endless list. */
const MOST_NAMED = 100;

/** What is left of a night's proofs that continue as new. */
export interface ProofsLeft {
  readonly night: Night;
  /** Of the first run; absent in a night that began before there was an end of it. */
  readonly begunAt?: string;
  /** A page, in the order of their turn. */
  readonly backupIds: readonly string[];
  /** Where the next page begins; none for null, and absent in a night that began before there were pages. */
  readonly more?: PlaceInProofs | null;
  readonly timeoutMs: number;
  readonly tally: VerificationTally;
  /** For the report: no more than {@link MOST_NAMED} of backups, and one of the night. */
  readonly problems: readonly string[];
}

/**
 * Restores a sample of the backups for proof, one after the other, so that every database has its turn within a week;
 * schedule `verify-backups`. What cannot be restored raises an alarm. So do databases that no night backs up any more: the
 * schedule of the nights may be paused, and then no night tells of it. However many proofs a night has, a run carries one page
 * of them, as far as its history takes them, and goes on as new with the rest. Those that have no turn before the night is over
 * are the first of the next one.
 */
export async function verifyBackups(left?: ProofsLeft): Promise<VerificationTally> {
  const plan = left ?? (await beginProofs());
  const { night, timeoutMs, begunAt = nightBegin() } = plan;
  const problems = [...plan.problems];
  const tally = { ...plan.tally };
  const waiting = [...plan.backupIds];
  const later = plan.more?.left ?? 0;
  const total = tally.verified + tally.failed + waiting.length + later;
  const rest = () => ({ ...plan, begunAt, backupIds: waiting, tally, problems });
  while (waiting.length > 0 && !isNightOver(begunAt)) {
    const id = waiting.shift() ?? '';
    setCurrentDetails(`**${night}**: ${total - waiting.length - later - 1} of ${total} backups verified`);
    const message = await verify(id, { begunAt, timeoutMs });
    tally[message === null ? 'verified' : 'failed'] += 1;
    if (message !== null && tally.failed <= MOST_NAMED) problems.push(`${id}: ${message}`);
    // Nights that began before they could continue as new go on as they are while they are replayed.
    if (waiting.length > 0 && workflowInfo().continueAsNewSuggested && patched('continue-proofs')) {
      await continueAsNew<typeof verifyBackups>(rest());
    }
  }
  const isWhole = waiting.length === 0 && plan.more == null;
  const untried = isWhole ? [] : [await goOnAfter(rest())];
  await tellOfNight({ night, run: 'verification', problems: [...problems, ...notNamed(tally), ...untried] });
  return tally;
}

/** Goes on as new with the next page. @returns why the night ends before that, in one line */
async function goOnAfter({ backupIds, more, ...left }: ProofsLeft & { readonly begunAt: string }): Promise<string> {
  const count = backupIds.length + (more?.left ?? 0);
  if (more == null || isNightOver(left.begunAt)) {
    return `${count} backups had no turn within ${NIGHT_HOURS} hours: the next night begins with them`;
  }
  let page: ProofsPlan;
  try {
    page = await nextPages(left.begunAt).listBackupsToVerify(left.night, more);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return `${count} backups had no turn, as they could not be listed: ${describeProblem(error).message}`;
  }
  return await continueAsNew<typeof verifyBackups>({ ...left, ...page });
}

function notNamed({ failed }: VerificationTally): readonly string[] {
  if (failed <= MOST_NAMED) return [];
  return [`and ${failed - MOST_NAMED} more: see the error of the proof on their records`];
}

async function beginProofs(): Promise<ProofsLeft> {
  const night = nightOf(scheduledTime());
  const problems = patched('stale-backups') ? await tellOfStale(night) : [];
  const plan = await listOrSay(night);
  const begun = { night, begunAt: nightBegin(), tally: { verified: 0, failed: 0 } };
  if (typeof plan !== 'string') return { ...begun, ...plan, problems };
  return { ...begun, backupIds: [], more: null, timeoutMs: 0, problems: [plan, ...problems] };
}

/** @returns where nothing could be listed, why: the night ends, and says so */
async function listOrSay(night: Night): Promise<ProofsPlan | string> {
  try {
    return await listBackupsToVerify(night);
  } catch (error) {
    // Nights of before failed by it, and do so while they are replayed.
    if (isCancellation(error) || !patched('unlisted-proofs')) throw error;
    return `No backup was verified, as they could not be listed: ${describeProblem(error).message}`;
  }
}

/** @returns why it is not known; one line, or none */
async function tellOfStale(night: Night): Promise<string[]> {
  try {
    await reportStale(night);
    return [];
  } catch (error) {
    if (isCancellation(error)) throw error;
    return [`Whether nights back up every database is not known: ${describeProblem(error).message}`];
  }
}

/** A proof ends with the night as well, so that this tells of all others. */
async function verify(
  id: string,
  { begunAt, timeoutMs }: { readonly begunAt: string; readonly timeoutMs: number },
): Promise<string | null> {
  const leftMs = leftOfNight(begunAt, timeoutMs);
  try {
    return (await proofs(leftMs).verifyBackup(id))?.message ?? null;
  } catch (error) {
    if (isCancellation(error)) throw error;
    const { code, message } = describeProblem(error);
    const isCut = leftMs < timeoutMs && code === 'STEP_DEADLINE_EXCEEDED';
    return `It could not be verified: ${isCut ? 'The night was over before it was restored' : message}`;
  }
}
