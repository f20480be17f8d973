import type { AuditTrail } from '../../domain/audit/ports.ts';
import type {
  AttemptStore,
  AuthorizationCodeStore,
  ConsentStore,
  DeviceAuthorizationStore,
  GrantStore,
  OneTimeLinkStore,
  RevocationStore,
  SessionStore,
  SigningKeyStore,
  UserStore,
} from '../../domain/identity/ports.ts';
import type { ClientStore } from '../../domain/oauth-clients/ports.ts';
import type { InviteStore, MembershipStore, OrgGrantStore, OrgStore } from '../../domain/orgs/ports.ts';

/** Everything the identity provider keeps, by its port. */
export interface IdentityStores {
  readonly clients: ClientStore;
  readonly users: UserStore;
  readonly sessions: SessionStore;
  readonly grants: GrantStore;
  readonly codes: AuthorizationCodeStore;
  readonly devices: DeviceAuthorizationStore;
  readonly consents: ConsentStore;
  readonly links: OneTimeLinkStore;
  readonly attempts: AttemptStore;
  readonly revocations: RevocationStore;
  readonly signingKeys: SigningKeyStore;
  readonly orgs: OrgStore;
  readonly memberships: MembershipStore;
  readonly invites: InviteStore;
  readonly orgGrants: OrgGrantStore;
  readonly audit: AuditTrail;
}
