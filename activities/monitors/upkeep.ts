import { limitAtOnce } from '../../domain/limit-at-once.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';
import { type PingDeadManDeps, pingDeadMan } from './ping-dead-man.ts';
import { type ReconcileDeps, reconcileMonitors } from './reconcile.ts';
import { type RemoveArchivedDeps, removeArchived } from './remove-archived.ts';
import { type RollUpDeps, rollUpShard } from './roll-up.ts';
import { tellRollUpFailed } from './tell-roll-up-failed.ts';
import { type WatchObjectivesDeps, watchObjectives } from './watch-objectives.ts';

export type UpkeepDeps = Omit<RollUpDeps, 'daysMade'> &
  WatchObjectivesDeps &
  ReconcileDeps &
  RemoveArchivedDeps &
  PingDeadManDeps;

/** Each has the results of a shard's hour in memory. One that is slow leaves the other place to the rest. */
const ROLL_UPS_AT_ONCE = 2;

/** What runs by the clock for monitors, besides the checks. */
export function createUpkeepActivities(deps: UpkeepDeps) {
  const daysMade = new Map<number, number>();
  const limit = limitAtOnce(ROLL_UPS_AT_ONCE);
  return {
    rollUpShard: (shard: number) =>
      whileHeartbeating((signal) => limit(() => rollUpShard({ ...deps, daysMade }, shard, signal), signal)),
    tellRollUpFailed: (shard: number) => tellRollUpFailed(deps, shard),
    watchObjectives: (shard: number) => whileHeartbeating((signal) => watchObjectives(deps, shard, signal)),
    pingDeadMan: () => whileHeartbeating((signal) => pingDeadMan(deps, signal)),
    reconcileMonitors: () => whileHeartbeating((signal) => reconcileMonitors(deps, signal)),
    removeArchivedMonitors: () => whileHeartbeating((signal) => removeArchived(deps, signal)),
  };
}

export type UpkeepActivities = ReturnType<typeof createUpkeepActivities>;
