import type { Environment } from '../environment.ts';
import type { BuildKind } from './build-kind.ts';
import type { BuildFacts } from './facts.ts';
import type { BuildStage, BuildStatus } from './status.ts';
import type { StepRun } from './step-run.ts';

/** Why a build ended as `failed`: one of its own steps, or what was decided about it from outside. */
export const FAILURE_REASONS = ['step_failed', 'superseded', 'cancelled', 'abandoned'] as const;

export type FailureReason = (typeof FAILURE_REASONS)[number];

/** Where a build's source comes from. No credential is ever part of it. */
export type BuildSource =
  | {
      readonly kind: 'git';
      readonly url: string;
      /** Branch to build; null means the remote's default branch. A hint when `commit` is set. */
      readonly branch: string | null;
      /** Full commit id the caller pinned; null means the branch head at clone time. */
      readonly commit: string | null;
    }
  | { readonly kind: 'archive'; readonly archiveId: string; readonly sha256: string };

/** Everything a build was asked for; the workflow's only argument, small and free of secrets. */
export interface BuildRequest {
  readonly buildId: string;
  readonly kind: BuildKind;
  readonly serviceId: string;
  readonly service: string;
  readonly environment: Environment;
  /** Org of the caller who triggered it. */
  readonly org: string;
  readonly source: BuildSource;
  /** Who asked: a user id or `internal`. */
  readonly requestedBy: string;
  readonly requestId: string;
  /** ISO time of the request. */
  readonly requestedAt: string;
  /** For a retry: what the earlier build already made and from where to go on. */
  readonly resume: ResumePoint | null;
  /** For a rollback: the release to install again. */
  readonly releaseId: string | null;
  /** Why conventions and SDK upgrades are not checked; absent when they are. */
  readonly skipConventionCheck?: string;
  /** Whether an admin of the platform asked for it, by a session or a token; absent: nobody who is one. */
  readonly byPlatformAdmin?: true;
  /** How long it may wait for scopes of other orgs to be granted; absent when it ends where they are missing. */
  readonly waitForGrantsSeconds?: number;
}

export interface ResumePoint {
  readonly buildId: string;
  readonly fromStep: string;
  readonly facts: BuildFacts;
}

/** States of a step. `unknown`: another version stored its state, or how it runs, in a way that this one does not know. */
export const STEP_STATES = [
  'pending',
  'running',
  'completed',
  'skipped',
  'reused',
  'failed',
  'warned',
  'cancelled',
  'unknown',
] as const;

export type StepState = (typeof STEP_STATES)[number];

/** One row of a build's plan, as it was made and is carried out. */
export interface PlannedStep {
  readonly key: string;
  readonly title: string;
  readonly stage: BuildStage;
  /** `warn`: whatever fails in this step, the build goes on with a warning. */
  readonly onFailure: 'fail' | 'warn';
  readonly state: StepState;
  /** Why the step is skipped or reused; null otherwise. */
  readonly reason: string | null;
  /** How the step is carried out; null for one that does not run, and in records of version 0.1. */
  readonly run: StepRun | null;
}

/** One step of a build as shown to people: the plan and what became of it. */
export interface BuildStep extends PlannedStep {
  readonly attempt: number;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly warnings: readonly string[];
}

export interface BuildFailure {
  /** One of ERROR_CODES, or a code of another version. */
  readonly code: string;
  readonly message: string;
  /** Key of the step; null when none ran. */
  readonly step: string | null;
  readonly details?: unknown;
  /** The system that failed, where the error named one: `registry`, `identity-provider`, … */
  readonly system?: string;
}

/** Measured facts that help to explain a failure: the last lines of a container, a probe's answer. */
export interface Diagnostic {
  readonly step: string;
  readonly title: string;
  readonly lines: readonly string[];
}

/** That a build waits for a decision, as its record tells. */
export interface BuildWait {
  readonly since: Date;
  /** When it fails if nobody has decided. */
  readonly until: Date;
}

/** The build record (spec 2, "Build record"). */
export interface BuildRecord {
  readonly id: string;
  readonly kind: BuildKind;
  readonly serviceId: string;
  readonly service: string;
  readonly environment: Environment;
  readonly org: string;
  readonly source: BuildSource;
  readonly status: BuildStatus;
  readonly reason: FailureReason | null;
  readonly failure: BuildFailure | null;
  readonly steps: readonly BuildStep[];
  readonly commitSha: string | null;
  readonly imageTag: string | null;
  readonly imageDigest: string | null;
  readonly releaseId: string | null;
  readonly url: string | null;
  readonly healthReportsCommit: boolean | null;
  readonly diagnostics: readonly Diagnostic[];
  readonly blockedGrants: readonly unknown[];
  /** Set while it waits for `blockedGrants` to be decided; its step is running all the while. */
  readonly waiting: BuildWait | null;
  readonly warnings: readonly string[];
  readonly retryOf: string | null;
  readonly supersededBy: string | null;
  /** The epoch in which it acts on its service and environment; null before it installs. */
  readonly epoch: number | null;
  /** What is needed to retry from a step; kept from the last step that ended well. */
  readonly facts: BuildFacts;
  readonly requestedBy: string;
  readonly requestId: string;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}
