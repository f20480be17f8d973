import type { SealedSecret } from '../config/sealed-secret.ts';
import { parseGitUrl } from '../deploys/git-url.ts';
import type { OrgRepository } from '../deploys/source-ports.ts';
import type { GitProvider } from '../git-provider.ts';
import type { DeployRule } from './rule.ts';

/** How deliveries prove where they come from. `token` is GitLab's plain token: it proves who sends, not what was sent. */
export type DeliveryProof = 'signature' | 'token';

/** A repository, the services that its pushes deploy, and the secrets by which its deliveries are known. */
export interface GitConnection {
  /** `gcn_…` */
  readonly id: string;
  /** Slug of the org that owns the services. */
  readonly org: string;
  /** Where git finds the repository: an address without credentials, or an absolute path. */
  readonly repository: string;
  /** What one repository is called whichever way its address is written; an org connects it once. */
  readonly repositoryKey: string;
  /** Told by whoever connected it, never guessed: Gitea sends GitHub's headers too. */
  readonly provider: GitProvider;
  readonly proof: DeliveryProof;
  /** Base address of the provider's API where it is not at its usual place; null for the usual place. */
  readonly apiUrl: string | null;
  readonly services: readonly ConnectedService[];
  /** One, or two while they are rotated; the newest first. Never none. */
  readonly secrets: readonly HookSecret[];
  /** By which hooks are registered and statuses set; null where nobody gave one. */
  readonly token: SealedSecret | null;
  /** Why the token does not serve any more, in the words of the error; null while it does. */
  readonly tokenProblem: TokenProblem | null;
  /** The hook as the provider names it, where the platform registered it. */
  readonly hookId: string | null;
  /** While it is paused, pushes deploy nothing. */
  readonly paused: boolean;
  /** Minutes between two looks; null where nobody looks unasked. Ends when a delivery proves that the hook arrives. */
  readonly pollMinutes: number | null;
  /** When a delivery was first proved genuine; null before. */
  readonly verifiedAt: Date | null;
  /** When the last genuine delivery came, to the minute; null before the first. */
  readonly lastDeliveryAt: Date | null;
  /** Deliveries since then that proved nothing, as far as they were read; to the minute. */
  readonly refusedDeliveries: number;
  /** When the last of those came; null for none. */
  readonly lastRefusedAt: Date | null;
  /** Since when all branches and tags that the rules match are known; null before the first look at all of them. */
  readonly baselineAt: Date | null;
  /** Counts the changes by people; a change is written over the revision that it was made from. */
  readonly revision: number;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface ConnectedService {
  /** By id: a later service of the same name is not connected. */
  readonly serviceId: string;
  readonly service: string;
  readonly rules: readonly DeployRule[];
}

export interface HookSecret {
  /** `ghs_…`; part of what the sealed value is bound to. */
  readonly id: string;
  readonly sealed: SealedSecret;
  readonly createdAt: Date;
}

export interface TokenProblem {
  readonly code: string;
  readonly message: string;
  readonly at: Date;
}

/** What came in to a connection since that was written last. */
export interface DeliveryNote {
  /** Null where nothing genuine came. */
  readonly lastDeliveryAt: Date | null;
  /** After that one, if there was one. */
  readonly refusedDeliveries: number;
  readonly lastRefusedAt: Date | null;
}

/** A connection that is being removed: kept until its hook and all records of it are gone, whatever dies meanwhile. */
export interface ConnectionRemoval
  extends Pick<GitConnection, 'id' | 'org' | 'provider' | 'repository' | 'apiUrl' | 'token'> {
  /** Where the hook delivers, by which it is found at the git host. */
  readonly hookAddress: string;
  /** Whose commits are told how builds end that were under way. */
  readonly services: readonly Pick<ConnectedService, 'serviceId' | 'service'>[];
  /** Null of an earlier version, as is its request. */
  readonly askedBy: string | null;
  readonly requestId: string | null;
  readonly askedAt: Date;
}

export const CONNECTION_LIMITS = {
  services: 50,
  /** Of one service. */
  rules: 20,
  pollMinutes: { min: 1, max: 1_440 },
} as const;

/** What git is given, and one name for all spellings of it. @throws SOURCE_REFUSED */
export function parseRepository(gitUrl: string, platformGitUrl: string | null): { address: string; key: string } {
  const target = parseGitUrl(gitUrl, platformGitUrl);
  const address = target.kind === 'local' ? target.path : target.url;
  return { address, key: address.replace(/\/+$/, '').replace(/\.git$/, '') };
}

/** A connection is read for the org that made it. */
export function repositoryOf({ repository, org }: Pick<GitConnection, 'repository' | 'org'>): OrgRepository {
  return { url: repository, org };
}

/** True when a service is built from the repository of the connection. Addresses that are refused by now are not the same. */
export function isSameRepository(
  { repositoryKey }: Pick<GitConnection, 'repositoryKey'>,
  gitUrl: string | null,
  platformGitUrl: string | null,
): boolean {
  if (gitUrl === null) return false;
  try {
    return parseRepository(gitUrl, platformGitUrl).key === repositoryKey;
  } catch {
    return false;
  }
}

/** A sealed value of a connection: one of its secrets, by id, or its API token. */
export type ConnectionSecret = { readonly kind: 'secret'; readonly id: string } | { readonly kind: 'token' };

/** Where a sealed value of a connection belongs, so that it opens in no other place. */
export function sealingContext(connectionId: string, key: string): { service: string; key: string } {
  return { service: `git-connection/${connectionId}`, key };
}

/** Key of the sealed API token in {@link sealingContext}. */
export const TOKEN_KEY = 'token';
