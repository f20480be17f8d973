/**
 * The module `audit-ledger`: events in hash chains, daily batches, and their anchors on chains.
 *
 * Keying: an event has one place in its chain (namespace and index, a unique index of the database). An Idempotency-Key
 * determines the event id. A batch is named by its day, an anchor by day and chain; `anchor/<day>` is its workflow.
 * Retries: work on the database is retried for a day. Sending to a chain is attempted three times, then every hour until
 * the last attempt of the night (domain/audit-ledger/anchor-policy.ts). Every activity is idempotent.
 * Compensation: none. Events, batches and anchors are append-only; only the owner of a contract can invalidate a batch.
 * A chain without the root of a day, or with another, is reported every morning.
 */

import type { Day } from './day-close.ts';
import type { Hash } from './event.ts';

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
  /** A root that it holds, and that no batch of the day has: the batch was lost, or somebody else wrote the root. */
  readonly standing?: Hash;
}
