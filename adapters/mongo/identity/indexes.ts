import { type IndexTable, unique } from '../ensure-indexes.ts';
import { AT_EXPIRY, ttlIndex } from '../expiry-sweep.ts';

export const COLLECTIONS = {
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
} as const;

const DAY_SECONDS = 24 * 60 * 60;

/** Collections whose documents expire. */
export const EXPIRIES = {
  sessions: AT_EXPIRY,
  grants: AT_EXPIRY,
  // A redeemed code is known for long after it expired, so that its second redemption is recognised.
  codes: { field: 'forgetAt', keptSeconds: 0 },
  // A device that polls too late is told that its code has expired, not that there never was one.
  devices: { field: 'expiresAt', keptSeconds: DAY_SECONDS },
  links: AT_EXPIRY,
  attempts: { field: 'until', keptSeconds: 0 },
  revocations: AT_EXPIRY,
} as const;

/** `_id` carries ids and natural keys. */
export const INDEXES: IndexTable = {
  [COLLECTIONS.users]: [
    unique({ email: 1 }, 'email'),
    { key: { platformRoles: 1 }, name: 'platformRoles' },
    { key: { 'passkeys.credentialId': 1 }, name: 'passkeys_credentialId' },
  ],
  [COLLECTIONS.sessions]: [
    unique({ secretHash: 1 }, 'secretHash'),
    { key: { userId: 1, createdAt: -1, _id: -1 }, name: 'user_newest' },
    ttlIndex(EXPIRIES.sessions),
  ],
  [COLLECTIONS.grants]: [
    { key: { userId: 1, createdAt: -1, _id: -1 }, name: 'user_newest' },
    { key: { sessionId: 1 }, name: 'session' },
    { key: { clientId: 1 }, name: 'client' },
    ttlIndex(EXPIRIES.grants),
  ],
  [COLLECTIONS.codes]: [ttlIndex(EXPIRIES.codes)],
  [COLLECTIONS.devices]: [unique({ userCode: 1 }, 'userCode'), ttlIndex(EXPIRIES.devices)],
  [COLLECTIONS.consents]: [unique({ userId: 1, clientId: 1 }, 'user_client'), { key: { clientId: 1 }, name: 'client' }],
  [COLLECTIONS.links]: [
    unique({ tokenHash: 1 }, 'tokenHash'),
    { key: { userId: 1 }, name: 'user' },
    ttlIndex(EXPIRIES.links),
  ],
  [COLLECTIONS.attempts]: [ttlIndex(EXPIRIES.attempts)],
  [COLLECTIONS.revocations]: [{ key: { revokedAt: 1 }, name: 'revokedAt' }, ttlIndex(EXPIRIES.revocations)],
};
