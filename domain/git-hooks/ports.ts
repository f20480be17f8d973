/**
 * The module `git-hooks`: pushes to a git repository deploy services.
 *
 * Keying: a connection belongs to an org and a repository, which the org connects once. One workflow for each branch or tag,
 * `git-push/<connection>/<ref>`, decides what its head deploys, one look after the other; `git-status/<build>` tells the commit
 * how a build goes; `git-watch/<connection>` looks at all branches and tags, when asked or every few minutes.
 * Every ten minutes deliveries that were kept and left are looked at, and removals of connections finished.
 * Retries: a delivery says only that there is something to look at, so it can be repeated. The id of a build is made with the
 * decision, so that an activity that is repeated asks for no second build. A status that cannot be set is given up after a day.
 * Compensation: none. A build is ended by the rules of `deploys`.
 */

import type { SealedSecret } from '../config/sealed-secret.ts';
import type { OrgRepository } from '../deploys/source-ports.ts';
import type { Environment } from '../environment.ts';
import type { Page, PageRequest } from '../page.ts';
import type { ConnectionRemoval, ConnectionSecret, DeliveryNote, GitConnection, TokenProblem } from './connection.ts';
import type { GitDelivery, LookOutcome, UnseenDelivery } from './delivery.ts';

export interface GitConnectionStore {
  find(id: string): Promise<GitConnection | null>;
  /** The one connection of an org and repository, confirmed by a majority of the database: its token is sent by it. */
  findFor(key: Pick<GitConnection, 'org' | 'repositoryKey'>): Promise<GitConnection | null>;
  /** False when the org has connected the repository. @throws UNAVAILABLE */
  insert(connection: GitConnection): Promise<boolean>;
  /**
   * Replaces what people change, when it has that revision; the result has the next one. What the platform notes
   * (`verifiedAt`, `tokenProblem`, deliveries) is left as it is stored. False when it has another revision by now, or is gone.
   */
  replace(connection: GitConnection, revision: number): Promise<boolean>;
  /** Newest first. `org`: null lists all. */
  list(filter: { readonly org: string | null }, page: PageRequest): Promise<Page<GitConnection>>;
  /** True when it was there. */
  remove(id: string): Promise<boolean>;
  /** Notes that a connection is to be removed. True for the first who asks for it. */
  beginRemoval(removal: ConnectionRemoval): Promise<boolean>;
  findRemoval(id: string): Promise<ConnectionRemoval | null>;
  /** Removals that were asked for before a time and have not ended, the oldest first. */
  listRemovals(before: Date, limit: number): Promise<readonly ConnectionRemoval[]>;
  endRemoval(id: string): Promise<void>;
  /** Notes the first genuine delivery, and ends the polling with it: a new revision. True for the one that was first. */
  verify(id: string, at: Date): Promise<boolean>;
  /**
   * Adds what came in: the last genuine delivery, after which refused ones are counted anew, or refused ones alone. No new
   * revision. A note that is older than what is stored changes nothing.
   */
  noteDeliveries(id: string, note: DeliveryNote): Promise<void>;
  /** Notes that all branches and tags are known, of the revision that was looked at. */
  setBaseline(id: string, revision: number, at: Date): Promise<void>;
  /**
   * Puts another sealed form of the same value in its place, unless it was changed meanwhile: a new revision, so that no
   * change made from before writes the earlier form back. False when nothing was replaced.
   */
  replaceSealed(
    id: string,
    place: ConnectionSecret,
    change: { from: SealedSecret; to: SealedSecret },
  ): Promise<boolean>;
  /** Notes whether the token serves, unless it was replaced since. */
  setTokenProblem(id: string, token: SealedSecret, problem: TokenProblem | null): Promise<void>;
}

export interface GitDeliveryStore {
  /** Keeps a delivery. Idempotent on its id. */
  insert(delivery: GitDelivery): Promise<void>;
  /**
   * Keeps a delivery with the digest of what was signed. It is seen already when one of that digest came in the seven days
   * before; of many at once, one is the first.
   */
  insertSigned(delivery: UnseenDelivery, digest: string): Promise<GitDelivery>;
  find(id: string): Promise<GitDelivery | null>;
  /** Those of the ids that are kept, in no order. */
  findMany(ids: readonly string[]): Promise<readonly GitDelivery[]>;
  /** Newest first. */
  list(connectionId: string, page: PageRequest): Promise<Page<GitDelivery>>;
  /** Those of all connections that nothing was decided about and that came between two times, the oldest first. */
  listWaiting(between: { readonly from: Date; readonly to: Date }, limit: number): Promise<readonly GitDelivery[]>;
  /** Adds outcomes to deliveries, which are decided by then. Idempotent. */
  decide(ids: readonly string[], outcomes: readonly LookOutcome[]): Promise<void>;
  /** Forgets all of a connection. */
  removeAll(connectionId: string): Promise<void>;
}

/** Which head of a branch or tag was decided on last, for one service and environment. */
export interface HeadKey {
  readonly connectionId: string;
  readonly serviceId: string;
  readonly environment: Environment;
  /** Full name. */
  readonly ref: string;
}

export interface KnownHead {
  /** The head that was decided on last, whatever was decided. */
  readonly seen: string;
  /** The head that a build was asked for last: what changed since is compared with the watched paths. Null before. */
  readonly built: string | null;
}

export interface HeadStore {
  find(key: HeadKey): Promise<KnownHead | null>;
  /** All of a connection. */
  list(connectionId: string): Promise<readonly (HeadKey & KnownHead)[]>;
  /**
   * Notes a head; `built` keeps what it was when it is absent. Idempotent.
   * @param from what was seen when it was decided, null for nothing: a head that was noted since stays. Absent: whatever is
   */
  set(key: HeadKey, head: { readonly seen: string; readonly built?: string }, from?: string | null): Promise<void>;
  removeAll(connectionId: string): Promise<void>;
}

/** Two commits, and the paths to compare. */
export interface ChangeQuery extends OrgRepository {
  readonly head: string;
  readonly base: string;
  /** Globs of git; `!` in front leaves paths out. */
  readonly paths: readonly string[];
}

/** The repository as git shows it. */
export interface RefReader {
  /**
   * Commits of branches and tags, by full name; a tag with a message of its own is the commit that it names.
   * @param only these; absent for all
   * @throws SOURCE_UNREACHABLE (retryable when it may pass), SOURCE_REFUSED, SOURCE_MISSING, or the abort reason
   */
  readRefs(
    repository: OrgRepository,
    signal: AbortSignal,
    only?: readonly string[],
  ): Promise<ReadonlyMap<string, string>>;
  /**
   * The message of a commit, at most its first 64 KiB; null where git does not give it out.
   * @throws as `readRefs`
   */
  readMessage(repository: OrgRepository, commit: string, signal: AbortSignal): Promise<string | null>;
  /**
   * Whether files below the paths differ between two commits. Null where that is not to be known: the base is gone, or the
   * repository is too large to compare.
   * @throws as `readRefs`
   */
  hasChanged(query: ChangeQuery, signal: AbortSignal): Promise<boolean | null>;
}
