import {
  ActivityFailure,
  continueAsNew,
  isCancellation,
  log,
  rootCause,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { BuildReport } from '../../domain/git-hooks/messages.ts';
import { readBuildState, reportBegin, reportEnd } from './activity-proxies.ts';

export interface ReportBuildInput {
  readonly report: BuildReport;
  /** Set when the workflow continued as new: the commit knows of the build. */
  readonly begun?: true;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 15_000;

/**
 * Shows on a commit how its build goes; id `git-status/<build>`. The end comes after the begin, and nothing after the end.
 * A status that cannot be set ends no build: it is tried for a while, and then given up.
 */
export async function reportBuild({ report, begun }: ReportBuildInput): Promise<void> {
  if (begun === undefined) await orGiveUp(() => reportBegin({ report, phase: 'begun' }));
  let waitMs = FIRST_WAIT_MS;
  while ((await stateOf(report.buildId)) === 'open') {
    await sleep(waitMs);
    waitMs = Math.min(waitMs * 1.5, LONGEST_WAIT_MS);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof reportBuild>({ report, begun: true });
  }
  await orGiveUp(() => reportEnd({ report, phase: 'ended' }));
}

/** What cannot be read for a day is asked for again: the commit would show a build on its way for ever. */
async function stateOf(buildId: string): Promise<'open' | 'ended' | null> {
  try {
    return await readBuildState(buildId);
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    log.warn(`The build ${buildId} could not be read: ${rootCause(error) ?? 'no reason is known'}`);
    return 'open';
  }
}

async function orGiveUp(tell: () => Promise<void>): Promise<void> {
  try {
    await tell();
  } catch (error) {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    log.warn(`The commit was not told of the build: ${rootCause(error) ?? 'no reason is known'}`);
  }
}
