import {
  CancellationScope,
  continueAsNew,
  isCancellation,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { EstateJob } from '../../domain/search-pulls/messages.ts';
import {
  countFailed,
  countPulled,
  EMPTY_SUMMARY,
  type PullProblem,
  type PullSummary,
} from '../../domain/search-pulls/pull-run.ts';
import { describeProblem } from '../describe-problem.ts';
import { beginSearchPull, endSearchPull, listUnpulledProperties, pullOfEstate } from './activity-proxies.ts';
import { pullWhole } from './pull-property.ts';

/** Of a pull that ran out of its time. */
const LATE = 'It was not done in time: no worker was there for it, or its workers ended again and again';

/** What is left of a pull that continues as new. */
export interface PullLeft {
  readonly cursor: string | null;
  readonly summary: PullSummary;
}

/**
 * Pulls the numbers of all properties, a few at a time; id `search-pull`, which is the lease. One that fails stops no
 * other. Properties that were pulled since `job.since` are left out, so a pull that was broken off is gone on with.
 * @throws the cancellation, once the end is on record
 */
export async function pullEstate(job: EstateJob, left?: PullLeft): Promise<PullSummary> {
  const pull = { summary: left?.summary ?? EMPTY_SUMMARY };
  let cursor = left?.cursor ?? null;
  try {
    if (left === undefined) await beginSearchPull(job);
    cursor = await pullPages(job, cursor, pull);
  } catch (error) {
    const problem = describeProblem(error, LATE);
    await end(job, pull.summary, problem);
    throw error;
  }
  if (cursor !== null) await continueAsNew<typeof pullEstate>(job, { cursor, summary: pull.summary });
  await end(job, pull.summary, null);
  return pull.summary;
}

/** @returns where to go on, when the history has become long; null when all are pulled */
async function pullPages(job: EstateJob, first: string | null, pull: { summary: PullSummary }): Promise<string | null> {
  let cursor = first;
  do {
    const page = await listUnpulledProperties({ since: job.since, cursor });
    const waiting = [...page.properties];
    pull.summary = { ...pull.summary, properties: pull.summary.properties + waiting.length };
    const pullNext = async (): Promise<void> => {
      for (let property = waiting.shift(); property !== undefined; property = waiting.shift()) {
        await pullOne(job, property, pull);
      }
    };
    await Promise.all(Array.from({ length: page.parallelism }, pullNext));
    cursor = page.nextCursor;
  } while (cursor !== null && !workflowInfo().continueAsNewSuggested);
  return cursor;
}

async function pullOne(job: EstateJob, property: string, pull: { summary: PullSummary }): Promise<void> {
  const { pulled, failed, properties } = pull.summary;
  setCurrentDetails(`**${job.runId}**: ${pulled} of ${properties} properties pulled, ${failed} failed`);
  try {
    const done = await pullWhole({ property, since: job.since }, pullOfEstate);
    pull.summary = countPulled(pull.summary, done);
  } catch (error) {
    if (isCancellation(error)) throw error;
    pull.summary = countFailed(pull.summary, property, describeProblem(error, LATE));
  }
}

async function end({ runId }: EstateJob, summary: PullSummary, problem: PullProblem | null): Promise<void> {
  await CancellationScope.nonCancellable(() => endSearchPull({ runId, summary, problem }));
}
