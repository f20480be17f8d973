import { log, sleep } from '@temporalio/workflow';
import { newSearchPull, startSearchPull } from './activity-proxies.ts';

/** Another pull is waited for so long: nearly until the next day's. */
const WAIT_FOR_OTHER = { attempts: 220, everyMs: 5 * 60_000 } as const;

/** Starts the pull of all properties; schedule `daily-search-pull`. @returns its id; null when another pull ran all the time */
export async function dailySearchPull(): Promise<{ readonly runId: string | null }> {
  for (let attempt = 1; attempt <= WAIT_FOR_OTHER.attempts; attempt += 1) {
    const job = await newSearchPull('cron');
    if (await startSearchPull(job)) return { runId: job.runId };
    await sleep(WAIT_FOR_OTHER.everyMs);
  }
  log.warn('The daily search pull is left out: another pull ran all the time');
  return { runId: null };
}
