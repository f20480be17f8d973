import type { WhiteLabel } from '../branding/white-label.ts';
import type { OrgRole } from '../roles.ts';
import type { OrgPolicy } from './policy.ts';

/** An organization: who owns services and clients, and whom people are members of. */
export interface OrgRecord {
  /** `ORG-` and eight characters of upper-case base 32. */
  readonly id: string;
  /** Unique, 1 to 63 lower-case letters, digits and dashes. */
  readonly slug: string;
  readonly name: string;
  /** True for the one org that runs this installation. */
  readonly platform: boolean;
  /** Modules the org has switched on; a membership has some of them. */
  readonly modules: readonly string[];
  /** How the org's pages and mail look where the client says nothing. */
  readonly whiteLabel: WhiteLabel;
  /** Overrides of transactional mail by kind; see domain/identity/mail.ts. */
  readonly mailTemplates: Readonly<Record<string, { readonly subject: string; readonly text: string }>>;
  readonly policy: OrgPolicy;
  readonly suspendedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** That a person belongs to an org, with what they may do there. One document per person and org. */
export interface Membership {
  readonly userId: string;
  readonly orgId: string;
  readonly orgSlug: string;
  readonly roles: readonly OrgRole[];
  readonly modules: readonly string[];
  readonly suspendedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** An invitation into an org. Its token is known to the invited person alone: here stands its SHA-256. */
export interface InviteRecord {
  /** `inv_…` */
  readonly id: string;
  readonly orgId: string;
  readonly orgSlug: string;
  readonly email: string;
  readonly role: OrgRole;
  readonly modules: readonly string[];
  readonly tokenHash: string;
  readonly invitedBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly acceptedAt: Date | null;
  /** Who accepted it: nobody else can, and they may go on where a process was killed, until `finishedAt`. */
  readonly acceptedBy: string | null;
  /** When their membership was made, too. */
  readonly finishedAt: Date | null;
  readonly revokedAt: Date | null;
}

/**
 * That an org lets a client manage its people: the `org:manage` grant of spec 1, D 4. It is per org and no scope; it is
 * never given for the platform org.
 */
export interface OrgGrant {
  readonly clientId: string;
  readonly orgSlug: string;
  readonly grant: 'org:manage';
  readonly approvedBy: string;
  readonly approvedAt: Date;
}
