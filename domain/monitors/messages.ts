/** Names and ids of the workflows of monitors. */

export const MONITOR_WORKFLOWS = {
  watchShard: 'watchShard',
  startShards: 'startShards',
  reconcileMonitors: 'reconcileMonitors',
  rollUpMonitors: 'rollUpMonitors',
} as const;

/** One holder of a shard at a time: its activity's heartbeat is the lease. */
export const shardWorkflowId = (shard: number): string => `monitor-shard/${shard}`;

/** What a run of the reconcile did. */
export interface ReconcileSummary {
  readonly known: number;
  readonly archived: number;
  readonly returned: number;
  /** Why nothing was archived; null when the list was whole. */
  readonly problem: string | null;
}
