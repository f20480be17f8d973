import type { Db, IndexDescription } from 'mongodb';
import { ensureIndexes, type IndexTable } from '../indexes.ts';

/** Names of the collections of the identity provider's database. */
export const IDENTITY_COLLECTIONS = {
  users: 'users',
  passkeyOwners: 'passkey_owners',
  sessions: 'sessions',
  grants: 'grants',
  codes: 'authorization_codes',
  devices: 'device_authorizations',
  consents: 'consents',
  links: 'one_time_links',
  attempts: 'attempts',
  revocations: 'revocations',
  signingKeys: 'signing_keys',
  orgs: 'orgs',
  memberships: 'memberships',
  invites: 'invites',
  orgGrants: 'org_grants',
  clients: 'clients',
  audit: 'audit_events',
} as const;

const DAY_SECONDS = 24 * 60 * 60;

/** Which field says when a document has expired, and how many seconds after that it is forgotten. */
interface Expiry {
  readonly field: string;
  readonly keptSeconds: number;
}

const AT_EXPIRY: Expiry = { field: 'expiresAt', keptSeconds: 0 };

/**
 * Collections whose documents expire. The server deletes them by a TTL index, some time after they expired; the
 * embedded stand-in knows such indexes and deletes nothing, so stores check expiry themselves, and delete what has
 * expired when they insert (expiry-sweep.ts).
 */
export const EXPIRIES = {
  [IDENTITY_COLLECTIONS.sessions]: AT_EXPIRY,
  [IDENTITY_COLLECTIONS.grants]: AT_EXPIRY,
  // A redeemed code is known for long after it expired, so that its second redemption is recognised.
  [IDENTITY_COLLECTIONS.codes]: { field: 'forgetAt', keptSeconds: 0 },
  // A device that polls too late is told that its code has expired, not that there never was one.
  [IDENTITY_COLLECTIONS.devices]: { field: 'expiresAt', keptSeconds: DAY_SECONDS },
  [IDENTITY_COLLECTIONS.links]: AT_EXPIRY,
  [IDENTITY_COLLECTIONS.attempts]: { field: 'until', keptSeconds: 0 },
  [IDENTITY_COLLECTIONS.revocations]: AT_EXPIRY,
  [IDENTITY_COLLECTIONS.invites]: AT_EXPIRY,
} as const;

function ttl(collection: keyof typeof EXPIRIES): IndexDescription {
  const { field, keptSeconds } = EXPIRIES[collection];
  return { key: { [field]: 1 }, name: 'ttl', expireAfterSeconds: keptSeconds };
}

const unique = (key: Record<string, 1>, name: string): IndexDescription => ({ key, name, unique: true });

/** Every index of the identity provider's database. `_id` carries ids and natural keys. */
const INDEXES: IndexTable = {
  [IDENTITY_COLLECTIONS.users]: [
    unique({ email: 1 }, 'email'),
    { key: { platformRoles: 1 }, name: 'platformRoles' },
    { key: { 'passkeys.credentialId': 1 }, name: 'passkeys_credentialId' },
  ],
  [IDENTITY_COLLECTIONS.sessions]: [
    unique({ secretHash: 1 }, 'secretHash'),
    { key: { userId: 1, createdAt: -1, _id: -1 }, name: 'user_newest' },
    ttl(IDENTITY_COLLECTIONS.sessions),
  ],
  [IDENTITY_COLLECTIONS.grants]: [
    { key: { userId: 1, createdAt: -1, _id: -1 }, name: 'user_newest' },
    { key: { sessionId: 1 }, name: 'session' },
    { key: { clientId: 1 }, name: 'client' },
    ttl(IDENTITY_COLLECTIONS.grants),
  ],
  [IDENTITY_COLLECTIONS.codes]: [ttl(IDENTITY_COLLECTIONS.codes)],
  [IDENTITY_COLLECTIONS.devices]: [unique({ userCode: 1 }, 'userCode'), ttl(IDENTITY_COLLECTIONS.devices)],
  [IDENTITY_COLLECTIONS.consents]: [unique({ userId: 1, clientId: 1 }, 'user_client')],
  [IDENTITY_COLLECTIONS.links]: [
    unique({ tokenHash: 1 }, 'tokenHash'),
    { key: { userId: 1 }, name: 'user' },
    ttl(IDENTITY_COLLECTIONS.links),
  ],
  [IDENTITY_COLLECTIONS.attempts]: [ttl(IDENTITY_COLLECTIONS.attempts)],
  [IDENTITY_COLLECTIONS.revocations]: [
    { key: { revokedAt: 1 }, name: 'revokedAt' },
    ttl(IDENTITY_COLLECTIONS.revocations),
  ],
  [IDENTITY_COLLECTIONS.orgs]: [unique({ slug: 1 }, 'slug'), unique({ onlyOne: 1 }, 'onlyOne')],
  [IDENTITY_COLLECTIONS.memberships]: [
    unique({ userId: 1, orgId: 1 }, 'user_org'),
    { key: { orgId: 1, userId: 1 }, name: 'org_user' },
  ],
  [IDENTITY_COLLECTIONS.invites]: [
    unique({ tokenHash: 1 }, 'tokenHash'),
    { key: { orgId: 1, createdAt: -1 }, name: 'org_newest' },
    ttl(IDENTITY_COLLECTIONS.invites),
  ],
  [IDENTITY_COLLECTIONS.orgGrants]: [
    unique({ clientId: 1, orgSlug: 1 }, 'client_org'),
    { key: { orgSlug: 1, clientId: 1 }, name: 'org_client' },
  ],
  [IDENTITY_COLLECTIONS.clients]: [{ key: { orgSlug: 1, _id: 1 }, name: 'org_id' }],
  [IDENTITY_COLLECTIONS.audit]: [
    { key: { time: -1, _id: -1 }, name: 'newest' },
    { key: { type: 1, time: -1, _id: -1 }, name: 'type_newest' },
    { key: { subject: 1, time: -1, _id: -1 }, name: 'subject_newest' },
    { key: { orgSlug: 1, time: -1, _id: -1 }, name: 'org_newest' },
    { key: { toForward: 1, time: 1, _id: 1 }, name: 'to_forward' },
  ],
};

/** The identity provider's indexes. @throws UNAVAILABLE */
export async function createIdentityIndexes(db: Db): Promise<void> {
  await ensureIndexes(db, INDEXES);
}
