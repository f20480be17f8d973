import type { UserRecord } from '../../../domain/identity/user.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import type { OrgRecord } from '../../../domain/orgs/org.ts';
import type { IdentityDeps } from '../deps.ts';
import { managesPerson } from '../embed/trusted-client.ts';

/**
 * Whether a mail to somebody may be in the words and the look of an org or a client: they are a member of the org, or of
 * the one that owns the client; they use the client, by a login or by what they agreed to; or the client manages them.
 * Everybody else gets such mail in the platform's words: they know the platform, and the org could write anything.
 */
export async function isOwnPerson(
  deps: IdentityDeps,
  user: Pick<UserRecord, 'id' | 'platformRoles'>,
  { client, org }: { readonly client: ClientRecord | null; readonly org: Pick<OrgRecord, 'slug'> | null },
): Promise<boolean> {
  const slugs = [org?.slug, client?.orgSlug];
  const memberships = await deps.memberships.listOfUser(user.id);
  if (memberships.some(({ orgSlug, suspendedAt }) => suspendedAt === null && slugs.includes(orgSlug))) return true;
  if (client === null) return false;
  if ((await deps.consents.find(user.id, client.clientId)).length > 0) return true;
  const grants = await deps.grants.listOfUser(user.id, deps.now());
  return grants.some(({ clientId }) => clientId === client.clientId) || managesPerson(deps, client, user);
}
