/** Names and ids of the workflows of monitors. */

export const MONITOR_WORKFLOWS = {
  watchShard: 'watchShard',
  startShards: 'startShards',
  reconcileMonitors: 'reconcileMonitors',
  rollUpMonitors: 'rollUpMonitors',
  rollUpShardHistory: 'rollUpShardHistory',
} as const;

/** One holder of a shard at a time: its activity's heartbeat is the lease. */
export const shardWorkflowId = (shard: number): string => `monitor-shard/${shard}`;

/** One roll-up of a shard at a time. */
export const rollUpWorkflowId = (shard: number): string => `roll-up-shard/${shard}`;

/** What a reconcile did. */
export interface ReconcileOutcome {
  readonly known: number;
  readonly archived: number;
  readonly returned: number;
  /** Why nothing was archived; null when the list was whole. */
  readonly problem: string | null;
}

/** What a run of the workflow did. */
export interface ReconcileSummary extends ReconcileOutcome {
  /** Deleted for good: they were archived for long enough. */
  readonly removed: number;
}
