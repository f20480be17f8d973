import type { LookOutcome } from '../../domain/git-hooks/delivery.ts';
import type { AskedBuild, Look, PushedBuild } from '../../domain/git-hooks/messages.ts';
import { createOrgPlaces } from '../org-places.ts';
import { whileHeartbeating } from '../while-heartbeating.ts';
import { askForBuild } from './ask-for-build.ts';
import type { GitHooksActivityDeps } from './deps.ts';
import { findMoved, type Scanned, tellUnreachable } from './find-moved.ts';
import { finishRemovals } from './finish-removals.ts';
import type { ScanInput } from './keep-poll.ts';
import { lookAgain } from './look-again.ts';
import { type LookInput, lookAtRef } from './look-at-ref.ts';
import { reportStatus, type StatusInput } from './report-status.ts';

/** What was decided about deliveries. */
export interface Decided {
  readonly deliveries: readonly string[];
  readonly outcomes: readonly LookOutcome[];
}

/** The activities of the workflows of pushes; each can be repeated. */
export function createGitHooksActivities(deps: GitHooksActivityDeps) {
  const inOrgPlace = createOrgPlaces('Git hosts');
  /** What waits for a git host, in a place of the org that named it. */
  const waiting = <T>(connectionId: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    whileHeartbeating(async (signal) => {
      const connection = await deps.gitConnections.find(connectionId);
      return await inOrgPlace(connection?.org ?? null, () => work(signal));
    });
  return {
    lookAtRef: (input: LookInput): Promise<Look> =>
      waiting(input.connectionId, (signal) => lookAtRef(deps, input, signal)),
    askForBuild: (pushed: PushedBuild): Promise<AskedBuild> => askForBuild(deps, pushed),
    /** Adds what was decided to deliveries. Idempotent. */
    recordOutcomes: ({ deliveries, outcomes }: Decided): Promise<void> =>
      deps.gitDeliveries.decide(deliveries, outcomes),
    findMoved: (input: ScanInput): Promise<Scanned> =>
      waiting(input.connectionId, (signal) => findMoved(deps, input, signal)),
    /** Has deliveries looked at that were left. */
    lookAgain: (): Promise<void> => lookAgain(deps),
    /** Finishes removals of connections that were left. */
    finishRemovals: (): Promise<void> => finishRemovals(deps),
    tellUnreachable: (input: ScanInput & { readonly message: string }): Promise<Scanned> =>
      tellUnreachable(deps, input),
    /** How often a repository is looked at unasked. Reads only. */
    readPolling: async (connectionId: string): Promise<Scanned> => ({
      pollMinutes: (await deps.gitConnections.find(connectionId))?.pollMinutes ?? null,
    }),
    reportStatus: (input: StatusInput): Promise<void> =>
      waiting(input.report.connectionId, (signal) => reportStatus(deps, input, signal)),
    /** Whether a build has ended; null when there is no such build. Reads only. */
    readBuildState: (buildId: string): Promise<'open' | 'ended' | null> => deps.builds.stateOf(buildId),
  };
}

export type GitHooksActivities = ReturnType<typeof createGitHooksActivities>;
