/** A verification of one domain or many, whose outcomes people ask for (spec 3, "verify job"). */
export interface VerifyJob {
  /** `job_…`. */
  readonly id: string;
  readonly kind: 'verify';
  readonly status: 'running' | 'done';
  readonly domains: readonly string[];
  /** In the order in which they came. */
  readonly outcomes: readonly DomainOutcome[];
  /** A user id, a client id, or `schedule`. */
  readonly requestedBy: string;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/**
 * What came of a domain.
 *
 * - `verified`: the search engine confirmed it in this run.
 * - `already-verified`: it was before, and still is.
 * - `record-not-seen-yet`: a person sets the record, since the nameservers are elsewhere.
 * - `error`: the Property is in error; its `lastError` says why.
 * - `skipped`: unknown, ignored, or in a run of another job.
 */
export const VERIFY_OUTCOMES = ['verified', 'already-verified', 'record-not-seen-yet', 'error', 'skipped'] as const;
export type VerifyOutcome = (typeof VERIFY_OUTCOMES)[number];

export interface DomainOutcome {
  readonly domain: string;
  readonly outcome: VerifyOutcome;
  readonly message: string | null;
  readonly at: Date;
}

/** The most domains of one job. */
export const MOST_JOB_DOMAINS = 5_000;

/** A job with 5,000 of them is far below what a database keeps in one record. */
export const LONGEST_OUTCOME_MESSAGE = 300;

/** An outcome as it is kept. */
export function keptOutcome(outcome: DomainOutcome): DomainOutcome {
  return { ...outcome, message: outcome.message?.slice(0, LONGEST_OUTCOME_MESSAGE) ?? null };
}

/** A job with one more outcome; null where it changes nothing. */
export function withOutcome(job: VerifyJob, outcome: DomainOutcome): VerifyJob | null {
  const { domain } = outcome;
  if (!job.domains.includes(domain) || job.outcomes.some((one) => one.domain === domain)) return null;
  const outcomes = [...job.outcomes, keptOutcome(outcome)];
  const isDone = outcomes.length === job.domains.length;
  return { ...job, outcomes, ...(isDone && { status: 'done', finishedAt: outcome.at }) };
}
