import { FairleadError } from '../../../domain/errors.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import type { IdentityDeps } from '../deps.ts';
import { findMemberships } from './token-person.ts';

/**
 * Lets a person pass who may sign in at a client: where it is for members, one of their memberships that count is in the
 * org that owns the client (`spec.userAccess.signIn` of its catalog).
 * @throws the given code for anybody else
 */
export async function requireSignIn(
  deps: Pick<IdentityDeps, 'orgs' | 'memberships'>,
  { signIn, orgSlug }: Pick<ClientRecord, 'signIn' | 'orgSlug'>,
  { userId, code }: { readonly userId: string; readonly code: 'OAUTH_ACCESS_DENIED' | 'OAUTH_INVALID_GRANT' },
): Promise<void> {
  if (signIn === 'anyone') return;
  const { live } = await findMemberships(deps, userId);
  if (live.some(({ org }) => org.slug === orgSlug)) return;
  throw new FairleadError(code, 'Only members of the organization that owns this application may sign in to it');
}
