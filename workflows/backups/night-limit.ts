import { CancellationScope, patched, sleep, workflowInfo } from '@temporalio/workflow';

/**
 * So long after its begin a night begins nothing more: what is at work by then ends within the 20 hours that a run has
 * (`schedules.ts`), and the next night finds the workflow free. Continuing as new gives a run those 20 hours anew.
 */
export const NIGHT_HOURS = 17;

/**
 * So long after its begin a night waits for none of its backups any more, such as one that no worker goes on with: it tells of what
 * it has by then, which takes an hour and a half at most, within the time of the run. The backup itself goes on.
 */
export const WAIT_HOURS = 18;

/** What begins shortly before, or after, has so long at least. */
const LEAST_MS = 20 * 60_000;

/** When the run began that the schedule started, for those that go on with it: an ISO time. */
export function nightBegin(): string {
  return workflowInfo().runStartTime.toISOString();
}

/** Whether a night that began then begins nothing more. */
export function isNightOver(begunAt: string): boolean {
  // Nights that began before they had an end go on as they are while they are replayed.
  return Date.now() - Date.parse(begunAt) >= NIGHT_HOURS * 3_600_000 && patched('end-of-night');
}

/**
 * How long what a night itself waits for may take that begins now: then it tells of the night within the time of the run.
 * @param mostMs how long it may take on any other day
 */
export function leftOfNight(begunAt: string, mostMs: number): number {
  const leftMs = Date.parse(begunAt) + WAIT_HOURS * 3_600_000 - Date.now();
  return Math.min(mostMs, Math.max(leftMs, LEAST_MS));
}

/** Resolves when a night that began then waits for nothing any more; not at all once it is cancelled. */
export function startWaitLimit(begunAt: string): { readonly reached: Promise<void>; cancel(): void } {
  const scope = new CancellationScope();
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  // Nights that began before they had a limit go on as they are while they are replayed.
  if (!patched('limit-of-waiting')) return { reached, cancel: () => undefined };
  const leftMs = Date.parse(begunAt) + WAIT_HOURS * 3_600_000 - Date.now();
  const waited = scope.run(() => sleep(Math.max(leftMs, 1)));
  // Who cancels a night waits for its backups still.
  void waited.then(resolve, () => undefined);
  return { reached, cancel: () => scope.cancel() };
}
