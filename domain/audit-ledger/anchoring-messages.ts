import type { Day } from './day-close.ts';

/** Names, ids and message types of the anchoring workflows. */

export const ANCHORING_WORKFLOWS = {
  anchorNight: 'anchorNight',
  anchorDay: 'anchorDay',
  checkAnchors: 'checkAnchors',
} as const;

/** One day is anchored by one workflow at a time. */
export function anchorWorkflowId(day: Day): string {
  return `anchor/${day}`;
}

/** What of a batch a workflow needs to know. */
export interface BatchSummary {
  readonly day: Day;
  readonly root: string;
  readonly leafCount: number;
  readonly chainIds: readonly number[];
}

/** `missed`: not reached until the last attempt. `refused`: trying again is of no use. */
export type ChainOutcome = 'anchored' | 'missed' | 'refused';

export interface DayOutcome {
  readonly day: Day;
  readonly root: string;
  readonly chains: readonly { readonly chainId: number; readonly outcome: ChainOutcome; readonly attempts: number }[];
}

/** A chain that does not hold the root of a day. */
export interface MissedAnchor {
  readonly day: Day;
  readonly chainId: number;
}
