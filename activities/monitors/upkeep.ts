import { whileHeartbeating } from '../while-heartbeating.ts';
import { type ReconcileDeps, reconcileMonitors } from './reconcile.ts';
import { type RollUpDeps, rollUpShard } from './roll-up.ts';

export type UpkeepDeps = Omit<RollUpDeps, 'daysMade'> & ReconcileDeps;

/** What runs by the clock for monitors, besides the checks. */
export function createUpkeepActivities(deps: UpkeepDeps) {
  const daysMade = new Map<number, number>();
  return {
    rollUpShard: (shard: number) => whileHeartbeating((signal) => rollUpShard({ ...deps, daysMade }, shard, signal)),
    reconcileMonitors: () => whileHeartbeating((signal) => reconcileMonitors(deps, signal)),
  };
}

export type UpkeepActivities = ReturnType<typeof createUpkeepActivities>;
