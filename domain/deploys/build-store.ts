import type { Environment } from '../environment.ts';
import type { LogLine, NewLogLine } from '../logs/log-line.ts';
import type { Page, PageRequest } from '../page.ts';
import type { BuildRecord, BuildRequest, BuildStep, BuildWait, Diagnostic } from './build.ts';
import type { BuildLockfile } from './build-lockfile.ts';
import type { BuildFacts } from './facts.ts';
import type { BuildStatus } from './status.ts';

export interface BuildFilter {
  readonly serviceId?: string;
  readonly environment?: Environment;
  readonly status?: BuildStatus;
  /** Only builds of services this org owns or is authorized for are shown by the API, which passes their ids here. */
  readonly serviceIds?: readonly string[];
  /** Only builds that are not terminal. */
  readonly open?: boolean;
}

/** Fields that a terminal write sets together. */
export interface BuildEnd {
  readonly status: 'completed' | 'failed';
  readonly reason: BuildRecord['reason'];
  readonly failure: BuildRecord['failure'];
  readonly supersededBy: string | null;
  /** Grants that kept it from going on; absent when none did. */
  readonly blockedGrants?: BuildRecord['blockedGrants'];
  readonly finishedAt: Date;
}

/** Everything that is installed and kept is of one service in one environment. */
export interface DeployTarget {
  readonly service: string;
  readonly environment: Environment;
}

/** What recovery and clean-up need to know of a build: a record without its plan, facts and diagnostics. */
export type BuildOutline = Pick<
  BuildRecord,
  'id' | 'serviceId' | 'service' | 'environment' | 'createdAt' | 'imageTag' | 'imageDigest' | 'releaseId'
>;

/** What a step adds to the record of its build. */
export interface StepFindings {
  /** Merged; commitSha, imageTag, imageDigest, releaseId, url and healthReportsCommit are backfilled from them. */
  readonly facts?: BuildFacts;
  readonly warnings?: readonly string[];
  /** Whose write it is: refused once a later attempt works on the step, or this one has ended it. Absent: any. */
  readonly attempt?: number;
}

/** Build records. Every write is one conditional update of one document; a terminal record never changes again. */
export interface BuildStore {
  /** Idempotent on the id: a second call with the same id changes nothing. @returns what is stored under it */
  create(record: BuildRecord): Promise<BuildRecord>;
  find(id: string): Promise<BuildRecord | null>;
  /** Newest first. */
  list(filter: BuildFilter, page: PageRequest): Promise<Page<BuildRecord>>;
  /** Builds that are not terminal, newest first; with a target, those of that service and environment. */
  listOpen(target: DeployTarget | null, page: PageRequest): Promise<Page<BuildOutline>>;
  /** Whether a build is terminal; null when there is no such build. */
  stateOf(id: string): Promise<'open' | 'ended' | null>;
  /** Where builds are, by their ids, read at once; those that are not kept are not in it. */
  statusesOf(ids: readonly string[]): Promise<ReadonlyMap<string, Pick<BuildRecord, 'status' | 'reason'>>>;
  /** The build of a service and environment that was created last, open or not; null before the first. */
  newest(target: DeployTarget): Promise<BuildOutline | null>;
  /** True while a build whose source is that archive is open, but for one that waits for grants: its image is built. */
  needsArchive(archiveId: string): Promise<boolean>;
  /**
   * Notes the epoch of an open build, unless it has one. @returns the one it has
   * @throws CONFLICT for a build that ended without one
   */
  giveEpoch(id: string, epoch: number): Promise<number>;
  /**
   * Replaces the planned steps, as happens when the catalog is known. Changes nothing when a step has begun or ended since
   * they were read: those that have begun must be in the record as they are given here.
   */
  setSteps(id: string, steps: readonly BuildStep[]): Promise<void>;
  /**
   * Marks one step and moves `status` forward to the step's stage; never backward, never out of a terminal state. What the
   * step found is kept in the same write.
   * @returns false when nothing was written: the build has ended, or a later attempt works on the step
   */
  markStep(
    id: string,
    step: Pick<BuildStep, 'key' | 'stage'>,
    changes: Partial<Pick<BuildStep, 'state' | 'reason' | 'attempt' | 'startedAt' | 'finishedAt' | 'warnings'>>,
    found?: StepFindings,
  ): Promise<boolean>;
  addWarnings(id: string, warnings: readonly string[]): Promise<void>;
  /**
   * Those that are not true any more. Nothing of a build that has ended.
   * @param of the attempt that takes its step's earlier ones away; one that a later attempt followed takes nothing
   */
  removeWarnings(id: string, warnings: readonly string[], of: Pick<BuildStep, 'key' | 'attempt'>): Promise<void>;
  addDiagnostic(id: string, diagnostic: Diagnostic): Promise<void>;
  /**
   * Keeps the lockfile of a build for 90 days. Idempotent: a later one of the same build takes its place.
   * @throws PAYLOAD_TOO_LARGE for one of more than 8 MiB
   */
  keepLockfile(build: Pick<BuildRequest, 'buildId' | 'serviceId'>, lockfile: BuildLockfile): Promise<void>;
  /** Those of all builds of a service. Idempotent. */
  removeLockfiles(serviceId: string): Promise<void>;
  /** Null for a build without one, and once it is forgotten. */
  lockfileOf(id: string): Promise<BuildLockfile | null>;
  /**
   * That a build waits for grants, or, with null, goes on.
   * @param at the step that waits, as it was when the grants were read
   * @returns false when it has ended, or a later attempt works on that step
   */
  setWaiting(
    id: string,
    waiting: (BuildWait & Pick<BuildRecord, 'blockedGrants'>) | null,
    at?: Pick<BuildStep, 'key' | 'attempt'>,
  ): Promise<boolean>;
  /** Notes that a request was attached to a build, by the id that its own build would have had. Idempotent; kept for 7 days. */
  noteAttached(requested: string, buildId: string): Promise<void>;
  /** The build that a request was attached to; null when it was not. */
  attachedTo(requested: string): Promise<string | null>;
  /**
   * Notes what is asked for under a key, unless something is; kept for 7 days.
   * @param fingerprint of the request
   * @returns that of the request that was first under the key: of many at once, one is
   */
  claimKey(key: string, fingerprint: string): Promise<string>;
  /** The terminal write; it waits for nothing any more. False when the record was terminal already. Steps still running become failed or cancelled. */
  finish(id: string, end: BuildEnd): Promise<boolean>;
  /** As `finish`, of a build of which no step has begun. False when one has, or when it was terminal already. */
  finishUnbegun(id: string, end: BuildEnd): Promise<boolean>;
}

/** Hands out epochs: see `epoch.ts`. */
export interface EpochStore {
  /** The next epoch of a service and environment, greater than all before it. It goes on when a service is removed. */
  next(target: DeployTarget): Promise<number>;
}

/** The append-only log of each build. Lines are redacted before they get here. */
export interface BuildLog {
  /**
   * Gives each line the next sequence numbers. Past the cap, lines are dropped after one that says so. With `once`, a
   * second call of the same build and key writes nothing.
   */
  append(buildId: string, lines: readonly NewLogLine[], once?: string): Promise<void>;
  /** Lines with `seq > after`, in order, at most `limit`. */
  read(buildId: string, after: number, limit: number): Promise<readonly LogLine[]>;
  /** The last lines with `seq < before`, in order, at most `limit`. */
  readBefore(buildId: string, before: number, limit: number): Promise<readonly LogLine[]>;
  /** True when lines with `seq > after` exist, also those that `read` holds back for a moment. */
  hasMore(buildId: string, after: number): Promise<boolean>;
}
