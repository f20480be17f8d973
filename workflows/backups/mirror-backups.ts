import { isCancellation } from '@temporalio/workflow';
import type { MirrorRun } from '../../activities/backups/mirror-archives.ts';
import { nightOf } from '../../domain/backups/night.ts';
import { describeProblem } from '../describe-problem.ts';
import { scheduledTime } from '../scheduled-time.ts';
import { mirrorArchives } from './activity-proxies.ts';
import { tellOfNight } from './tell-of-night.ts';

/** Copies the bucket to the off-site bucket; schedule `mirror-backups`. A refused or failed copy raises an alarm. */
export async function mirrorBackups(): Promise<MirrorRun | null> {
  const night = nightOf(scheduledTime());
  let run: MirrorRun | null = null;
  const problems: string[] = [];
  try {
    run = await mirrorArchives();
    if (run?.refused) problems.push(run.refused);
    const [first] = run?.failed ?? [];
    if (first !== undefined)
      problems.push(`${run?.failures ?? run?.failed.length} archives could not be copied, such as ${first}`);
  } catch (error) {
    if (isCancellation(error)) throw error;
    problems.push(`The archives were not copied: ${describeProblem(error).message}`);
  }
  await tellOfNight({ night, run: 'mirror', problems });
  return run;
}
