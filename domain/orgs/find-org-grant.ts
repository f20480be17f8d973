import type { OrgGrant, OrgRecord } from './org.ts';
import type { OrgGrantStore } from './ports.ts';

/**
 * The grant by which a client manages an org's people (spec 1, D 4); null when there is none. Never for the platform's
 * org. A grant from before the client was made belonged to another client of that name, and counts no more.
 */
export async function findOrgGrant(
  deps: { readonly orgGrants: Pick<OrgGrantStore, 'find'> },
  client: { readonly clientId: string; readonly createdAt: Date },
  org: Pick<OrgRecord, 'slug' | 'platform' | 'suspendedAt'>,
): Promise<OrgGrant | null> {
  if (org.platform || org.suspendedAt !== null) return null;
  const grant = await deps.orgGrants.find(client.clientId, org.slug);
  return grant !== null && grant.approvedAt >= client.createdAt ? grant : null;
}
