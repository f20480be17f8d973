import type { BuildRequest } from '../../domain/deploys/build.ts';
import type { PausedBuild, ResumedBuild } from '../../domain/deploys/build-wait.ts';
import type { BuildPlan } from './idle-build.ts';
import type { BuildsInFlight } from './join-build.ts';

export interface CoordinatorInput {
  readonly service: string;
  readonly environment: BuildRequest['environment'];
  /** The request that waited when the workflow continued as new. */
  readonly waiting: BuildRequest | null;
  /** Its plan; absent when a worker of version 0.1 opened the build. */
  readonly plan?: BuildPlan;
  /** Set when that request is of a build that goes on after a wait. */
  readonly resumed?: ResumedBuild;
  /** The build that waits for a decision; absent when none does. */
  readonly paused?: PausedBuild;
}

type CarriedOver = Pick<CoordinatorInput, 'waiting' | 'plan' | 'resumed' | 'paused'>;

/** What is so by now, and nothing of what this run began with: a build that has ended must not be carried on. */
export function carriedOver({ waiting, paused }: Pick<BuildsInFlight, 'waiting' | 'paused'>): CarriedOver {
  const kept = paused === null ? {} : { paused };
  if (waiting === null) return { waiting: null, ...kept };
  const { request, plan, resumed } = waiting;
  return { waiting: request, plan, ...(resumed === undefined ? {} : { resumed }), ...kept };
}
