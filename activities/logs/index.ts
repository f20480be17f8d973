import { whileHeartbeating } from '../while-heartbeating.ts';
import { type CollectDeps, collectOutput } from './collect-output.ts';

/** After so long the next run goes on, so that none lasts for ever. */
const COLLECT_FOR_MS = 3_600_000;
/** Often enough for the ten seconds after which the server gives up on a worker. */
const HEARTBEAT_EVERY_MS = 3_000;

/**
 * The activities of the module `logs`.
 *
 * - Keying: one collector at a time, by the schedule `collect-output` and its overlap policy. A line is known by workload,
 *   stream and time; the log itself tells the last one of each.
 * - Retries: without end, on any worker. What was written is not written again, and what was not is still kept by the
 *   engine that runs the workload.
 * - Compensation: none. A log goes with its service.
 */
export function createLogsActivities(deps: CollectDeps) {
  return {
    collectOutput: () =>
      whileHeartbeating(
        (signal) => collectOutput(deps, AbortSignal.any([signal, AbortSignal.timeout(COLLECT_FOR_MS)])),
        { everyMs: HEARTBEAT_EVERY_MS },
      ),
  };
}

export type LogsActivities = ReturnType<typeof createLogsActivities>;
