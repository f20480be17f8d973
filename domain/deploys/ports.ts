import type { PodTier } from '../catalog/pod-tiers.ts';
import type { SealedSecret } from '../config/sealed-secret.ts';
import type { DatabaseEngine } from '../databases/engines.ts';
import type { Environment } from '../environment.ts';
import type { LogLine, NewLogLine } from '../logs/log-line.ts';
import type { OutputLine, OutputPosition } from '../logs/output-line.ts';
import type { Page, PageRequest } from '../page.ts';
import type { BuildRecord, BuildSource, BuildStep, BuildWait, Diagnostic } from './build.ts';
import type { BuildFacts } from './facts.ts';
import type { ListeningSocket } from './listening.ts';
import type { Release } from './release.ts';
import type { BuildStatus } from './status.ts';
import type { WorkloadMeasure, WorkloadState } from './workload-state.ts';

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

/** The moment a release becomes the serving one. */
export interface Activation {
  readonly at: Date;
  /** Of the build that activates it. */
  readonly epoch: number;
  /** The build that installed it: its workload serves. */
  readonly buildId: string;
}

/** Releases; at most one of a service and environment is the active one. */
export interface ReleaseStore {
  /** Idempotent on the id. */
  put(release: Release): Promise<void>;
  find(id: string): Promise<Release | null>;
  /** Where the service of a release turned out to answer. No error when there is no such release. */
  setHealthEndpoint(id: string, healthEndpoint: string): Promise<void>;
  /** Where the service of a release was found to listen: its rule is `found` from then on. No error when there is none. */
  setFoundPort(id: string, port: number): Promise<void>;
  /** The release that was activated in the newest epoch; null before the first. */
  active(service: string, environment: Environment): Promise<Release | null>;
  /** Every service and environment that has an active release, ordered by service, then environment. */
  listTargets(page: PageRequest): Promise<Page<DeployTarget>>;
  /**
   * Idempotent: an activation of an older epoch than the release's own changes nothing.
   * @throws RELEASE_NOT_FOUND; CONFLICT when it was withdrawn in that epoch or a later one
   */
  activate(id: string, activation: Activation): Promise<void>;
  /**
   * Decides that the release will not be activated in that epoch any more; one write decides between this and an
   * activation. @returns false when it was activated in that epoch already; true also when there is no such release
   */
  withdraw(id: string, epoch: number): Promise<boolean>;
  /** Newest activation first; never-activated releases are left out. */
  list(service: string, environment: Environment, page: PageRequest): Promise<Page<Release>>;
  /** Every release, ordered by id. */
  listAll(page: PageRequest): Promise<Page<Release>>;
  /** Puts another sealed form of a secret in the place of `from`. False when something else is there by now. */
  replaceSecret(id: string, name: string, change: { from: SealedSecret; to: SealedSecret }): Promise<boolean>;
  /** Removes the releases of one service record; those of a later service of that name stay. */
  removeService(service: { readonly id: string; readonly name: string }): Promise<void>;
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

export interface UploadBounds {
  readonly limitBytes: number;
  /** Who uploads. Its archives together have a quota, whatever services they are for. */
  readonly org: string;
  /** True for an archive that an open build needs; asked right before one is removed. */
  readonly isNeeded: (id: string) => Promise<boolean>;
}

/** Uploaded source archives (gzip-compressed tar). */
export interface ArchiveStore {
  /**
   * Streams to durable storage. At the org's quota, its oldest archives that are not needed make room.
   * @throws PAYLOAD_TOO_LARGE past `limitBytes`, UPLOAD_QUOTA_EXCEEDED, DISK_FULL; all leave nothing behind
   */
  save(
    content: AsyncIterable<Uint8Array>,
    bounds: UploadBounds,
  ): Promise<{ id: string; sha256: string; sizeBytes: number }>;
  /** Opens for reading. @throws SOURCE_MISSING when it is gone. */
  open(id: string): Promise<AsyncIterable<Uint8Array>>;
  /** Removes archives older than `before`, except those that are needed; each is asked for right before its removal. */
  prune(before: Date, isNeeded: (id: string) => Promise<boolean>, signal: AbortSignal): Promise<number>;
}

/** What a long effect gets besides its input: a signal to obey and a place to say what happens. */
export interface EffectContext {
  readonly signal: AbortSignal;
  /** Receives output lines as they come; already safe to show only after redaction by the caller. */
  readonly onLine: (line: string, level?: 'info' | 'warn' | 'error') => void;
}

/** A repository, and the org that owns the service it is read for: which credentials are sent follows from both. */
export interface OrgRepository {
  readonly url: string;
  /** Slug; null for a service that is gone, for which nothing is sent. */
  readonly org: string | null;
}

/** Tokens that orgs gave for single repositories. */
export interface RepositoryTokens {
  /** The token that the org gave for this very repository; null for none. @throws UNAVAILABLE */
  find(repository: { readonly url: string; readonly org: string }): Promise<RepositoryToken | null>;
}

export interface RepositoryToken {
  readonly username: string;
  readonly token: string;
}

/** Commits between two of one repository. */
export interface CommitRange extends OrgRepository {
  /** Full id; null for no end. */
  readonly since: string | null;
  /** Full id. */
  readonly until: string;
  readonly limit: number;
}

/** What fetching source gets besides the source. */
export interface FetchContext extends EffectContext {
  /** As of {@link OrgRepository}. */
  readonly org: string | null;
}

/** Fetches source into a directory. Credentials come from the adapter's own configuration, never from arguments. */
export interface SourceFetcher {
  /**
   * The commit at the head of the branch (null: the default branch).
   * @throws SOURCE_UNREACHABLE, SOURCE_REFUSED, SOURCE_MISSING
   */
  resolveHead(
    repository: OrgRepository,
    branch: string | null,
    signal: AbortSignal,
  ): Promise<{ commit: string; branch: string }>;
  /**
   * The first lines of the commits that `until` has and `since` has not, newest first. They are what authors wrote; a long
   * one ends with `CUT_MARK`. Empty where the repository has one of both no more.
   * @throws SOURCE_UNREACHABLE (retryable when it may pass), SOURCE_REFUSED, SOURCE_MISSING, or the abort reason
   */
  commitSubjects(range: CommitRange, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Puts the source into `directory`, which is made anew (whatever an earlier attempt left is removed first). After an
   * error nothing is left there.
   * @throws SOURCE_UNREACHABLE (retryable when it may pass), SOURCE_REFUSED, COMMIT_NOT_FOUND, ARCHIVE_INVALID,
   *   SOURCE_MISSING, DISK_FULL, or the abort reason
   */
  fetch(
    source: BuildSource,
    directory: string,
    context: FetchContext,
  ): Promise<{ commitSha: string | null; branch: string | null }>;
}

/** The checked-out source of a build. All paths are relative to it and never leave it, not even by a link. */
export interface Workspace {
  /** Absolute directory of a build's source. */
  directory(buildId: string): string;
  /** Text of a file of at most `limitBytes`; null when there is none. @throws SOURCE_REFUSED for one outside or too large. */
  readText(buildId: string, path: string, limitBytes: number): Promise<string | null>;
  /** Names in a directory; empty when there is none. */
  list(buildId: string, path: string): Promise<readonly string[]>;
  /** Writes a file with the given mode, making directories. @throws SOURCE_REFUSED when it would leave the source. */
  write(buildId: string, path: string, text: string, mode?: number): Promise<void>;
  remove(buildId: string): Promise<void>;
  /** Free bytes where source is checked out. */
  freeBytes(): Promise<number>;
  /** Ids of builds that have a directory. */
  builds(): Promise<readonly string[]>;
}

export interface ImageBuildInput {
  readonly buildId: string;
  readonly service: string;
  readonly environment: Environment;
  /** Absolute. */
  readonly contextDirectory: string;
  /** Absolute path of the container file. */
  readonly dockerfile: string;
  readonly tag: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Files that instructions of the container file may mount by id, and that are in no layer; ids to their text. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** An image that a build made. */
export interface BuiltImage extends DeployTarget {
  readonly buildId: string;
  /** Its tags and digest references; none when another image took its tag. */
  readonly names: readonly string[];
}

/** Builds, pushes and prunes images. Every call ends its own processes when the signal aborts. */
export interface ImageBuilder {
  /** True where RUN instructions can have mounts, as with BuildKit. */
  readonly mounts: boolean;
  /** @throws IMAGE_BUILD_FAILED, BUILD_LIMIT_EXCEEDED, BASE_IMAGE_UNAVAILABLE, CONTAINER_FILE_MISSING, DISK_FULL, or the abort reason */
  build(input: ImageBuildInput, context: EffectContext): Promise<{ imageId: string }>;
  /** @returns the digest reference `registry/name@sha256:…`. @throws IMAGE_PUSH_FAILED, DISK_FULL, or the abort reason */
  push(tag: string, context: EffectContext): Promise<{ digest: string }>;
  /**
   * Removes images of this platform that no container uses and nothing needs, with their manifests, and old build cache.
   * Each image is asked for after it was found, so that one of a build that began meanwhile is safe.
   */
  prune(
    isNeeded: (image: BuiltImage) => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<{ removed: readonly string[]; reclaimedBytes: number }>;
  freeBytes(): Promise<number>;
}

export interface WorkloadSpec {
  /** The build that installs it: one workload for each build, so that a second attempt adopts the first one's. */
  readonly buildId: string;
  readonly releaseId: string;
  readonly service: string;
  readonly environment: Environment;
  /** Digest reference. */
  readonly image: string;
  readonly port: number;
  readonly healthEndpoint: string;
  readonly tier: PodTier;
  /** Nothing but temporary folders is written to: the usual ones, those of the image's VOLUMEs and `writablePaths`. */
  readonly readOnlyRoot: boolean;
  readonly writablePaths: readonly string[];
  /** The services that it may call by their addresses in its container, and no others that way. */
  readonly dependencies: readonly {
    readonly service: string;
    readonly serviceId?: string | undefined;
    readonly url: string;
  }[];
  /** The servers of its databases, at the addresses that its variables name. */
  readonly databases: readonly { readonly engine: DatabaseEngine; readonly host: string; readonly port: number }[];
  /** Environment variables, plaintext. Held in memory only. */
  readonly env: Readonly<Record<string, string>>;
}

export interface Workload {
  readonly id: string;
  readonly buildId: string;
  readonly releaseId: string;
  readonly service: string;
  readonly environment: Environment;
  readonly running: boolean;
  /** Where the router reaches it, such as `http://127.0.0.1:20001`. */
  readonly address: string;
}

export interface ProbeResult {
  readonly ok: boolean;
  /** What was probed and what came back, for the build log: `GET http://…/health answered 503`. */
  readonly summary: string;
  readonly status: number | null;
  /** `commit` of a JSON answer; null when there is none. */
  readonly commit: string | null;
}

/** Runs workloads: the local Docker engine, or a Kubernetes cluster. */
export interface WorkloadRuntime {
  /**
   * Starts the workload, or finds the one this build has already started; one at another port is replaced. Traffic does not reach it yet. Until
   * `applyCpuLimit` it may have more CPU than its tier, so that it is ready sooner. @throws INSTALL_FAILED, or the abort reason
   */
  start(spec: WorkloadSpec, context: EffectContext): Promise<Workload>;
  /** One probe of the workload itself, not through the public route. */
  probe(workload: Workload, healthEndpoint: string, signal: AbortSignal): Promise<ProbeResult>;
  /**
   * Applies the CPU limit of its tier. Called once the workload is ready, before traffic reaches it.
   * Idempotent; no error when it is gone.
   */
  applyCpuLimit(workload: Workload): Promise<void>;
  /** False when it has stopped and will not start again by itself. */
  isAlive(workload: Workload): Promise<boolean>;
  /** How it is now, and what it uses; null when it is gone. */
  measure(workload: Workload): Promise<WorkloadMeasure | null>;
  /** The TCP sockets that listen in it; null where that cannot be found out. */
  listening(workload: Workload): Promise<readonly ListeningSocket[] | null>;
  /** The environment variables that it was started with, plaintext, held in memory only; null when it is gone. */
  variables(workload: Workload): Promise<Readonly<Record<string, string>> | null>;
  /** The last lines of its output. */
  tail(workload: Workload, lines: number): Promise<readonly string[]>;
  /**
   * Its output after a position, as far back as it is kept, and then as it is written, through restarts of its process.
   * Ends when the workload is removed or the signal aborts. It is read as fast as the caller takes it; a workload never
   * waits for that. Lines of one stream come in their order. @throws UNAVAILABLE, and another call goes on
   */
  follow(
    workload: Workload,
    options: { readonly after: OutputPosition; readonly signal: AbortSignal },
  ): AsyncIterable<readonly OutputLine[]>;
  /** Every workload of a service and environment, newest first. */
  list(service: string, environment: Environment): Promise<readonly Workload[]>;
  listAll(): Promise<readonly Workload[]>;
  /**
   * Renews what keeps workloads from the machine they run on, which its restart or another program may have taken away.
   * Idempotent. @throws UNAVAILABLE when it cannot
   */
  protect(): Promise<void>;
  /** Starts a stopped workload again and returns where it is now. @throws INSTALL_FAILED when it is gone, or the abort reason */
  resume(workload: Workload, signal: AbortSignal): Promise<Workload>;
  /** Lets requests in flight end, stops and removes it. No error when it is gone. */
  remove(workload: Workload, graceSeconds: number): Promise<void>;
}

/** What the worker noted of workloads, every minute; of one that was not measured for an hour, nothing. */
export interface WorkloadStates {
  /** The last one stays. */
  put(state: WorkloadState): Promise<void>;
  /** By the build that started it. */
  find(buildId: string): Promise<WorkloadState | null>;
}

/** Where a public route leads. */
export interface RouteTarget {
  /** The service that it is a route of: its name may be another one's later. Absent in routes of earlier versions. */
  readonly serviceId?: string | undefined;
  readonly workloadId: string;
  readonly address: string;
}

/**
 * The public routes. A switch is atomic: each request goes to the old workload or to the new one, never to none.
 * Comparing epochs and writing are one act: `route` and `unroute` throw CONFLICT, and change nothing, when the route was
 * set or taken away in a newer epoch. Routes of a name that can be no host name are refused as VALIDATION_FAILED.
 */
export interface EdgeRouter {
  /** The public address of a service, whether or not it is routed: `http://hello.sandbox.localhost:8000`. */
  url(service: string, environment: Environment): string;
  /** Every public address it has without a domain of its own; {@link url} first. In prod one without the environment too. */
  urls(service: string, environment: Environment): readonly string[];
  current(service: string, environment: Environment): Promise<RouteTarget | null>;
  route(service: string, environment: Environment, target: RouteTarget, epoch: number): Promise<void>;
  unroute(service: string, environment: Environment, epoch: number): Promise<void>;
  /** One request through the public route. */
  probe(service: string, environment: Environment, path: string, signal: AbortSignal): Promise<ProbeResult>;
}
