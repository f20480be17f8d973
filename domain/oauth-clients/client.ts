import type { WhiteLabel } from '../branding/white-label.ts';
import type { Environment } from '../environment.ts';
import type { PassportConfig } from '../passport-config.ts';
import type { SignInRule } from '../sign-in-rule.ts';
import type { AddedBy, AddedEntry } from './added-by.ts';

/** The OAuth client record (spec 1, "OAuth client record"). Fields the spec does not show are marked. */
export interface ClientRecord {
  /** Unique. Of clients the builder makes: `{service}-{env}`. */
  readonly clientId: string;
  readonly name: string;
  readonly description: string;
  /** Slug of the owning org. */
  readonly orgSlug: string;
  /** Not shown in the spec. A public client has no secret: a CLI, a page in the browser (RFC 6749, 2.1). */
  readonly clientType: 'confidential' | 'public';
  readonly redirectUris: readonly string[];
  /** Not shown. Where a browser may be sent after log-out (OpenID Connect RP-Initiated Logout). */
  readonly postLogoutRedirectUris: readonly string[];
  readonly allowedScopes: readonly string[];
  readonly allowedGrantTypes: readonly GrantType[];
  readonly trustedClient: boolean;
  readonly autoApproveScopes: boolean;
  readonly headlessEnabled: boolean;
  readonly selfServiceEmail: boolean;
  readonly passportConfig: PassportConfig;
  readonly trustedInviteSignup: boolean;
  /** Not shown. Who may sign in: of a service, what the catalog of the release that serves says (`spec.userAccess`). */
  readonly signIn: SignInRule;
  /** Not shown. The epoch of the deploy that set it (`domain/deploys/epoch.ts`); 0 before the first. */
  readonly signInEpoch: number;
  readonly llmAccessEnabled: boolean;
  readonly whiteLabel: WhiteLabel;
  /** Not shown. Overrides of transactional mail by kind. */
  readonly mailTemplates: Readonly<Record<string, { readonly subject: string; readonly text: string }>>;
  readonly customDomains: readonly string[];
  /** Seconds, 60 to 3,600. */
  readonly accessTokenTtlSeconds: number;
  /** Seconds from the login on, however often it is refreshed; 3,600 to 7,776,000. */
  readonly refreshTokenTtlSeconds: number;
  /** Not shown. Audience of its users' tokens when none is asked for; empty means the client itself. */
  readonly defaultAudience: readonly string[];
  /** Not shown. The service and environment the builder made it for; null for clients made by people. */
  readonly service: string | null;
  readonly environment: Environment | null;
  /** At most two live ones, so that a secret is rotated without downtime. */
  readonly secrets: readonly ClientSecret[];
  /** Not shown. Entries of lists that were added by hand, each in its list as well. */
  readonly addedEntries: readonly AddedEntry[];
  /** Not shown. The change by which an org was last taken out of those that share its service; 0 for none. */
  readonly sharingRevision: number;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const GRANT_TYPES = [
  'authorization_code',
  'refresh_token',
  'client_credentials',
  'urn:ietf:params:oauth:grant-type:device_code',
  'urn:ietf:params:oauth:grant-type:token-exchange',
] as const;

export type GrantType = (typeof GRANT_TYPES)[number];

export interface ClientSecret {
  /** `sec_…`: names a secret without telling it. */
  readonly id: string;
  /** SHA-256 in hex. A secret has 256 random bits, so a slow hash would add nothing. */
  readonly hash: string;
  /** The key of a deploy that it was made for (`credentialKey`); null for one that a person asked for. */
  readonly issuedFor: string | null;
  /** Who asked for it by hand; null for one of a deploy, and where it is not known. */
  readonly addedBy: AddedBy | null;
  readonly createdAt: Date;
  /** Within a minute; null when it was never used. */
  readonly lastUsedAt: Date | null;
}

export const MAX_LIVE_SECRETS = 2;
export const STANDARD_SCOPES = ['openid', 'profile', 'email', 'offline_access'] as const;
