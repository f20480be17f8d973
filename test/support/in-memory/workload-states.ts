import type { Clock } from '../../../domain/clock.ts';
import type { WorkloadStates } from '../../../domain/deploys/workload-runtime.ts';
import { STATE_KEPT_SECONDS, type WorkloadState } from '../../../domain/deploys/workload-state.ts';

export function createInMemoryWorkloadStates({ now }: { now: Clock }): WorkloadStates {
  const states = new Map<string, WorkloadState>();
  return {
    async put(state) {
      states.set(state.buildId, state);
    },
    async find(buildId) {
      const state = states.get(buildId);
      const oldest = now().getTime() - STATE_KEPT_SECONDS * 1_000;
      return state === undefined || state.measuredAt.getTime() <= oldest ? null : state;
    },
  };
}
