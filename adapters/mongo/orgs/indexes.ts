import { type IndexTable, unique } from '../ensure-indexes.ts';
import { AT_EXPIRY, ttlIndex } from '../expiry-sweep.ts';

export const COLLECTIONS = {
  orgs: 'orgs',
  memberships: 'memberships',
  invites: 'invites',
  orgGrants: 'org_grants',
} as const;

/** Collections whose documents expire. */
export const EXPIRIES = { invites: AT_EXPIRY } as const;

/** `_id` carries ids and natural keys. */
export const INDEXES: IndexTable = {
  [COLLECTIONS.orgs]: [unique({ slug: 1 }, 'slug'), unique({ onlyOne: 1 }, 'onlyOne')],
  [COLLECTIONS.memberships]: [
    unique({ userId: 1, orgId: 1 }, 'user_org'),
    { key: { orgId: 1, userId: 1 }, name: 'org_user' },
  ],
  [COLLECTIONS.invites]: [
    unique({ tokenHash: 1 }, 'tokenHash'),
    { key: { orgId: 1, createdAt: -1 }, name: 'org_newest' },
    ttlIndex(EXPIRIES.invites),
  ],
  [COLLECTIONS.orgGrants]: [
    unique({ clientId: 1, orgSlug: 1 }, 'client_org'),
    { key: { orgSlug: 1, clientId: 1 }, name: 'org_client' },
  ],
};
