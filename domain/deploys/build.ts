import type { Catalog } from '../catalog/catalog.ts';
import type { Environment } from '../environment.ts';
import type { ErrorCode } from '../errors.ts';
import type { BuildStage, BuildStatus } from './status.ts';
import type { StepKey, StepState } from './steps.ts';

/** Why a build ended as `failed` when it was not one of its own steps that failed. */
export type FailureReason = 'step_failed' | 'superseded' | 'cancelled' | 'abandoned';

export const BUILD_KINDS = ['deploy', 'retry', 'rollback'] as const;

/** `deploy` runs every step; `retry` reuses what an earlier build made; `rollback` installs an earlier release. */
export type BuildKind = (typeof BUILD_KINDS)[number];

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
}

export interface ResumePoint {
  readonly buildId: string;
  readonly fromStep: StepKey;
  readonly facts: BuildFacts;
}

/** What steps found out and made, handed from step to step. Plain JSON, at most a few kilobytes. */
export interface BuildFacts {
  readonly commitSha?: string;
  readonly branch?: string;
  /** Directory of the source on the worker, absolute. */
  readonly workDir?: string;
  /** Effective app path inside the source, relative; `''` is the root. */
  readonly appPath?: string;
  /** Build context inside the source, relative. */
  readonly contextPath?: string;
  /** Hand-written container file inside the source, relative, when one is to be used. */
  readonly dockerfile?: string | null;
  readonly catalog?: Catalog;
  /** True when the container file was generated, so a read-only root file system is known to work. */
  readonly generatedContainerFile?: boolean;
  /** Port the workload listens on. */
  readonly port?: number;
  readonly imageTag?: string;
  /** `registry/name@sha256:…`, as the registry reported it after the push. */
  readonly imageDigest?: string;
  readonly releaseId?: string;
  readonly workloadId?: string;
  readonly url?: string;
  readonly healthReportsCommit?: boolean;
}

/** One step of a build as shown to people: the plan and what became of it. */
export interface BuildStep {
  readonly key: StepKey;
  readonly title: string;
  readonly stage: BuildStage;
  readonly onFailure: 'fail' | 'warn';
  readonly state: StepState;
  /** Why the step is skipped or reused; null otherwise. */
  readonly reason: string | null;
  readonly attempt: number;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
  readonly warnings: readonly string[];
}

export interface BuildFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly step: StepKey | null;
  readonly details?: unknown;
}

/** Measured facts that help to explain a failure: the last lines of a container, a probe's answer. */
export interface Diagnostic {
  readonly step: StepKey;
  readonly title: string;
  readonly lines: readonly string[];
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
  readonly warnings: readonly string[];
  readonly retryOf: string | null;
  readonly supersededBy: string | null;
  /** What is needed to retry from a step; kept from the last step that ended well. */
  readonly facts: BuildFacts;
  readonly requestedBy: string;
  readonly requestId: string;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}
