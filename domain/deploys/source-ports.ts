import type { BuildSource } from './build.ts';
import type { EffectContext } from './effect-context.ts';

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
