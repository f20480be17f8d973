import { type CheckReads, createCheckReads } from './check-reads.ts';
import type { ProbeGuard } from './probe-guard.ts';
import { type TimeShare, UNMETERED } from './time-shares.ts';

/** What one check has: where it may connect to, and what it may read there. */
export interface Probe extends ProbeGuard {
  readonly reads: CheckReads;
}

/** @param share of whoever the check is for; left out: nobody counts */
export function createProbe(guard: ProbeGuard, share: TimeShare = UNMETERED): Probe {
  return { ...guard, reads: createCheckReads(share) };
}
