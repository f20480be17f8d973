import type { BuildFailure, BuildRequest, PlannedStep } from './build.ts';
import type { BuildFacts } from './facts.ts';

/**
 * How long a build may wait for scopes of other orgs to be granted, in seconds. The contract has the deploy fail and be
 * deployed again by hand (spec 2, "Scope grant states"); that is so unless the request says otherwise.
 */
export const GRANT_WAIT_SECONDS = { min: 60, default: 24 * 60 * 60, max: 7 * 24 * 60 * 60 } as const;

/** A step before the one that waited, which runs again once the build goes on: what it found may not be so any more. */
export interface RepeatedStep {
  readonly step: PlannedStep;
  /** So far: later ones count on from there. */
  readonly attempts: number;
}

/** A build that waits, as its coordinator keeps it: what it has found, and what it has left to run. */
export interface PausedBuild {
  readonly request: BuildRequest;
  /** The first is the step that waits: it runs again. */
  readonly plan: readonly PlannedStep[];
  readonly facts: BuildFacts;
  /** Attempts of that step so far: later ones count on from there. */
  readonly attempts: number;
  /** Run before it; absent where there are none. */
  readonly again?: readonly RepeatedStep[];
  /** How often the build has waited, this time included; absent in what an earlier version paused. */
  readonly waits?: number;
  /** ISO times; both of the first wait of a build that waits more than once. */
  readonly since: string;
  readonly until: string;
  /** Why it does not go on: how it ends when nobody decides. */
  readonly failure: BuildFailure;
}

/** What a build that goes on after a wait begins with. */
export interface ResumedBuild extends Pick<PausedBuild, 'facts' | 'attempts' | 'waits' | 'since' | 'until'> {
  /** Key of the step that waited. */
  readonly step: string;
  /** Attempts so far of the steps that run again before it, by key. */
  readonly again?: Readonly<Record<string, number>>;
}

export interface DecisionInput extends Pick<PausedBuild, 'request' | 'facts' | 'since' | 'until'> {
  readonly step: Pick<PlannedStep, 'key' | 'title' | 'stage'>;
}

/** `refused`: the build ends with the failure. `open`: it would, were its time up. */
export type Decision =
  | { readonly state: 'granted' }
  | { readonly state: 'open' | 'refused'; readonly failure: BuildFailure };

/** Answer of the query for the build of a service and environment that waits. */
export interface WaitingView extends Pick<PausedBuild, 'since' | 'until'> {
  readonly buildId: string;
  readonly step: string;
  /** What it waits for: names each grant and the command. */
  readonly reason: string;
}
