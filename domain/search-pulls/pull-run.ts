/** A pull of all properties, on record (spec 3, "search_pull_runs"). */
export const PULL_STATUSES = ['running', 'done', 'failed'] as const;
export type PullStatus = (typeof PULL_STATUSES)[number];

export const PULL_TRIGGERS = ['manual', 'cron', 'resume'] as const;
export type PullTrigger = (typeof PULL_TRIGGERS)[number];

export interface PullProblem {
  readonly code: string;
  readonly message: string;
}

/** What a pull of one property did. */
export interface PropertyPull {
  /** Days whose rows were read. */
  readonly days: number;
  readonly rows: number;
  /** Days of which the vendor may have shown some rows only. */
  readonly truncatedDays: number;
}

export const NOTHING_PULLED: PropertyPull = { days: 0, rows: 0, truncatedDays: 0 };

/** What a pull of all properties did. */
export interface PullSummary extends PropertyPull {
  /** Properties that it was to pull; of a resumed pull, the remainder. */
  readonly properties: number;
  readonly pulled: number;
  readonly failed: number;
  /** The first {@link MOST_FAILURES} of those that failed. */
  readonly failures: readonly (PullProblem & { readonly domain: string })[];
}

export const EMPTY_SUMMARY: PullSummary = { ...NOTHING_PULLED, properties: 0, pulled: 0, failed: 0, failures: [] };

const MOST_FAILURES = 100;

export interface PullRun {
  /** `spr_…` */
  readonly id: string;
  readonly status: PullStatus;
  readonly trigger: PullTrigger;
  readonly requestedBy: string;
  readonly startedAt: Date;
  /** When the pull began whose remainder this one pulls; its own beginning otherwise. */
  readonly since: Date;
  readonly finishedAt: Date | null;
  readonly summary: PullSummary | null;
  readonly error: PullProblem | null;
  /** It was broken off, and another pull took its place. */
  readonly abandoned: boolean;
}

/** What is known of a pull when it is asked for. */
export type NewPull = Pick<PullRun, 'id' | 'trigger' | 'requestedBy' | 'startedAt' | 'since'>;

export function runningPull(pull: NewPull): PullRun {
  return { ...pull, status: 'running', finishedAt: null, summary: null, error: null, abandoned: false };
}

/** A property has been pulled. */
export function countPulled(summary: PullSummary, { days, rows, truncatedDays }: PropertyPull): PullSummary {
  return {
    ...summary,
    pulled: summary.pulled + 1,
    days: summary.days + days,
    rows: summary.rows + rows,
    truncatedDays: summary.truncatedDays + truncatedDays,
  };
}

/** A property could not be pulled; what was stored of it before stays. */
export function countFailed(summary: PullSummary, domain: string, problem: PullProblem): PullSummary {
  const failures = [...summary.failures, { domain, ...problem }].slice(0, MOST_FAILURES);
  return { ...summary, failed: summary.failed + 1, failures };
}

export function addPulls(a: PropertyPull, b: PropertyPull): PropertyPull {
  return {
    days: a.days + b.days,
    rows: a.rows + b.rows,
    truncatedDays: a.truncatedDays + b.truncatedDays,
  };
}

/** A pull has failed when no property at all could be pulled; else it is done, and its summary names those that could not. */
export function endOfPull(summary: PullSummary): Pick<PullRun, 'status' | 'error'> {
  const [first] = summary.failures;
  if (first === undefined || summary.pulled > 0) return { status: 'done', error: null };
  const message = `None of ${summary.properties} properties could be pulled; ${first.domain}: ${first.message}`;
  return { status: 'failed', error: { code: first.code, message } };
}

/** Of a pull that was broken off, as another one took its place. */
export const ABANDONED: PullProblem = {
  code: 'PULL_ABANDONED',
  message: 'The pull was broken off; another one pulls the remainder',
};

/**
 * The pull whose remainder is to be pulled now; null for none. A pull holds the lease as long as its workflow is open, so a
 * deploy or a restart of workers breaks nothing off: a lease lapses when the workflow was terminated, timed out or lost.
 * @param running the newest pull on record that says it runs
 * @param holder what has the lease: the id of a pull, or null for a pull of one property; undefined for nothing
 */
export function pullToResume(running: PullRun | null, holder: string | null | undefined): PullRun | null {
  return running !== null && holder === undefined ? running : null;
}
