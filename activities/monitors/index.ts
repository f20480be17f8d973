import { whileHeartbeating } from '../while-heartbeating.ts';
import { type HoldShardDeps, holdShard } from './hold-shard.ts';

export type MonitorsActivityDeps = HoldShardDeps;

/** What watching does. */
export function createMonitorsActivities(deps: MonitorsActivityDeps) {
  return {
    holdShard: (shard: number) => whileHeartbeating((signal) => holdShard(deps, shard, signal)),
  };
}

export type MonitorsActivities = ReturnType<typeof createMonitorsActivities>;
