import type { GitProvider } from '../git-provider.ts';

/** A repository at a git host, and what opens it. */
export interface HostedRepository {
  /** Told by whoever connected it, never guessed: Gitea sends GitHub's headers too. */
  readonly provider: GitProvider;
  /** As people clone it: `https://git.example/org/repo.git`; groups of GitLab may be nested. */
  readonly repositoryUrl: string;
  /** Base address of the API where it is not at its usual place beside the repository; null for the usual place. */
  readonly apiUrl: string | null;
  /** Sent in a header, to the host of the API alone. */
  readonly token: string;
}

/** Gitea and Forgejo have all of these; `error` is a failure at GitLab, which has no other word for it. */
export type CommitState = 'pending' | 'success' | 'failure' | 'error';

export interface CommitStatus {
  /** Full id. */
  readonly commit: string;
  readonly state: CommitState;
  /** The line that it stands on: a later status with the same context takes the place of this one. */
  readonly context: string;
  /** Plain text on one line; cut to what the provider takes. */
  readonly description: string;
  /** Page of the build; null for none. */
  readonly targetUrl: string | null;
}

export interface HookTarget {
  /** Where deliveries arrive. It has no secret in it. */
  readonly address: string;
  /**
   * Never empty. At GitLab, `whsec_` and 32 bytes in base64 ask for signed deliveries; any other text is its plain token.
   */
  readonly secret: string;
}

export interface RegisteredHook {
  /** As the provider names it. */
  readonly hookId: string;
  /** How deliveries prove where they come from: `token` is a plain token in a header, which GitLab alone has. */
  readonly proof: 'signature' | 'token';
}

export interface PushedHead {
  /** Full name of a branch or tag. */
  readonly ref: string;
  /** Full id. */
  readonly commit: string;
}

/**
 * The API of a git host, as far as deploys by push need it. Every method is idempotent; an aborted signal ends it with the
 * reason of the abort.
 *
 * @throws GIT_TOKEN_REFUSED when the token is not known there, or may not do this: only a new token helps
 * @throws NOT_FOUND when the repository is not there, or is one that the token does not see
 * @throws RATE_LIMITED (retryable, of the system `git-host`) with `details.retryAfterSeconds`
 * @throws UNAVAILABLE (retryable, of the system `git-host`) when the host is away, slow, or answers what is no answer
 * @throws SOURCE_REFUSED for an address that the platform does not connect to
 */
export interface GitHost {
  /**
   * Shows a status on a commit.
   * @throws COMMIT_NOT_FOUND when the repository has no such commit
   */
  setStatus(repository: HostedRepository, status: CommitStatus, signal?: AbortSignal): Promise<void>;
  /**
   * Has pushes and tags of the repository delivered to an address. A hook that delivers there already is changed to this
   * secret, or another takes its place, with another id: there is never a second one.
   * @throws VALIDATION_FAILED when the host delivers to no such address
   */
  registerHook(repository: HostedRepository, hook: HookTarget, signal?: AbortSignal): Promise<RegisteredHook>;
  /** The hook that delivers to this address; null when there is none. */
  findHook(
    repository: HostedRepository,
    address: string,
    signal?: AbortSignal,
  ): Promise<{ readonly hookId: string } | null>;
  /**
   * The account that last moved a branch or tag to a commit, by the provider's id, as the provider keeps who pushed; null
   * where it does not tell.
   */
  findPusher(repository: HostedRepository, head: PushedHead, signal?: AbortSignal): Promise<string | null>;
  /** Takes away whatever delivers to an address; nothing there is no error. */
  removeHook(repository: HostedRepository, address: string, signal?: AbortSignal): Promise<void>;
}
