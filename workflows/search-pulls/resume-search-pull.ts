import { sleep, workflowInfo } from '@temporalio/workflow';
import { findAbandonedPull, startSearchPull } from './activity-proxies.ts';

/** The schedule runs it every five minutes by the clock, and a worker that starts runs it once more (spec 3, "Limits"). */
const EVERY_MS = 5 * 60_000;
const AFTER_BOOT_MS = 45_000;

/**
 * Pulls the remainder of a pull that was broken off; schedule `resume-search-pull`. Does nothing while a pull has the
 * lease. @returns the id of the new pull; null for none
 * @param waitMs how long it waits before
 */
export async function resumeSearchPull(
  waitMs = isByTheClock() ? 0 : AFTER_BOOT_MS,
): Promise<{ readonly runId: string | null }> {
  if (waitMs > 0) await sleep(waitMs);
  const job = await findAbandonedPull();
  if (job === null || !(await startSearchPull(job))) return { runId: null };
  return { runId: job.runId };
}

function isByTheClock(): boolean {
  const [scheduled] = (workflowInfo().searchAttributes.TemporalScheduledStartTime ?? []) as readonly unknown[];
  return scheduled instanceof Date && scheduled.getTime() % EVERY_MS === 0;
}
