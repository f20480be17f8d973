import type { Db } from 'mongodb';
import type { Clock } from '../../../domain/clock.ts';
import { createAttemptStore } from './attempts.ts';
import { createAuditTrail } from './audit-trail.ts';
import { createAuthorizationCodeStore } from './authorization-codes.ts';
import { createClientStore } from './clients.ts';
import { createConsentStore } from './consents.ts';
import { createDeviceAuthorizationStore } from './device-authorizations.ts';
import { createGrantStore } from './grants.ts';
import { createInviteStore } from './invites.ts';
import { createMembershipStore } from './memberships.ts';
import { createOneTimeLinkStore } from './one-time-links.ts';
import { createOrgGrantStore } from './org-grants.ts';
import { createOrgStore } from './orgs.ts';
import { createRevocationStore } from './revocations.ts';
import { createSessionStore } from './sessions.ts';
import { createSigningKeyStore } from './signing-keys.ts';
import { createUserStore } from './users.ts';

/** All stores of the identity provider on one database, whose indexes `createIdentityIndexes` has made. */
export function createIdentityStores(deps: { db: Db; now: Clock }) {
  return {
    users: createUserStore(deps),
    sessions: createSessionStore(deps),
    grants: createGrantStore(deps),
    codes: createAuthorizationCodeStore(deps),
    devices: createDeviceAuthorizationStore(deps),
    consents: createConsentStore(deps),
    links: createOneTimeLinkStore(deps),
    attempts: createAttemptStore(deps),
    revocations: createRevocationStore(deps),
    signingKeys: createSigningKeyStore(deps),
    orgs: createOrgStore(deps),
    memberships: createMembershipStore(deps),
    invites: createInviteStore(deps),
    orgGrants: createOrgGrantStore(deps),
    clients: createClientStore(deps),
    audit: createAuditTrail(deps),
  };
}
