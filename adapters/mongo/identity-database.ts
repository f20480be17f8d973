import type { Db } from 'mongodb';
import type { Clock } from '../../domain/clock.ts';
import { createAuditTrail } from './audit/audit-trail.ts';
import { INDEXES as AUDIT_INDEXES } from './audit/indexes.ts';
import { ensureIndexes } from './ensure-indexes.ts';
import { createAttemptStore } from './identity/attempts.ts';
import { createAuthorizationCodeStore } from './identity/authorization-codes.ts';
import { createConsentStore } from './identity/consents.ts';
import { createDeviceAuthorizationStore } from './identity/device-authorizations.ts';
import { createGrantStore } from './identity/grants.ts';
import { INDEXES as IDENTITY_INDEXES } from './identity/indexes.ts';
import { createOneTimeLinkStore } from './identity/one-time-links.ts';
import { createRevocationStore } from './identity/revocations.ts';
import { createSessionStore } from './identity/sessions.ts';
import { createSigningKeyStore } from './identity/signing-keys.ts';
import { createUserStore } from './identity/users.ts';
import { createClientStore } from './oauth-clients/clients.ts';
import { INDEXES as CLIENTS_INDEXES } from './oauth-clients/indexes.ts';
import { INDEXES as ORGS_INDEXES } from './orgs/indexes.ts';
import { createInviteStore } from './orgs/invites.ts';
import { createMembershipStore } from './orgs/memberships.ts';
import { createOrgGrantStore } from './orgs/org-grants.ts';
import { createOrgStore } from './orgs/orgs.ts';

/** The indexes of every module of the identity provider. @throws UNAVAILABLE */
export async function createIdentityIndexes(db: Db): Promise<void> {
  await ensureIndexes(db, { ...IDENTITY_INDEXES, ...ORGS_INDEXES, ...CLIENTS_INDEXES, ...AUDIT_INDEXES });
}

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
