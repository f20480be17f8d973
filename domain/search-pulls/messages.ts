import type { PropertyPull, PullProblem, PullSummary, PullTrigger } from './pull-run.ts';

/** Names, ids and shapes that the API and the workflows of pulls share. */

export const SEARCH_PULLS_WORKFLOWS = {
  pullEstate: 'pullEstate',
  pullProperty: 'pullProperty',
  dailySearchPull: 'dailySearchPull',
  resumeSearchPull: 'resumeSearchPull',
} as const;

/** One id for every pull: Temporal runs one workflow of an id at a time, so this is the lease. */
export const SEARCH_PULL_WORKFLOW_ID = 'search-pull';

/** In the memo of the workflow of {@link SEARCH_PULL_WORKFLOW_ID}. */
export interface PullUnderWay {
  /** Null for a pull of one property, which has no record. */
  readonly runId: string | null;
}

/** A pull of all properties that is asked for. Times are ISO. */
export interface EstateJob {
  readonly runId: string;
  readonly trigger: PullTrigger;
  readonly requestedBy: string;
  readonly startedAt: string;
  /** When the pull began whose remainder this one pulls. */
  readonly since: string;
}

/** A pull of one property that is asked for. */
export interface PropertyJob {
  readonly property: string;
  /** ISO time: days that were pulled since are not pulled again. */
  readonly since: string;
}

/** What one attempt at a property has done. */
export interface PullProgress extends PropertyPull {
  /** False when it ended to let others have the worker: call it again. */
  readonly isWhole: boolean;
}

/** How a pull of all properties ends. */
export interface PullEnd {
  readonly runId: string;
  readonly summary: PullSummary;
  /** Why it was broken off; null when it came to its end. */
  readonly problem: PullProblem | null;
}
