import { phaseOf } from './check-phase.ts';
import type { ProbedMonitor } from './prober-ports.ts';

/** Threads for what people point at addresses of their own. Each takes some 20 MB, once it has something to check. */
const TENANT_LANES = 2;

/** The thread of the platform's own addresses, of the control targets, and of jobs that report. */
export const PLATFORM_LANE = 0;
export const LANES = 1 + TENANT_LANES;

/**
 * Which thread checks a monitor. An org has one for all that it points elsewhere: whatever answers there, the other
 * threads are on time.
 */
export function laneOf({ org, check, isOfPlatform }: Pick<ProbedMonitor, 'org' | 'check' | 'isOfPlatform'>): number {
  if (isOfPlatform || check.kind === 'heartbeat') return PLATFORM_LANE;
  return 1 + phaseOf(org ?? '', TENANT_LANES);
}
