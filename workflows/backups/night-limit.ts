import { patched, workflowInfo } from '@temporalio/workflow';

/**
 * So long after its begin a night begins nothing more: what is at work by then ends within the 20 hours that a run has
 * (`schedules.ts`), and the next night finds the workflow free. Continuing as new gives a run those 20 hours anew.
 */
export const NIGHT_HOURS = 17;

/** When the run began that the schedule started, for those that go on with it: an ISO time. */
export function nightBegin(): string {
  return workflowInfo().runStartTime.toISOString();
}

/** Whether a night that began then begins nothing more. */
export function isNightOver(begunAt: string): boolean {
  // Nights that began before they had an end go on as they are while they are replayed.
  return Date.now() - Date.parse(begunAt) >= NIGHT_HOURS * 3_600_000 && patched('end-of-night');
}
