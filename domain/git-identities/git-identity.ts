import type { GitProvider } from '../git-provider.ts';

/** An account at a git host, and the person who showed that it is theirs. No credential of it is kept. */
export interface GitIdentity {
  /** `gid_…` */
  readonly id: string;
  readonly userId: string;
  readonly provider: GitProvider;
  /** Base address of the host, as it was given. */
  readonly hostAddress: string;
  /** As `NamedHost.key`. */
  readonly hostKey: string;
  /** What the host never gives to another account: a login may be renamed, and taken by somebody else. */
  readonly accountId: string;
  readonly login: string;
  readonly linkedAt: Date;
}

/** Hosts that one person links. */
export const MOST_IDENTITIES = 20;
