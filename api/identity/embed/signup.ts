import type { z } from 'zod';
import { FairleadError } from '../../../domain/errors.ts';
import type { signupBodySchema } from '../../../domain/identity/embed-schema.ts';
import { newUser } from '../../../domain/identity/new-user.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import { newMembership } from '../../../domain/orgs/new-org.ts';
import type { OrgRecord } from '../../../domain/orgs/org.ts';
import type { RouteContext } from '../../http/define-route.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { acceptInvite } from '../login/accept-invite.ts';
import { finishAccount, halfAccount, isHalfOf } from '../login/half-account.ts';
import { hashNewPassword } from '../login/set-password.ts';
import { resolveScopes } from '../oauth/resolve-scopes.ts';
import type { EmbedCaller } from './embed-client.ts';
import { embedTokens, personAddress } from './embed-tokens.ts';
import { requireTrusted } from './trusted-client.ts';

type SignupBody = z.output<typeof signupBodySchema>;

/**
 * Trusted sign-up (spec 1, "Trusted sign-up request", D 4): the client's server vouches for the address, and the person
 * gets a plain membership, or the role of the invitation they bring. An invitation gives no right to do this: the client
 * must be trusted on that org all the same.
 * @throws SECOND_FACTOR_REQUIRED where the org asks for one, which nobody has at sign-up; ROLES_NOT_ACCEPTED, TRUSTED_SIGNUP_REFUSED, PASSWORD_REFUSED, USER_EXISTS, INVITE_INVALID
 */
export async function embedSignup(deps: IdentityDeps, context: RouteContext, caller: EmbedCaller, body: SignupBody) {
  const org = await requireTrusted(deps, caller, body.orgSlug);
  if ('roles' in body) throw new FairleadError('ROLES_NOT_ACCEPTED', 'Roles are not given at sign-up; leave them out');
  if (org.policy.secondFactorRequired) {
    throw new FairleadError('SECOND_FACTOR_REQUIRED', `${org.slug} asks for a second factor: invite people instead`);
  }
  const scopes = resolveScopes(caller.client, body.scope);
  const { inviteToken } = body;
  const user =
    inviteToken === undefined
      ? await signUp(deps, context, { org, client: caller.client }, body)
      : await signUpInvited(deps, context, { org, client: caller.client }, { ...body, inviteToken });
  const { address } = personAddress(caller, context, body.userAddress);
  return embedTokens(deps, context, caller, { user, origin: 'trusted_signup', methods: ['pwd'], scopes, address });
}

interface SignupPlace {
  readonly org: OrgRecord;
  readonly client: ClientRecord;
}

/** Makes the account, or goes on with the half of one that the same client began before a process was killed. */
async function signUp(
  deps: IdentityDeps,
  context: RouteContext,
  place: SignupPlace,
  body: SignupBody,
): Promise<UserRecord> {
  const { org, client } = place;
  const { email, firstName, lastName } = body;
  const maker = { id: client.clientId, orgSlug: org.slug };
  const known = await deps.users.findByEmail(email);
  if (known !== null && !isHalfOf(known, maker)) throw userExists();
  const passwordHash = await hashNewPassword(deps, body.password, email);
  const fields = { id: deps.newId('user'), email, firstName, lastName, emailVerified: true, primaryOrg: org.slug };
  const user = known ?? newUser({ ...fields, ...halfAccount(maker, passwordHash, deps.now()) }, deps.now());
  // Of two at once the unique address lets one in, or the last write does; the other gets USER_EXISTS.
  if (known === null) await deps.users.insert(user);
  else await deps.users.update(user.id, { firstName, lastName });
  await deps.memberships.insert(newMembership(user.id, org, { roles: ['member'], modules: [] }, deps.now()));
  await noteSignup(deps, context, place, user, false);
  const finished = await finishAccount(deps, user.id, org.slug, passwordHash);
  if (finished === null) throw userExists();
  return finished;
}

/** Once an account, however often it was begun. */
function noteSignup(
  deps: IdentityDeps,
  context: RouteContext,
  { org, client: { clientId } }: SignupPlace,
  user: UserRecord,
  invited: boolean,
): Promise<void> {
  const type = 'user.signed_up';
  const data = { clientId, invited };
  const id = `${type}/${user.id}`;
  return audit(deps, context, { id, type, actor: clientId, subject: user.id, orgSlug: org.slug, data });
}

async function signUpInvited(
  deps: IdentityDeps,
  context: RouteContext,
  place: SignupPlace,
  { inviteToken: token, ...body }: SignupBody & { readonly inviteToken: string },
): Promise<UserRecord> {
  const { firstName, lastName, password } = body;
  const expected = { email: body.email, orgId: place.org.id };
  const person = { firstName, lastName, password, vouched: true };
  const tell = (made: UserRecord) => noteSignup(deps, context, place, made, true);
  return (await acceptInvite(deps, context, { token, newUser: person, expected, tell })).user;
}

function userExists(): FairleadError {
  return new FairleadError('USER_EXISTS', 'There is an account of this address; use set-initial-password or sign in');
}
