import type { Environment } from '../environment.ts';
import type { LookOutcome } from './delivery.ts';

/** Names and shapes that the API and the workflows of pushes share. */

export const GIT_HOOKS_WORKFLOWS = {
  deployPushes: 'deployPushes',
  lookAgain: 'lookAgain',
  reportBuild: 'reportBuild',
  watchRepository: 'watchRepository',
} as const;

/** Signal of `deployPushes` and `watchRepository`: look at it; the arguments are the ids of the deliveries that ask. */
export const LOOK_REQUESTED = 'lookRequested';
/** Signal of `watchRepository`: how often it looks was changed, or the connection removed. */
export const CONNECTION_CHANGED = 'connectionChanged';

/** A branch or tag, by its full name, of a connected repository. */
export interface PushedRef {
  readonly connectionId: string;
  readonly ref: string;
}

/** A branch or tag whose head is new, and the deliveries that are told what it deploys. */
export interface MovedRef {
  readonly ref: string;
  readonly deliveries: readonly string[];
}

export function pushWorkflowId({ connectionId, ref }: PushedRef): string {
  return `git-push/${connectionId}/${ref}`;
}

/** One for each build, whoever asked for it first. */
export function reportWorkflowId(buildId: string): string {
  return `git-status/${buildId}`;
}

export function watchWorkflowId(connectionId: string): string {
  return `git-watch/${connectionId}`;
}

/** A build that a look decided on. Its id is made with it, so that it is asked for once. */
export interface PushedBuild extends PushedRef {
  readonly buildId: string;
  readonly serviceId: string;
  readonly service: string;
  readonly environment: Environment;
  readonly commit: string;
  /** The head that was looked at before, null for none; absent in one of an earlier worker. */
  readonly before?: string | null;
  /** Who pushed: `git:<login>`, a user id, or `git`. */
  readonly requestedBy: string;
  /** The account that pushed this head, as the git host itself says; absent where it does not, or a person asked. */
  readonly confirmedPusher?: { readonly login: string; readonly accountId: string };
}

/** What a look at one branch or tag decided. */
export interface Look {
  readonly outcomes: readonly LookOutcome[];
  readonly builds: readonly PushedBuild[];
}

/** A build that was asked for, and what the look says about it. */
export interface AskedBuild {
  readonly outcome: LookOutcome;
  /** The build whose end the commit is told of; null for none. */
  readonly report: BuildReport | null;
}

export interface BuildReport {
  readonly connectionId: string;
  readonly buildId: string;
  readonly service: string;
  readonly environment: Environment;
  readonly commit: string;
}

/** The API's way to the workflows of pushes. */
export interface GitHookCommands {
  /** Has a branch or tag looked at; returns when that is durable. @throws UNAVAILABLE (retryable) */
  look(pushed: PushedRef, deliveryId: string): Promise<void>;
  /** Has all branches and tags looked at that rules match. @throws UNAVAILABLE (retryable) */
  lookAtAll(connectionId: string, deliveryId: string): Promise<void>;
  /** Tells that the settings of a connection changed; starts what is to look unasked. @throws UNAVAILABLE (retryable) */
  changed(connectionId: string): Promise<void>;
}

/** Line on which a commit shows how the deploy of one service to one environment goes. */
export function statusContext({ service, environment }: Pick<BuildReport, 'service' | 'environment'>): string {
  return `fairlead/${service}/${environment}`;
}
