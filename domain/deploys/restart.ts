import type { BuildRequest } from './build.ts';
import type { DeployTarget } from './build-store.ts';

/** Asks for the active release to be installed once more, with the credentials that its service has now. */
export interface RestartRequest extends DeployTarget {
  /** Of the build that does it; chosen by whoever asks, so that a repeated request is one. */
  readonly buildId: string;
  /** The service it is meant for: a later one of the same name is left alone. */
  readonly serviceId: string;
  /** Nothing is restarted that was installed in this epoch or later. */
  readonly installedBefore: number;
  /** A user id, a client id, or `schedule`. */
  readonly requestedBy: string;
  readonly requestId: string;
  /** ISO time. */
  readonly requestedAt: string;
}

/**
 * - `started`: the build runs, or has run.
 * - `busy`: another build of the service is under way, which a restart neither replaces nor waits behind.
 * - `not needed`: no release serves that was installed before.
 */
export type RestartOutcome = 'started' | 'busy' | 'not needed';

/** Asks the coordinator of a service for a restart. @throws UNAVAILABLE (retryable) when no worker answers in time */
export interface RestartCommands {
  restart(request: RestartRequest): Promise<RestartOutcome>;
}

/** What came of opening its build: the request and plan to run; or why there is nothing to run. */
export type OpenedRestart<Plan> =
  | { readonly kind: 'opened'; readonly request: BuildRequest; readonly plan: Plan }
  | { readonly kind: 'ended' | 'not needed' };
