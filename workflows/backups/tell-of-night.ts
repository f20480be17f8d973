import { isCancellation, log, patched } from '@temporalio/workflow';
import type { NightReport } from '../../activities/backups/report-night.ts';
import { describeProblem } from '../describe-problem.ts';
import { reportNight } from './activity-proxies.ts';

/**
 * Reports what a run of a night came to. Where operators cannot be told, such as by a mail server that refuses the mail, the log of
 * the worker says so, and the run ends as it would: what it did is on record.
 */
export async function tellOfNight(report: NightReport): Promise<void> {
  try {
    await reportNight(report);
  } catch (error) {
    // Runs of before failed by it, and do so while they are replayed.
    if (isCancellation(error) || !patched('untold-nights')) throw error;
    log.error(
      `Operators were not told of the night of ${report.night} (${report.run}): ${describeProblem(error).message}`,
    );
  }
}
