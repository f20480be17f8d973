/**
 * The module `deploys`: builds, releases and workloads.
 *
 * Keying: a build has an id (`bld_…`), a log line the build id and a sequence number. One coordinator workflow for each
 * service and environment (`deploys/<service>/<env>`) orders and deduplicates requests; `build/<id>` runs one build.
 * Retries: each step has a deadline for an attempt and one for all attempts, both recorded in the plan of the build.
 * The terminal record is retried for a day. Every step is idempotent, so a repeated attempt adds nothing.
 * Compensation: a step may name an undo. After a failure the undos run in reverse order; one that fails becomes a
 * warning of the build, and `cleanup/<id>` tries again. The previous release keeps serving.
 */

import type { Environment } from '../environment.ts';
import { targetKey } from '../ids.ts';
import type { BuildFailure, BuildRequest, FailureReason } from './build.ts';
import type { DeployTarget } from './build-store.ts';
import type { PausedBuild } from './build-wait.ts';

/** Names, ids and message types of the deploy workflows: all that API, workers and workflows share about them. */

export const BUILD_SLOTS_WORKFLOW_ID = 'build-slots';

/** One coordinator for each service and environment decides deduplication and order. */
export function coordinatorWorkflowId(service: string, environment: Environment): string {
  return `deploys/${targetKey(service, environment)}`;
}

export function buildWorkflowId(buildId: string): string {
  return `build/${buildId}`;
}

export function serviceRemovalWorkflowId(service: string): string {
  return `service-removal/${service}`;
}

export const WORKFLOW_TYPES = {
  coordinateDeploys: 'coordinateDeploys',
  runBuild: 'runBuild',
  grantBuildSlots: 'grantBuildSlots',
  removeService: 'removeService',
  cleanUpAfterBuild: 'cleanUpAfterBuild',
  reconcileDeploys: 'reconcileDeploys',
  pruneImages: 'pruneImages',
} as const;

export function cleanUpWorkflowId(buildId: string): string {
  return `cleanup/${buildId}`;
}

/** Images are pruned by one workflow of this id at a time, whoever asked for it. */
export const PRUNE_WORKFLOW_ID = 'prune-images';

/** Updates of the coordinator. */
export const REQUEST_DEPLOY = 'requestDeploy';
export const REQUEST_RESTART = 'requestRestart';
export const CANCEL_BUILD = 'cancelBuild';
export const REMOVE_TARGET = 'removeTarget';

/** Update of the slot keeper; true when the slot is granted at once, else `slotGranted` follows. */
export const REQUEST_SLOT = 'requestSlot';

/** Signals; past tense, as facts. */
export const BUILD_SUPERSEDED = 'buildSuperseded';
export const SLOT_RELEASED = 'slotReleased';
export const SLOT_GRANTED = 'slotGranted';
/** To a build: one who attached to it waits for grants. */
export const WAIT_REQUESTED = 'waitRequested';
/** To the coordinator: somebody decided about a grant that its service asks for. */
export const GRANT_DECIDED = 'grantDecided';
/** Query of the coordinator: the build that waits for a decision; null when none does. */
export const WAITING_BUILD = 'waitingBuild';
/** Query of the coordinator: ids of the builds that it knows and that have not ended. */
export const BUILDS_IN_HAND = 'buildsInHand';
/** To the coordinator: what serves may differ from the records. */
export const DEVIATION_FOUND = 'deviationFound';

/** Answer to a deploy request. */
export interface TriggerOutcome {
  /** The new build, or the one in flight that the request was attached to. */
  readonly buildId: string;
  readonly deduplicated: boolean;
  /** A build that this one made obsolete. */
  readonly supersededBuildId: string | null;
}

/** `cancelled`: the build has ended. `cancelling`: it is undoing what it began. `finished`: there was nothing to cancel. */
export type CancelOutcome = 'cancelled' | 'cancelling' | 'finished';

/** What the coordinator of one environment removes of a service. */
export interface TargetRemoval extends DeployTarget {
  readonly serviceId: string;
}

export interface BuildSuperseded {
  readonly by: string;
}

export interface SlotRequested {
  readonly buildId: string;
  readonly workflowId: string;
  readonly environment: Environment;
  /** Absent in requests of version 0.1, which count as those of one org. */
  readonly org?: string;
  /** Tells the requests of one build apart, which asks anew after each wait; absent in its first. */
  readonly round?: number;
  /** How many builds may run at once, as the worker that asks is configured; the latest value counts. */
  readonly limit: number;
}

export interface SlotReleased {
  readonly buildId: string;
  /** Gives back what was asked for in that round, and nothing of a later one; absent: whatever the build has. */
  readonly round?: number;
}

export interface WaitRequested {
  readonly seconds: number;
}

export interface BuildOutcome {
  readonly buildId: string;
  /** `waiting`: it goes on, in another run of its workflow, once somebody decided. */
  readonly status: 'completed' | 'failed' | 'waiting';
  readonly reason: FailureReason | null;
  readonly failure: BuildFailure | null;
  /** Absent unless it waits. */
  readonly paused?: PausedBuild;
}

/** What the API asks of the deploy workflows. */
export interface DeployCommands {
  /** Starts a build, or attaches to the one in flight. @throws UNAVAILABLE when no worker answers in time. */
  request(request: BuildRequest): Promise<TriggerOutcome>;
  /** Waits a few seconds for the build to end. @throws UNAVAILABLE */
  cancel(target: { buildId: string; service: string; environment: Environment }): Promise<CancelOutcome>;
  /**
   * Removes workloads, routes, releases and the record of a service. Goes on to the end once it has begun, also when
   * nobody waits. `removing`: it is not over after some seconds, as while a part of the platform is away.
   * @throws SERVICE_BUSY while it has open builds; UNAVAILABLE when it could not begin
   */
  removeService(service: { id: string; name: string }): Promise<'removed' | 'removing'>;
}

/** What activities need to know of, or tell, other workflows. */
export interface WorkflowDirectory {
  /** Asks for a build slot: true when it is granted at once, false when a signal will say so. */
  requestSlot(request: SlotRequested): Promise<boolean>;
  /**
   * Gives the slot of a build back. No error when it had none.
   * @param round the slot that it has by a later request stays its own: for who may be late. Absent: whichever it has
   */
  releaseSlot(buildId: string, round?: number): Promise<void>;
  /** True while a workflow of that id is running. */
  isRunning(workflowId: string): Promise<boolean>;
  /**
   * True while the coordinator of a service and environment runs and knows that build. One that was terminated knows
   * nothing when it is started again. @throws UNAVAILABLE when it does not answer
   */
  isInHand(target: DeployTarget, buildId: string): Promise<boolean>;
  /** Tells the coordinator that what a build of its service waits for may be decided. No error when none runs. */
  tellDecided(target: DeployTarget): Promise<void>;
  /** Asks the coordinator to compare what serves with the records, and to repair it. Returns when the request is kept. */
  requestRepair(target: DeployTarget): Promise<void>;
  /** Has the coordinator remove all that runs of a service in an environment; returns when it is gone. */
  removeTarget(removal: TargetRemoval): Promise<void>;
  /** Starts the clean-up of a build once; no error when it has been started before. */
  startCleanUp(build: BuildRequest): Promise<void>;
  /** Starts to prune images, unless that is under way or ended less than `restMs` ago. True when it was started. */
  startPrune(options: { restMs: number }): Promise<boolean>;
  /** Prunes images, or joins who does, and waits for the end, whatever it is. @throws the reason of the signal */
  awaitPrune(signal: AbortSignal): Promise<void>;
}
