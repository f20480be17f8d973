import { FairleadError } from '../../../domain/errors.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import { admitsLogin, type LoginFacts } from '../../../domain/orgs/policy.ts';
import type { IdentityDeps } from '../deps.ts';
import { findMemberships } from './token-person.ts';

interface SigningIn {
  readonly userId: string;
  readonly login: LoginFacts;
  readonly code: 'OAUTH_ACCESS_DENIED' | 'OAUTH_INVALID_GRANT';
}

/**
 * Lets a person pass who may sign in at a client: where it is for members, one of their memberships that count is in the
 * org that owns the client (`spec.userAccess.signIn` of its catalog), and the login is one that this org takes: a token
 * that names another org of theirs would let them in without what this one asks for.
 * @throws the given code for anybody else
 */
export async function requireSignIn(
  deps: Pick<IdentityDeps, 'orgs' | 'memberships' | 'now'>,
  { signIn, orgSlug }: Pick<ClientRecord, 'signIn' | 'orgSlug'>,
  { userId, login, code }: SigningIn,
): Promise<void> {
  if (signIn === 'anyone') return;
  const { live } = await findMemberships(deps, userId);
  const owner = live.find(({ org }) => org.slug === orgSlug)?.org;
  if (owner === undefined) {
    throw new FairleadError(code, 'Only members of the organization that owns this application may sign in to it');
  }
  if (admitsLogin(owner.policy, login, deps.now())) return;
  const message = 'The organization that owns this application asks for a second factor or a newer login';
  throw new FairleadError(code, message);
}
